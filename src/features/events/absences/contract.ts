import { z } from 'zod';
import { Day } from '#wire/day.ts';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id } from '#wire/text.ts';

/** The days on which a user is away, in the time zone of each event. */
export const Absence = z.object({ id: Id, first_on: Day, last_on: Day });
export type Absence = z.infer<typeof Absence>;

const Days = Absence.omit({ id: true });

/** An absence after it was saved. */
export const SavedAbsence = z.object({
  away: Absence,
  /** The number of coming events on these days that the absence answers. */
  answered: z.int(),
  /** The coming events on these days to which the user has said that they are going, the earliest first. */
  going: z.array(
    z.object({
      slug: z.string(),
      name: z.string(),
      club_name: z.string(),
      start_time: Instant,
      time_zone: z.string(),
      /** Hosts cannot say that they are not going. */
      is_host: z.boolean(),
    }),
  ),
});
export type SavedAbsence = z.infer<typeof SavedAbsence>;

export const absences = {
  list: endpoint({
    method: 'GET',
    path: '/v1/users/away',
    input: z.object({}),
    output: z.array(Absence),
    summary: 'The own absences that have not been deleted yet, the earliest first',
  }),
  add: endpoint({
    method: 'POST',
    path: '/v1/users/away',
    input: Days,
    output: SavedAbsence,
    ownTransactions: true,
    needsData: true,
    errors: ['too_many_absences', 'too_often'],
    summary: 'Say that one is away on these days. Saving the same days again changes nothing',
  }),
  change: endpoint({
    method: 'PUT',
    path: '/v1/users/away/:away',
    input: Days.extend({ away: Id }),
    output: SavedAbsence,
    ownTransactions: true,
    needsData: true,
    errors: ['too_often'],
    summary: 'Change the days of an own absence',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/users/away/:away',
    input: z.object({ away: Id }),
    output: z.null(),
    ownTransactions: true,
    only: 200,
    summary: 'Delete an own absence, and take back the answers that it gave',
  }),
};
