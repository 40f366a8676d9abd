import { useQuery } from '@tanstack/react-query';
import { CalendarDays } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Link } from 'react-router';
import { sentence } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useDebouncedValue } from '#web/useDebouncedValue.ts';
import { useUser } from '#web/useSession.ts';
import { foldSeries } from '#features/events/rules.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import type { Found } from '#features/search/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { Dialog } from '#ui/Dialog.tsx';
import { shortDateAndTime } from '#wire/format.ts';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { Skeleton } from '#ui/Skeleton.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { moreDates } from '#features/events/answers/web/SeriesLine.tsx';
import { t } from '#features/search/messages.ts';
import type { Elements } from '#ui/elements.ts';

interface SearchDialogProps {
  /** Searches only the events of this club. */
  club?: Pick<ClubOfUser, 'slug' | 'club_name'> | undefined;
  onClose: () => void;
}

export default function SearchDialog({ club, onClose }: SearchDialogProps) {
  const [typed, setTyped] = useState('');
  const q = useDebouncedValue(typed.trim());
  const { data, error, refetch } = useQuery(queries.search(q, club?.slug));
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const found = q === typed.trim() ? data : undefined;

  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('a, [aria-expanded]') ?? [])];
  /** Arrow keys cycle through the field and the results. */
  const moveFocus = (event: KeyboardEvent) => {
    const stops = [field.current, ...links()];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = stops.findIndex((stop) => stop === document.activeElement);
    stops.at((at + step) % stops.length)?.focus();
  };
  const chooseFirst = (event: FormEvent) => {
    event.preventDefault();
    links()[0]?.click();
  };
  return (
    <Dialog open onOpenChange={onClose} title={t('search')}>
      <div onKeyDown={moveFocus}>
        <form role="search" onSubmit={chooseFirst}>
          <TextInput
            ref={field}
            type="search"
            enterKeyHint="go"
            autoComplete="off"
            // Hides the browser's own button to clear the field, because the Close button is near and looks the same.
            className="[&::-webkit-search-cancel-button]:hidden"
            maxLength={100}
            aria-label={club ? t('searchEventsOfClub', { club: club.club_name }) : t('searchEventsOrClubs')}
            placeholder={club ? t('searchEventsPlaceholder') : t('searchPlaceholder')}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </form>
        <div
          ref={list}
          aria-live="polite"
          className="mt-3 h-80 max-h-[300px] overflow-y-auto overscroll-contain"
        >
          {found ? (
            <Results found={found} club={club} onChoose={onClose} />
          ) : error ? (
            // No role, because the region around the message is a live region already.
            <NotLoaded role={undefined} retry={() => void refetch()}>
              {sentence(error)}
            </NotLoaded>
          ) : (
            <Rows />
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Rows() {
  return (
    <div className="flex flex-col gap-3 pt-2">
      <span className="sr-only">{t('searching')}</span>
      {['w-1/2', 'w-2/3', 'w-2/5', 'w-3/5'].map((width) => (
        <div key={width} className="flex items-center gap-3 px-2">
          <Skeleton className="size-8" />
          <Skeleton className={`h-4 ${width}`} />
        </div>
      ))}
    </div>
  );
}

type EventFound = Found['events'][number];
type EventResultsProps = {
  first: EventFound;
  more: EventFound[];
  showClub: boolean;
  onChoose: () => void;
};

/** An event, or the next date of a series with a button that lists the other dates in place. */
function EventResults({ first, more, showClub, onChoose }: EventResultsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {[first, ...(isOpen ? more : [])].map(({ slug, name, start_time, deleted_at, club_name, series }) => (
        <Result
          key={slug}
          icon={<CalendarDays aria-hidden className="mx-1.5 size-5 shrink-0 text-muted" />}
          to={`/app/events/${slug}`}
          onChoose={onChoose}
        >
          <span className={cn(deleted_at && 'text-muted line-through')}>{name}</span>
          {deleted_at && (
            <Badge tone="danger" className="ml-2">
              {t('cancelled')}
            </Badge>
          )}
          <span className="block text-sm text-muted">
            <time dateTime={start_time}>{shortDateAndTime(start_time)}</time>
            {showClub && <span>{` · ${club_name}`}</span>}
            {series && <span>{` · ${repeatText(series)}`}</span>}
          </span>
        </Result>
      ))}
      {more.length > 0 && (
        <li>
          <Button
            variant="link"
            size="sm"
            aria-expanded={isOpen}
            className="ml-11"
            onClick={() => setOpen(!isOpen)}
          >
            {moreDates(more)}
          </Button>
        </li>
      )}
    </>
  );
}

type ResultsProps = Pick<SearchDialogProps, 'club'> & { found: Found; onChoose: () => void };

function Results({ found: { events, clubs }, club, onChoose }: ResultsProps) {
  const own = new Map(useUser().clubs.map((club) => [club.slug, club]));
  if (events.length + clubs.length === 0)
    return (
      <div className="py-8 text-center text-muted">
        <p>{t('noResultsFound')}</p>
        <p className="text-sm">
          {club ? t('noResultsFoundInClub', { club: club.club_name }) : t('noResultsFoundText')}
        </p>
      </div>
    );
  return (
    <>
      <Group name={t('events')} count={events.length}>
        {foldSeries(events).map(([first, ...more]) => (
          <EventResults key={first.slug} first={first} more={more} showClub={!club} onChoose={onChoose} />
        ))}
      </Group>
      <Group name={t('clubs')} count={clubs.length}>
        {clubs.map(({ slug, club_name }) => (
          <Result
            key={slug}
            icon={
              <Avatar
                square
                size="sm"
                name={club_name}
                seed={own.get(slug)?.id}
                src={own.get(slug)?.profile_picture_url}
              />
            }
            to={`/app/clubs/${slug}`}
            onChoose={onChoose}
          >
            {club_name}
          </Result>
        ))}
      </Group>
    </>
  );
}

function Group({ name, count, children }: { name: string; count: number; children: ReactNode }) {
  const id = useId();
  if (count === 0) return null;
  return (
    <section aria-labelledby={id} className="pb-2">
      <h3 id={id} className="px-2 py-1 text-sm font-semibold text-muted">
        {name}
      </h3>
      <ul>{children}</ul>
    </section>
  );
}

type ResultProps = { icon: Elements; to: string; onChoose: () => void; children: ReactNode };

function Result({ icon, to, onChoose, children }: ResultProps) {
  return (
    <li>
      <Link
        to={to}
        onClick={onChoose}
        className="flex min-h-11 items-center gap-3 rounded-md px-2 py-1.5 hover:bg-sunken focus-visible:bg-sunken focus-visible:-outline-offset-2"
      >
        {icon}
        <span className="min-w-0 wrap-anywhere">{children}</span>
      </Link>
    </li>
  );
}
