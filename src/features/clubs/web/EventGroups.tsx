import { useState } from 'react';
import { uniqueById, type More } from '#web/useMore.ts';
import { useNow } from '#web/useNow.ts';
import { firstRows } from '#features/clubs/rules.ts';
import type { EventCard, Phase } from '#features/events/contract.ts';
import { foldSeries, nearestFirst, phaseOf } from '#features/events/rules.ts';
import { EventList } from '#features/events/answers/web/EventList.tsx';
import { groupBy } from '#wire/group-by.ts';
import type { Instant } from '#wire/instant.ts';
import { ShowMore } from '#ui/ShowMore.tsx';
import { t } from '#features/clubs/messages.ts';

const groups = [
  {
    phase: 'in_progress',
    title: 'inProgress',
    moreLabel: 'showMoreInProgress',
    allLabel: 'showAllInProgress',
  },
  { phase: 'upcoming', title: 'upcoming', moreLabel: 'showMoreUpcoming', allLabel: 'showAllUpcoming' },
  { phase: 'previous', title: 'previous', moreLabel: 'showMorePrevious', allLabel: 'showAllPrevious' },
] as const satisfies ({ phase: Phase } & Record<string, string>)[];

type EventGroupsProps = {
  events: readonly EventCard[];
  more: Record<Phase, More<unknown>>;
  leftOut?: Record<Phase, number> | undefined;
};

/** Events grouped by phase. An event loaded as upcoming may have started since, so all events are regrouped. */
export function EventGroups({ events, more, leftOut }: EventGroupsProps) {
  const now = useNow();
  const byPhase = groupBy(uniqueById(events), (event) => phaseOf(event, now));
  const shown = groups.map(({ phase }) => nearestFirst(byPhase.get(phase) ?? [], phase));
  return (
    <div className="flex flex-col gap-8">
      {groups.map((group, at) => (
        <Group
          key={group.phase}
          {...group}
          first={firstRows[group.phase]}
          events={shown[at] ?? []}
          leftOut={leftOut?.[group.phase] ?? 0}
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
      <h3 className="mb-1 text-sm font-semibold text-muted sm:mb-2">{t(title)}</h3>
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
