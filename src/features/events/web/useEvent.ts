import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { queries, queryClient } from '#web/queries.ts';
import { useUser } from '#web/useSession.ts';
import type { Event } from '#features/events/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';

/** The event of this page, and its club when the viewer is in it. */
export function useEvent(): { event: Event; club: ClubOfUser | undefined } {
  const { slug = '' } = useParams();
  const event = useSuspenseQuery(queries.event(slug)).data;
  return { event, club: useUser().clubs.find((each) => each.id === event.owner_club_id) };
}

/** Shows what is known of an event before the server has been asked again. */
export function showEvent(known: Partial<Event> & Pick<Event, 'id'>): void {
  queryClient.setQueriesData<Event>({ queryKey: ['event'] }, (shown) =>
    shown?.id === known.id ? { ...shown, ...known } : shown,
  );
}

/** Loads anew what shows events: what is on the screen now, the lists when they are shown next. */
export async function refreshEvents(): Promise<void> {
  const keys = ['event', 'attending', 'ofMyClubs', 'club'];
  await Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}
