import { useInfiniteQuery } from '@tanstack/react-query';
import { CalendarCheck } from 'lucide-react';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import type { Phase } from '#features/events/contract.ts';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { EventGroups } from './EventGroups.tsx';
import { t } from '#features/clubs/messages.ts';

/** The events of a club to which the viewer has answered that they come or may come. */
export function OwnEvents({ slug }: { slug: string }) {
  const lists = {
    upcoming: useOwnEvents(slug, 'upcoming'),
    in_progress: useOwnEvents(slug, 'in_progress'),
    previous: useOwnEvents(slug, 'previous'),
  };
  const all = Object.values(lists);
  const failed = all.find(({ data, error }) => error && !data);
  if (failed?.error)
    return (
      <NotLoaded title={t('eventsNotLoaded')} retry={() => all.forEach(({ refetch }) => void refetch())}>
        {explain(failed.error)}
      </NotLoaded>
    );
  if (all.some(({ data }) => !data))
    return (
      <Card aria-busy>
        <SkeletonText lines={6} />
      </Card>
    );
  const events = all.flatMap(({ data }) => data?.pages.flatMap((page) => page.events) ?? []);
  if (events.length === 0)
    return <EmptyState icon={CalendarCheck} title={t('noneOfYours')} text={t('noneOfYoursText')} />;
  const { upcoming, in_progress, previous } = lists;
  return (
    <EventGroups
      events={events}
      more={{ upcoming: upcoming.more, in_progress: in_progress.more, previous: previous.more }}
    />
  );
}

function useOwnEvents(slug: string, phase: Phase) {
  const query = useInfiniteQuery(queries.ownEventsOfClub(slug, phase));
  const more = {
    pages: [],
    hasMore: query.hasNextPage,
    busy: query.isFetchingNextPage,
    failed: query.isFetchNextPageError,
    load: () => void query.fetchNextPage(),
  };
  return { ...query, more };
}
