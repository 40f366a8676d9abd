import { first, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { Event } from '#features/events/contract.ts';
import { isFor } from '#features/sections/queries.ts';
import type { LockedEvent } from '#features/events/access.ts';
import type { EndedMembership } from '#features/members/store.ts';
import type { Audience } from '#platform/notices/raise.ts';
import type { Vote } from '#features/events/time-contract.ts';
import { answerOfVote } from '#features/events/polls/rules.ts';

/** One of the proposed times of an event. Once the time is fixed, the others no longer exist. */
export const timeOf = (db: Db, { id: event }: LockedEvent, id: string) =>
  first(
    db,
    sql<Pick<Event, 'id' | 'start_time' | 'end_time'>>`
      select id, start_time, end_time from event_times where event_id = ${event} and id = ${id}`,
  );

/** Replaces the votes of a member. An unchanged vote keeps its time, and with it the order in which seats are given. */
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

/** The answers that votes for a time become, as rows of `user_id`, `answer` and `since`. */
export const answersForTime = ({ id, owner_club_id }: LockedEvent, time: string) => sql`
  select v.user_id, ${JSON.stringify(answerOfVote)}::jsonb ->> v.vote as answer, v.voted_at as since
  from time_votes v join members m on m.club_id = ${owner_club_id} and m.user_id = v.user_id
  where v.event_id = ${id} and v.time_id = ${time}`;

/**
 * The members who voted, or those whom the event is for and who did not. A member votes on all remaining times at once, so the votes for
 * one time are enough.
 */
export const voters = ({ id }: LockedEvent, time: string, voted: boolean): Audience => sql`
  select m.user_id from events e join members m on m.club_id = e.owner_club_id and (${voted} or ${isFor('e', 'm')})
  where e.id = ${id} and ${voted} = exists (
    select from time_votes v where v.event_id = ${id} and v.time_id = ${time} and v.user_id = m.user_id)`;

/** Deletes the votes, which have become answers. */
export const deleteVotes = (db: Db, { id }: LockedEvent) =>
  run(db, sql`delete from time_votes where event_id = ${id}`);

/** Removes the votes of a former member on events that have not ended. */
export const onMembershipEnded = (db: Db, { club_id, user_id }: EndedMembership, now: Instant) =>
  run(
    db,
    sql`delete from time_votes v using events e
        where v.user_id = ${user_id} and e.id = v.event_id and e.owner_club_id = ${club_id} and e.end_time > ${now}`,
  );
