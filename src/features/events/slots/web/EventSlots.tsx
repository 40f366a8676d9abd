import { Suspense, useSyncExternalStore } from 'react';
import type { Event } from '#features/events/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const Slots = lazyPart(() => import('./Slots.tsx').then((module) => ({ default: module.Slots })));

const never = () => () => {};

/** The bring list and lifts of an event. Loaded after the page, which the server renders without them. */
export function EventSlots({ event, club }: { event: Event; club: ClubOfUser }) {
  const isHydrated = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return isHydrated ? (
    <Suspense>
      <Slots event={event} club={club} />
    </Suspense>
  ) : null;
}
