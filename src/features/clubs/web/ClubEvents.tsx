import { CalendarPlus } from 'lucide-react';
import { useState } from 'react';
import { queries } from '#web/queries.ts';
import { uniqueById, type More, useMore } from '#web/useMore.ts';
import { useNow } from '#web/useNow.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import { firstRows } from '#features/clubs/rules.ts';
import type { EventCard, Phase } from '#features/events/contract.ts';
import { foldSeries, nearestFirst, phaseOf } from '#features/events/rules.ts';
import { EventList } from '#features/events/answers/web/EventList.tsx';
import { groupBy } from '#wire/group-by.ts';
import type { Instant } from '#wire/instant.ts';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Section } from '#ui/Section.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { t } from '#features/clubs/messages.ts';

const groups = [
  { phase: 'upcoming', title: 'upcoming', moreLabel: 'showMoreUpcoming', allLabel: 'showAllUpcoming' },
  {
    phase: 'in_progress',
    title: 'inProgress',
    moreLabel: 'showMoreInProgress',
    allLabel: 'showAllInProgress',
  },
  { phase: 'previous', title: 'previous', moreLabel: 'showMorePrevious', allLabel: 'showAllPrevious' },
] as const satisfies ({ phase: Phase } & Record<string, string>)[];

type Events = Pick<LoadedClub, 'slug' | 'events' | 'event_count' | 'more_events' | 'left_out'>;
type ClubEventsProps = {
  club: Events;
  admin: boolean;
  /** Whether the first steps are shown. They already suggest planning an event. */
  steps: boolean;
};

/** The events of a club, grouped by phase. */
export function ClubEvents({ club, admin, steps }: ClubEventsProps) {
  return (
    <Section title={t('events')} count={club.event_count} collapsible="mobile">
      {club.event_count > 0 ? (
        <Groups club={club} />
      ) : steps ? (
        <p className="rounded-xl border border-dashed border-line px-5 py-4 text-muted">
          {t('nothingPlannedYet')}
        </p>
      ) : (
        <EmptyState
          icon={CalendarPlus}
          title={admin ? t('planYourFirstEvent') : t('nothingPlannedYet')}
          text={admin ? t('planYourFirstEventText') : t('nothingPlannedYetText')}
          className="rounded-xl border border-dashed border-line"
        />
      )}
    </Section>
  );
}

function Groups({ club }: { club: Events }) {
  const now = useNow();
  const more = {
    upcoming: useMoreEvents(club, 'upcoming'),
    in_progress: useMoreEvents(club, 'in_progress'),
    previous: useMoreEvents(club, 'previous'),
  };
  // An event loaded as upcoming may have started since, so all events are regrouped.
  const loaded = Object.values(more).flatMap(({ pages }) => pages.flatMap(({ events }) => events));
  const byPhase = groupBy(uniqueById([...loaded, ...club.events]), (event) => phaseOf(event, now));
  const shown = groups.map(({ phase }) => nearestFirst(byPhase.get(phase) ?? [], phase));
  return (
    <div className="flex flex-col gap-8">
      {groups.map((group, at) => (
        <Group
          key={group.phase}
          {...group}
          first={firstRows[group.phase]}
          events={shown[at] ?? []}
          leftOut={club.left_out?.[group.phase] ?? 0}
          above={
            groups
              .slice(0, at)
              .flatMap(({ phase }, before) => foldSeries(shown[before] ?? []).slice(0, firstRows[phase]))
              .length
          }
          more={more[group.phase]}
          now={now}
        />
      ))}
    </div>
  );
}

function useMoreEvents({ slug, more_events }: Events, phase: Phase) {
  const from = more_events[phase];
  return useMore(from, queries.moreEvents(slug, phase, from ?? ''));
}

type GroupProps = (typeof groups)[number] & {
  /** Number of rows before "Show all". */
  first: number;
  events: readonly EventCard[];
  /** The number of events that the server has left out of the first screen. */
  leftOut: number;
  /** Number of rows in the groups above. */
  above: number;
  more: More<unknown>;
  now: Instant;
};

function Group({ title, moreLabel, allLabel, first, events, leftOut, above, more, now }: GroupProps) {
  const [showAll, setShowAll] = useState(false);
  const folded = foldSeries(events);
  const shown = showAll ? events : folded.slice(0, first).flat();
  const hasHidden = !showAll && (first < folded.length || leftOut > 0);
  if (shown.length === 0) return null;
  return (
    <section tabIndex={-1} aria-label={t(title)} className="outline-none">
      <h3 className="mb-2 text-sm font-semibold text-muted">{t(title)}</h3>
      <EventList events={shown} now={now} above={above} />
      {(hasHidden || more.hasMore) && (
        <ShowMore
          className="mt-4"
          busy={showAll && more.busy}
          failed={more.failed}
          onPress={hasHidden ? () => setShowAll(true) : more.load}
        >
          {more.hasMore ? t(moreLabel) : t(allLabel, { n: events.length + leftOut })}
        </ShowMore>
      )}
    </section>
  );
}
