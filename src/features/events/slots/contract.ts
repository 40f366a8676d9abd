import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Id, Ref, singleLine } from '#wire/text.ts';
import { Member } from '#features/members/contract.ts';

/** 'bring': things, 'lift': seats in a car, 'task': work. */
export const SlotKind = z.enum(['bring', 'lift', 'task']);
export type SlotKind = z.infer<typeof SlotKind>;

const Person = Member.omit({ club_role: true, section_ids: true });

/** What an event needs or offers, and who takes it. */
export const Slot = z.object({
  id: Id,
  kind: SlotKind,
  title: z.string(),
  places: z.int(),
  /** The member who added the entry; for a lift, the driver. Null after the account is deleted. */
  by: Person.nullable(),
  /** Sorted by name. */
  claims: z.array(Person.extend({ places: z.int() })),
});
export type Slot = z.infer<typeof Slot>;

const Slots = z.object({ slots: z.array(Slot) });
const Places = z.int().min(1).max(50);

export const slots = {
  list: endpoint({
    method: 'GET',
    path: '/v1/events/:event/slots',
    input: z.object({ event: Ref }),
    output: Slots,
    errors: ['not_member'],
    summary: 'The bring list, lifts and tasks of an event, and who takes them (members)',
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/events/:event/slots',
    input: z.object({ event: Ref, kind: SlotKind, title: singleLine(100).min(1), places: Places }),
    output: Slots,
    creates: true,
    errors: [
      'not_member',
      'not_runner',
      'event_cancelled',
      'event_ended',
      'not_going',
      'too_many_slots',
      'two_lifts',
      'too_many_lifts',
    ],
    summary:
      'Add something to the list of an event (planners, host), or offer a lift (members who are going)',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/slots/:slot',
    input: z.object({ slot: Id }),
    output: Slots,
    errors: ['not_member', 'not_runner', 'event_cancelled', 'event_ended'],
    summary:
      'Remove an entry from the list of an event; passengers of a removed lift get a notice (author of the entry, planners, host)',
  }),
  claim: endpoint({
    method: 'PUT',
    path: '/v1/slots/:slot/claim',
    input: z.object({ slot: Id, places: Places.or(z.literal(0)).default(1) }),
    output: Slots,
    errors: ['not_member', 'event_cancelled', 'event_ended', 'slot_full'],
    summary: 'Set the number of places that the user takes; the driver of a lift gets a notice (members)',
  }),
};
