import type { Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import type { Slot, SlotKind } from '#features/events/slots/contract.ts';

/** The maximum number of entries of an event: things and tasks, lifts, and lifts of one member. */
const limits = { list: 50, lifts: 50, liftsOfMember: 2 };

type State = Pick<Event, 'end_time' | 'deleted_at'>;

/** The list can change until the event ends. */
export function whyIsListClosed(event: State, now: Instant): ErrorCode | undefined {
  if (isCancelled(event)) return 'event_cancelled';
  return hasEnded(event, now) ? 'event_ended' : undefined;
}

type Entries = readonly Pick<Slot, 'kind' | 'by'>[];

/**
 * Whether a member has offered the maximum number of lifts. The maximum keeps a member from filling the list. Runners
 * (the host and the planners) may exceed it, because they may offer lifts for others.
 */
export const offersEnough = (slots: Entries, member: string): boolean =>
  slots.filter(({ kind, by }) => kind === 'lift' && by?.id === member).length >= limits.liftsOfMember;

/**
 * Runners can add anything; members who are going can offer lifts. Lifts do not count towards the limit of things and
 * tasks.
 */
export function whyCannotAdd(
  event: State & Pick<Event, 'my_answer'>,
  { kind, slots, user, isRunner }: { kind: SlotKind; slots: Entries; user: string; isRunner: boolean },
  now: Instant,
): ErrorCode | undefined {
  if (!isRunner && kind !== 'lift') return 'not_runner';
  const closed = whyIsListClosed(event, now);
  if (closed) return closed;
  if (!isRunner && event.my_answer !== 'going') return 'not_going';
  const lifts = slots.filter((slot) => slot.kind === 'lift').length;
  if (kind !== 'lift') return slots.length - lifts >= limits.list ? 'too_many_slots' : undefined;
  if (!isRunner && offersEnough(slots, user)) return 'two_lifts';
  return lifts >= limits.lifts ? 'too_many_lifts' : undefined;
}

/** How many places are free for this member, including those that they have taken. */
export const placesFor = (member: string, { places, claims }: Pick<Slot, 'places' | 'claims'>): number =>
  claims.reduce((left, claim) => left - (claim.id === member ? 0 : claim.places), places);
