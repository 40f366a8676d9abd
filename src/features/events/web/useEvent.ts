import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { queries, queryClient } from '#web/queries.ts';
import { useUser } from '#web/useSession.ts';
import type { Event, EventCard } from '#features/events/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';

/** The event of this page, and its club if the viewer is a member. */
export function useEvent(): { event: Event; club: ClubOfUser | undefined } {
  const { slug = '' } = useParams();
  const event = useSuspenseQuery(queries.event(slug)).data;
  return { event, club: useUser().clubs.find((each) => each.id === event.owner_club_id) };
}

/** The keys of all queries that contain events or their people. */
const keys = ['event', 'people', 'voters', 'attending', 'ofMyClubs', 'club', 'series'];

/** The fields that contain events: in a club, in a page of its lists, or in a series. */
interface Listing {
  events?: EventCard[];
  pages?: Listing[];
}

/** Changes an event in all cached responses, ahead of a refetch. */
export function changeEvent(
  id: string,
  change: <Known extends Event | EventCard>(event: Known) => Known,
): void {
  const changed = <Known extends Event | EventCard>(event: Known) =>
    event.id === id ? change(event) : event;
  const changedIn = (listing: Listing): Listing => ({
    ...listing,
    ...(listing.events && { events: listing.events.map(changed) }),
    ...(listing.pages && { pages: listing.pages.map(changedIn) }),
  });
  queryClient.setQueriesData<Event>({ queryKey: ['event'] }, (event) => event && changed(event));
  for (const list of ['attending', 'ofMyClubs'])
    queryClient.setQueriesData<EventCard[]>({ queryKey: [list] }, (cards) => cards?.map(changed));
  for (const page of ['club', 'series'])
    queryClient.setQueriesData<Listing>({ queryKey: [page] }, (listing) => listing && changedIn(listing));
}

/** Merges known fields into the cached event, ahead of a refetch. */
export const showEvent = ({ id, ...fields }: Partial<Event> & Pick<Event, 'id'>): void =>
  changeEvent(id, (event) => ({ ...event, ...fields }));

/** Cancels refetches in flight, whose responses may be older than an optimistic update. */
export async function cancelEventQueries(): Promise<void> {
  // A query without an observer was started by a navigation, which must not fail.
  await Promise.all(keys.map((key) => queryClient.cancelQueries({ queryKey: [key], type: 'active' })));
}

/** Invalidates all queries that contain events: mounted ones refetch now, others when they are used next. */
export async function refreshEvents(): Promise<void> {
  await Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}
