import { z } from 'zod';
import { Instant } from '#wire/instant.ts';
import { Id } from '#wire/text.ts';
import { PersonName } from '#features/events/people-contract.ts';

/** What follows for the admin who hands over a club: stays an admin, becomes a member, or leaves the club. */
export const Afterwards = z.enum(['stay', 'step_down', 'leave']);
export type Afterwards = z.infer<typeof Afterwards>;

const Person = PersonName.extend({ id: Id });

/** An open offer of an admin to hand over a club to a member. Only the two see it. */
export const Handover = z.object({ from: Person, to: Person, afterwards: Afterwards, until: Instant });
export type Handover = z.infer<typeof Handover>;
