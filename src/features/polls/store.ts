import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { Event } from '#features/events/contract.ts';
import type { LockedEvent } from '#features/events/access.ts';
import type { EndedMembership } from '#features/members/store.ts';
import type { Vote } from '#features/polls/contract.ts';

/** One of the times of an event; the only one once it is fixed. */
export const timeOf = (db: Db, { id: event }: LockedEvent, id: string) =>
  first(
    db,
    sql<Pick<Event, 'id' | 'start_time' | 'end_time'>>`
      select id, start_time, end_time from event_times where event_id = ${event} and id = ${id}`,
  );

/** Replaces the votes of a member. One that stays the same keeps its time, and with it the turn for a seat. */
export const saveVotes = (
  db: Db,
  { id }: LockedEvent,
  user: string,
  votes: readonly { time: string; vote: Vote }[],
  now: Instant,
) =>
  run(
    db,
    sql`
      insert into time_votes (event_id, time_id, user_id, vote, voted_at)
      select ${id}, time, ${user}, vote, ${now}
      from unnest(${votes.map(({ time }) => time)}::uuid[], ${votes.map(({ vote }) => vote)}::text[]) as v (time, vote)
      on conflict (event_id, time_id, user_id) do update set vote = excluded.vote, voted_at = excluded.voted_at
        where time_votes.vote <> excluded.vote`,
  );

interface StoredVote {
  user_id: string;
  vote: Vote;
  voted_at: Instant;
  /** Whether the member has an answer, such as the host. */
  has_answer: boolean;
}

/** The votes for a time, in the order of voting. */
export const votesFor = (db: Db, { id, owner_club_id }: LockedEvent, time: string): Promise<StoredVote[]> =>
  all(
    db,
    sql<StoredVote>`
      select v.user_id, v.vote, v.voted_at,
        exists (select from answers a where a.event_id = ${id} and a.user_id = v.user_id) as has_answer
      from time_votes v join members m on m.club_id = ${owner_club_id} and m.user_id = v.user_id
      where v.event_id = ${id} and v.time_id = ${time} order by v.voted_at, v.user_id`,
  );

/** Everybody who voted on the time of an event. */
export async function votersOf(db: Db, { id }: LockedEvent): Promise<string[]> {
  const voters = await all(
    db,
    sql<{ user_id: string }>`select distinct user_id from time_votes where event_id = ${id}`,
  );
  return voters.map(({ user_id }) => user_id);
}

/** Votes have become answers. */
export const deleteVotes = (db: Db, { id }: LockedEvent) =>
  run(db, sql`delete from time_votes where event_id = ${id}`);

/** Removes the votes of a former member on events that have not ended. */
export const onMembershipEnded = (db: Db, { club_id, user_id }: EndedMembership, now: Instant) =>
  run(
    db,
    sql`delete from time_votes v using events e
        where v.user_id = ${user_id} and e.id = v.event_id and e.owner_club_id = ${club_id} and e.end_time > ${now}`,
  );
