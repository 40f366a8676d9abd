import type { Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import type { Slot, SlotKind } from '#features/slots/contract.ts';

/** The most entries on the list of an event. */
const maxSlots = 50;

type State = Pick<Event, 'end_time' | 'deleted_at'>;

/** The list can change until the event ends. */
export function whyIsListClosed(event: State, now: Instant): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  return hasEnded(event, now) ? 'event_ended' : undefined;
}

/** Organisers add anything; members who are going offer lifts. */
export function whyCannotAdd(
  event: State & Pick<Event, 'my_answer'>,
  { kind, count, isRunner }: { kind: SlotKind; count: number; isRunner: boolean },
  now: Instant,
): ErrorCode | undefined {
  if (!isRunner && kind !== 'lift') return 'not_runner';
  const closed = whyIsListClosed(event, now);
  if (closed) return closed;
  if (!isRunner && event.my_answer !== 'going') return 'not_going';
  return count >= maxSlots ? 'too_many_slots' : undefined;
}

/** How many places nobody has taken, apart from this member. */
export const placesFor = (member: string, { places, claims }: Pick<Slot, 'places' | 'claims'>): number =>
  claims.reduce((left, claim) => left - (claim.id === member ? 0 : claim.places), places);
