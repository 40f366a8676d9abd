import { z } from 'zod';
import { all, asJson, first, isoTimestamp, sql, type Db } from '#platform/db/client.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import { fail } from '#wire/errors.ts';
import { Instant } from '#wire/instant.ts';
import type { Event } from '#features/events/contract.ts';
import { Vote, type OpenTime, type Voter } from '#features/events/time-contract.ts';

/** The number of offered times of an event that have not passed; 0 once its time is fixed. */
export function timeCount(event: string) {
  const e = sql.ref(event);
  return sql`case when ${e}.polling then (
    select count(*)::int from event_times t where t.event_id = ${e}.id and t.start_time >= ${e}.start_time) else 0 end`;
}

/** Whether the viewer voted on the times of an event. */
export function hasVoted(event: string, viewer: unknown) {
  const e = sql.ref(event);
  return sql`${e}.polling and coalesce((
    select true from time_votes v where v.event_id = ${e}.id and v.user_id = ${viewer} limit 1), false)`;
}

/** The number of voters that the response lists for each time. */
const firstVoters = 20;

/** The order of the votes for one time. */
function byVote(vote: string) {
  const v = sql.ref(vote);
  return sql`array_position(array['yes', 'if_needed', 'no'], ${v}.vote), ${v}.voted_at, ${v}.user_id`;
}

/** The columns of a `StoredVoter`. */
function voterColumns({ vote, user }: Record<'vote' | 'user', string>) {
  const [v, u] = [sql.ref(vote), sql.ref(user)];
  return sql`${u}.id as attendee_id, ${u}.first_name, ${u}.last_name, ${u}.profile_picture_url, ${v}.vote,
    ${isoTimestamp(`${vote}.voted_at`)} as voted_at`;
}

interface StoredVoter extends Voter {
  voted_at: Instant;
}

const VoteKey = z.tuple([Vote, Instant, z.guid()]);
const voteKey = ({ vote, voted_at, attendee_id }: StoredVoter): z.infer<typeof VoteKey> => [
  vote,
  voted_at,
  attendee_id,
];

/**
 * The times of an event that members vote on, as JSON. Each time contains its first voters and one voter more, to know
 * whether a page follows. `is_best` marks the time that suits the most members, or the earliest of several such times.
 */
export function openTimes(event: string, viewer: string, now: Instant) {
  const e = sql.ref(event);
  return asJson(sql`
    select t.id, ${isoTimestamp('t.start_time')} as start_time, ${isoTimestamp('t.end_time')} as end_time, t.yes_count,
      t.if_needed_count, t.no_count, t.start_time > ${now} and t.yes_count + t.if_needed_count > 0 and 1 = row_number() over (
        order by t.start_time > ${now} desc, t.yes_count desc, t.if_needed_count desc, t.start_time, t.end_time) as is_best,
      (select v.vote from time_votes v where v.event_id = t.event_id and v.time_id = t.id and v.user_id = ${viewer}) as my_vote,
      ${asJson(sql`
        select ${voterColumns({ vote: 'v', user: 'u' })} from (
          select * from time_votes v where v.time_id = t.id order by ${byVote('v')} limit ${sql.lit(firstVoters + 1)}) as v
        join users u on u.id = v.user_id order by ${byVote('v')}`)} as voters
    from event_times t where ${e}.polling and t.event_id = ${e}.id order by t.start_time, t.end_time`);
}

function voterPage(read: readonly StoredVoter[], size?: number): { voters: Voter[]; more: string | null } {
  const { rows, more } = pageOf(read, voteKey, size);
  return {
    voters: rows.map((row) => {
      const { voted_at: _, ...voter } = row;
      return voter;
    }),
    more,
  };
}

/** A time of an event as `openTimes` reads it. */
export type StoredTime = Omit<OpenTime, 'voters' | 'more_voters'> & { voters: StoredVoter[] };

export const withCursor = ({ voters: read, ...time }: StoredTime): OpenTime => {
  const { voters, more } = voterPage(read, firstVoters);
  return { ...time, voters, more_voters: more };
};

/** The times of an event with their votes. */
export async function timesOfEvent(
  db: Db,
  viewer: string,
  { id }: Pick<Event, 'id'>,
  now: Instant,
): Promise<Pick<Event, 'times'>> {
  const found = await first(
    db,
    sql<{
      times: StoredTime[];
    }>`select ${openTimes('e', viewer, now)} as times from events e where id = ${id}`,
  );
  return { times: (found ?? fail('not_found')).times.map(withCursor) };
}

/** A page of the voters of a time of an event. */
export async function pageOfVoters(
  db: Db,
  { id }: Pick<Event, 'id'>,
  { time, after }: { time: string; after?: string | undefined },
): Promise<{ voters: Voter[]; more: string | null }> {
  const [vote, at, user] = keyIn(VoteKey, after) ?? [];
  const behind = vote
    ? sql`and (${byVote('v')}) > (array_position(array['yes', 'if_needed', 'no'], ${vote}::text), ${at}::timestamptz, ${user}::uuid)`
    : sql``;
  const read = await all(
    db,
    sql<StoredVoter>`
      select ${voterColumns({ vote: 'v', user: 'u' })} from time_votes v join users u on u.id = v.user_id
      where v.event_id = ${id} and v.time_id = ${time} ${behind} order by ${byVote('v')} limit ${sql.lit(rowsForPage)}`,
  );
  return voterPage(read);
}
