import { ListFilter } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { queries } from '#web/queries.ts';
import { useMore } from '#web/useMore.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import { isMonth, manyEvents } from '#features/clubs/rules.ts';
import type { Phase } from '#features/events/contract.ts';
import { EmptyState } from '#ui/EmptyState.tsx';
import { IconButton } from '#ui/IconButton.tsx';
import { Section } from '#ui/Section.tsx';
import { type EventFilter, EventFilters, EventSearch } from './EventFilters.tsx';
import { EventGroups } from './EventGroups.tsx';
import { EventsOfMonth } from './EventsOfMonth.tsx';
import { OwnEvents } from './OwnEvents.tsx';
import { t } from '#features/clubs/messages.ts';

type Events = Pick<LoadedClub, 'slug' | 'events' | 'event_count' | 'more_events' | 'left_out'>;
type ClubEventsProps = {
  club: Events & Pick<LoadedClub, 'club_name' | 'created_at' | 'is_planner'>;
  /** Whether the first steps are shown. They already suggest planning an event. */
  steps: boolean;
};

const noFilter: EventFilter = { whose: 'all', month: '' };

/** The events of a club, grouped by phase or of one month. */
export function ClubEvents({ club, steps }: ClubEventsProps) {
  const hasFilters = club.event_count >= manyEvents;
  const [chosen, setFilter] = useEventFilter();
  const filter = hasFilters ? chosen : noFilter;
  const { whose, month } = filter;
  // On a phone, the filters are shown on demand, so that the first event stays in sight.
  const [isFiltering, setFiltering] = useState(whose === 'mine' || month !== '');
  return (
    <Section
      title={t('events')}
      count={club.event_count}
      collapsible="mobile"
      actions={
        hasFilters && (
          <>
            <EventSearch club={club} />
            <IconButton
              icon={ListFilter}
              label={t('filterEvents')}
              aria-expanded={isFiltering}
              className="sm:hidden"
              onClick={() => setFiltering(!isFiltering)}
            />
          </>
        )
      }
    >
      {hasFilters && (
        <EventFilters
          club={club}
          filter={filter}
          onChange={setFilter}
          className={!isFiltering && 'max-sm:hidden'}
        />
      )}
      {month ? (
        <EventsOfMonth
          slug={club.slug}
          month={month}
          whose={whose}
          onChange={(next) => setFilter({ whose, month: next })}
        />
      ) : whose === 'mine' ? (
        <OwnEvents slug={club.slug} />
      ) : club.event_count > 0 ? (
        <AllEvents club={club} />
      ) : steps ? (
        <p className="rounded-xl border border-dashed border-line px-5 py-4 text-muted">
          {t('nothingPlannedYet')}
        </p>
      ) : (
        <EmptyState
          icon="signpost"
          title={club.is_planner ? t('planYourFirstEvent') : t('nothingPlannedYet')}
          text={club.is_planner ? t('planYourFirstEventText') : t('nothingPlannedYetText')}
          className="rounded-xl border border-dashed border-line"
        />
      )}
    </Section>
  );
}

/**
 * The chosen events. They are also in the address, so that the way back from an event and a reload keep them. The state
 * changes at once, the address only after the loader of the page.
 */
function useEventFilter(): [EventFilter, (filter: EventFilter) => void] {
  const [params, setParams] = useSearchParams();
  const [filter, setFilter] = useState<EventFilter>(() => {
    const month = params.get('month') ?? '';
    return {
      whose: params.get('whose') === 'mine' ? 'mine' : 'all',
      month: isMonth(month) ? month : '',
    };
  });
  const choose = (next: EventFilter) => {
    setFilter(next);
    setParams(
      { ...(next.whose === 'mine' && { whose: next.whose }), ...(next.month && { month: next.month }) },
      { replace: true, preventScrollReset: true },
    );
  };
  return [filter, choose];
}

function AllEvents({ club }: { club: Events }) {
  const more = {
    upcoming: useMoreEvents(club, 'upcoming'),
    in_progress: useMoreEvents(club, 'in_progress'),
    previous: useMoreEvents(club, 'previous'),
  };
  const loaded = Object.values(more).flatMap(({ pages }) => pages.flatMap(({ events }) => events));
  return <EventGroups events={[...loaded, ...club.events]} more={more} leftOut={club.left_out} />;
}

function useMoreEvents({ slug, more_events }: Events, phase: Phase) {
  const from = more_events[phase];
  return useMore(from, queries.moreEvents(slug, phase, from ?? ''));
}
