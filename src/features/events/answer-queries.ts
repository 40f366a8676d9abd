import type { RawBuilder } from 'kysely';
import { sql } from '#platform/db/client.ts';

/**
 * The answers of the people who are going. Every read of who attends starts from it. It is here because events are read with
 * their answers.
 */
export const going = sql`(select * from answers where answer = 'going')`;

/** The last change of the times of an event `e`, if any. */
export const lastMove = sql`(
  select * from event_changes
  where event_id = e.id and e.sequence > 0 and undone_at is null and (before ? 'start_time' or before ? 'end_time')
  order by changed_at desc limit 1)`;

/** The start of an event `e` before the last change of its times, unless only its end changed. */
export const movedFrom = sql`(select h.before->'start_time' from ${lastMove} as h)`;

const lastAskWhere = (condition: RawBuilder<unknown>) => sql`
  from event_changes where ${condition} and undone_at is null and asked_again order by changed_at desc limit 1`;

/** The last time that people were asked to confirm their answers to an event, if ever. */
export const lastAsk = (event: string) => sql`(select * ${lastAskWhere(sql`event_id = ${sql.ref(event)}`)})`;

/** The last ask about an event, as `ask`. Most events were never edited: nothing is read for them. */
export const withLastAsk = (event = 'e') => sql`
  left join lateral (
    select changed_at as asked_at, actor_id as asked_by, after as asked_about
    ${lastAskWhere(sql`event_id = ${sql.ref(`${event}.id`)} and ${sql.ref(`${event}.sequence`)} > 0`)}) as ask on true`;

/** When an answer was given, or confirmed since. */
export const confirmedAt = (answer: string) =>
  sql`greatest(${sql.ref(`${answer}.answered_at`)}, ${sql.ref(`${answer}.confirmed_at`)})`;

/** The answers of those who may come, but have not confirmed it since they were last asked. */
export const unconfirmed = sql`(
  select a.* from answers a cross join lateral ${lastAsk('a.event_id')} as h
  where a.answer in ('going', 'waiting', 'maybe') and ${confirmedAt('a')} <= h.changed_at
    and a.user_id is distinct from h.actor_id)`;
