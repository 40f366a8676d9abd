import { useSuspenseQuery } from '@tanstack/react-query';
import { CalendarDays, CalendarPlus, Plus, UsersRound } from 'lucide-react';
import { Component, createRef, lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { EventCard as Card } from '#features/events/contract.ts';
import { homeEventLimit, inOrder, openEvents } from '#features/events/rules.ts';
import { EventList, type EventListProps } from '#features/events/answers/web/EventList.tsx';
import type { ClubOfUser, User } from '#features/users/contract.ts';
import { Button } from '#ui/Button.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Section } from '#ui/Section.tsx';
import { SegmentedControl } from '#ui/SegmentedControl.tsx';
import { Tooltip } from '#ui/Tooltip.tsx';
import { queries } from '#web/queries.ts';
import { clearHomeNote, homeNoteFor } from '#web/home-note.ts';
import { useNow } from '#web/useNow.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { ClubCard } from './ClubCard.tsx';
import { t } from '#app/web/messages.ts';

const CalendarDialog = lazy(() =>
  import('#features/calendar/web/CalendarDialog.tsx').then((module) => ({ default: module.CalendarDialog })),
);

export default function HomePage() {
  useTitle();
  const user = useUser();
  const [notice] = useState(() => homeNoteFor(user));
  useEffect(() => clearHomeNote(notice), [notice]);
  return (
    <>
      {notice && (
        <p role="status" className="mb-6 rounded-lg border border-line bg-raised px-4 py-3 font-medium">
          {notice.to ? (
            <Link to={notice.to} state={notice.state} className="text-accent underline underline-offset-4">
              {notice.text}
            </Link>
          ) : (
            notice.text
          )}
        </p>
      )}
      {user.clubs.length > 0 ? <Dashboard user={user} /> : <NoClubs />}
    </>
  );
}

function NoClubs() {
  return (
    <>
      <h1 className="sr-only">{t('home')}</h1>
      <EmptyState
        icon={UsersRound}
        title={t('noClubsYet')}
        text={t('noClubsYetText')}
        action={
          <Button asChild size="lg">
            <Link to="/app/new-club">
              <Plus aria-hidden />
              {t('createClub')}
            </Link>
          </Button>
        }
        className="sm:py-24"
      />
    </>
  );
}

function Dashboard({ user }: { user: User }) {
  const [calendar, setCalendar] = useState(false);
  const { now, unanswered, others } = useOpenEvents();
  const { data: attending } = useSuspenseQuery(queries.attending());
  const row = { now, showClub: user.clubs.length > 1 };
  return (
    <>
      <header className="mb-4 flex items-center justify-between gap-4 sm:mb-8">
        <h1 className="truncate text-2xl font-bold sm:text-3xl">
          {t('welcome', { name: user.first_name || user.email })}
        </h1>
        <Tooltip text={t('myCalendarHint')}>
          <Button variant="secondary" className="max-sm:px-3!" onClick={() => setCalendar(true)}>
            <CalendarPlus aria-hidden />
            <span className="max-sm:sr-only">{t('myCalendar')}</span>
          </Button>
        </Tooltip>
      </header>
      <div className="grid gap-x-12 gap-y-6 lg:grid-cols-[1fr_20rem]">
        <Clubs clubs={user.clubs} />
        <div className="flex min-w-0 flex-col gap-10 lg:order-first">
          <OpenEvents title={t('needsYourAnswer')} events={unanswered} {...row} />
          <EventsAttending events={attending} {...row} askedElsewhere={unanswered} />
          <StaysInPlace>
            <OpenEvents title={t('comingUp')} events={others} {...row} above={attending.length} />
          </StaysInPlace>
        </div>
      </div>
      {calendar && (
        <Suspense>
          <CalendarDialog
            open
            onOpenChange={setCalendar}
            feed={{ kind: 'personal', secret: user.ical_feed_url_id }}
          />
        </Suspense>
      )}
    </>
  );
}

/**
 * A column in the wide layout, otherwise a scrollable row above the events. The list is positioned, because otherwise
 * the hidden text of its cards would widen the page.
 */
const Clubs = ({ clubs }: { clubs: readonly ClubOfUser[] }) => (
  <section aria-labelledby="clubs" className="relative flex min-w-0 items-center gap-2 lg:block">
    <h2 id="clubs" className="text-xl leading-[2.75rem] font-bold max-lg:sr-only">
      {t('clubs')}
      <span className="ml-2 text-base font-medium text-muted tabular-nums">{clubs.length}</span>
    </h2>
    <ul className="relative -ml-4 flex gap-2 overflow-x-auto p-1 pl-4 [scrollbar-width:none] sm:-ml-6 sm:pl-6 lg:m-0 lg:grid lg:gap-3 lg:overflow-visible lg:p-0 lg:pt-3">
      {clubs.map((club) => (
        <li key={club.id} className="max-lg:shrink-0">
          <ClubCard club={club} />
        </li>
      ))}
    </ul>
    <Link
      to="/app/new-club"
      aria-label={t('newClub')}
      className="grid size-11 shrink-0 place-items-center rounded-full text-accent offline:hidden hover:bg-accent-soft lg:absolute lg:top-0 lg:right-0"
    >
      <Plus aria-hidden className="size-5" />
    </Link>
  </section>
);

const orders = () =>
  [
    { value: 'soonest', label: t('soonest') },
    { value: 'furthest', label: t('furthest') },
  ] as const;
type Order = ReturnType<typeof orders>[number]['value'];

function EventsAttending({ events, ...row }: EventListProps) {
  const [order, setOrder] = useState<Order>('soonest');
  const sorted = useMemo(() => inOrder(events, order), [events, order]);
  return (
    <Section
      title={t('eventsAttending')}
      count={events.length}
      actions={
        events.length > 1 && (
          <SegmentedControl
            label={t('sort')}
            options={orders()}
            value={order}
            onChange={setOrder}
            className="max-sm:w-full sm:-my-0.75"
          />
        )
      }
    >
      {events.length === 0 ? (
        <EmptyState
          icon={CalendarDays}
          title={t('nothingPlannedYet')}
          text={t('nothingPlannedYetText')}
          className="rounded-xl border border-dashed border-line"
        />
      ) : (
        <EventList events={sorted} {...row} />
      )}
      {events.length === homeEventLimit && (
        <p className="mt-4 text-center text-sm text-muted">{t('onlyNearestShown', { n: homeEventLimit })}</p>
      )}
    </Section>
  );
}

/** The events that need an answer, and the others. An event that is answered on this page stays in its list. */
function useOpenEvents() {
  const { data: events } = useSuspenseQuery(queries.ofMyClubs());
  const now = useNow();
  // Each event as first loaded. The server renders only the first rows, and the app reads the others after the paint.
  const [before] = useState(() => new Map<string, Card>());
  return useMemo(() => {
    for (const event of events) if (!before.has(event.id)) before.set(event.id, event);
    return { now, ...openEvents(events, now, before) };
  }, [events, now, before]);
}

const OpenEvents = ({ title, ...list }: EventListProps & { title: string }) =>
  list.events.length > 0 && (
    <Section title={title}>
      <EventList {...list} />
    </Section>
  );

/** Scrolls when a list above has grown, so that an event does not move away from the finger that has just answered it. */
class StaysInPlace extends Component<{ children: ReactNode }> {
  readonly element = createRef<HTMLDivElement>();

  top(): number {
    return this.element.current?.getBoundingClientRect().top ?? 0;
  }

  override getSnapshotBeforeUpdate(): number {
    return this.top();
  }

  override componentDidUpdate(_props: object, _state: object, before: number): void {
    const moved = this.top() - before;
    if (moved !== 0 && before < innerHeight) scrollBy(0, moved);
  }

  override render() {
    return (
      <div ref={this.element} className="empty:hidden">
        {this.props.children}
      </div>
    );
  }
}
