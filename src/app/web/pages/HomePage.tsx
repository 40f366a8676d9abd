import { useSuspenseQuery } from '@tanstack/react-query';
import { CalendarPlus, CalendarX2, Plus } from 'lucide-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { EventCard } from '#features/events/contract.ts';
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
import { NextEvent, nextOf } from './NextEvent.tsx';
import { t } from '#app/web/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const CalendarDialog = lazyPart(() =>
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
        icon="tent"
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
  const now = useNow();
  const { data: events } = useSuspenseQuery(queries.ofMyClubs());
  const { data: attending } = useSuspenseQuery(queries.attending());
  const { unanswered, others } = useMemo(() => openEvents(events, now), [events, now]);
  const attendedOnly = useMemo(() => without(attending, unanswered), [attending, unanswered]);
  const next = nextOf(attending, now);
  const row = { now, clubs: user.clubs.length > 1 ? user.clubs : undefined };
  return (
    <>
      <header className="mb-4 flex items-center justify-between gap-4 sm:mb-8">
        <h1 className="grow truncate text-2xl font-bold sm:text-3xl">
          {t('welcome', { name: user.first_name || user.email })}
        </h1>
        <Button asChild variant="ghost" className="-mr-2 max-sm:px-3!">
          <Link to="/app/away">
            <CalendarX2 aria-hidden />
            <span className="max-sm:sr-only">{t('imAway')}</span>
          </Link>
        </Button>
        <Tooltip text={t('myCalendarHint')}>
          <Button variant="secondary" className="max-sm:px-3!" onClick={() => setCalendar(true)}>
            <CalendarPlus aria-hidden />
            <span className="max-sm:sr-only">{t('myCalendar')}</span>
          </Button>
        </Tooltip>
      </header>
      <div className="grid gap-x-12 gap-y-6 lg:gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-6 empty:hidden lg:col-start-1 lg:gap-10">
          {next && <NextEvent event={next} now={now} showClub={user.clubs.length > 1} />}
          <OpenEvents title={t('needsYourAnswer')} events={unanswered} {...row} asks leaves />
        </div>
        <Clubs clubs={user.clubs} />
        <div className="flex min-w-0 flex-col gap-10 lg:col-start-1">
          <EventsAttending events={attendedOnly} count={attending.length} {...row} />
          <OpenEvents title={t('comingUp')} events={others} {...row} leaves above={attendedOnly.length} />
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
 * A column in the wide layout, otherwise a scrollable row above the list of attended events, which may be long. The list is positioned, because otherwise
 * the hidden text of its cards would widen the page.
 */
const Clubs = ({ clubs }: { clubs: readonly ClubOfUser[] }) => (
  <section
    aria-labelledby="clubs"
    className="relative flex min-w-0 items-center gap-2 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:block"
  >
    <h2 id="clubs" className="text-xl leading-[2.75rem] font-bold max-lg:sr-only">
      {t('clubs')}
      <span className="ml-2 text-base font-medium text-muted tabular-nums">{clubs.length}</span>
    </h2>
    <ul className="relative -ml-4 flex gap-2 overflow-x-auto p-1 pl-4 [scrollbar-width:none] sm:-ml-6 sm:pl-6 lg:m-0 lg:grid lg:gap-3 lg:overflow-visible lg:p-0 lg:pt-3">
      {clubs.map((club, at) => (
        <li key={club.id} className="max-lg:shrink-0">
          <ClubCard club={club} previous={clubs[at - 1]?.id} />
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

/** `count` includes the attended events that are in 'Needs your answer'. */
function EventsAttending({ events, count, ...row }: EventListProps & { count: number }) {
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
      {count === 0 ? (
        <EmptyState
          icon="signpost"
          title={t('nothingPlannedYet')}
          text={t('nothingPlannedYetText')}
          className="rounded-xl border border-dashed border-line"
        />
      ) : events.length === 0 ? (
        <p className="text-muted">{t('allNeedYourAnswer')}</p>
      ) : (
        <EventList events={sorted} {...row} />
      )}
      {count === homeEventLimit && (
        <p className="mt-4 text-center text-sm text-muted">{t('onlyNearestShown', { n: homeEventLimit })}</p>
      )}
    </Section>
  );
}

const without = (events: readonly EventCard[], others: readonly EventCard[]): EventCard[] => {
  const ids = new Set(others.map(({ id }) => id));
  return events.filter(({ id }) => !ids.has(id));
};

const OpenEvents = ({ title, ...list }: EventListProps & { title: string }) =>
  list.events.length > 0 && (
    <Section title={title}>
      <EventList {...list} />
    </Section>
  );
