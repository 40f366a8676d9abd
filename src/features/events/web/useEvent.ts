import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { queries, queryClient } from '#web/queries.ts';
import { useUser } from '#web/useSession.ts';
import type { Event } from '#features/events/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';

/** The event of this page, and its club if the viewer is a member. */
export function useEvent(): { event: Event; club: ClubOfUser | undefined } {
  const { slug = '' } = useParams();
  const event = useSuspenseQuery(queries.event(slug)).data;
  return { event, club: useUser().clubs.find((each) => each.id === event.owner_club_id) };
}

/** Merges known fields into the cached event, ahead of a refetch. */
export function showEvent(known: Partial<Event> & Pick<Event, 'id'>): void {
  queryClient.setQueriesData<Event>({ queryKey: ['event'] }, (cached) =>
    cached?.id === known.id ? { ...cached, ...known } : cached,
  );
}

/** Invalidates all queries that contain events: mounted ones refetch now, others when they are used next. */
export async function refreshEvents(): Promise<void> {
  const keys = ['event', 'attending', 'ofMyClubs', 'club'];
  await Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}
