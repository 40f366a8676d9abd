import type { RawBuilder } from 'kysely';
import { sql } from '#platform/db/client.ts';

/**
 * The 'going' answers. Every query for attendees selects from this subquery. It is not in `answers/`, because events
 * are read together with their answers.
 */
export const going = sql`(select * from answers where answer = 'going')`;

/** The role of the member who gave an answer. Hosts have a number, see `my_host_no`. */
export const roleOf = (answer: string) =>
  sql`case when ${sql.ref(answer)}.host_no is not null then 'organiser' else 'attendee' end`;

/** The last change of the times of an event: one row of `event_changes`, or none. */
export function lastMove(event: string) {
  const e = sql.ref(event);
  return sql`(
    select * from event_changes
    where event_id = ${e}.id and ${e}.sequence > 0 and undone_at is null and (before ? 'start_time' or before ? 'end_time')
    order by changed_at desc limit 1)`;
}

/** The start of an event before the last change of its times. Null without a change, or if it kept the start. */
export const movedFrom = (event: string) => sql`(select h.before->'start_time' from ${lastMove(event)} as h)`;

const lastAskWhere = (condition: ReturnType<typeof sql>) => sql`
  from event_changes where ${condition} and undone_at is null and asked_again order by changed_at desc limit 1`;

/**
 * The last change for which people were asked to confirm their answers to the event with this id: one row of
 * `event_changes`, or none.
 */
export const lastAsk = (event: string) => sql`(select * ${lastAskWhere(sql`event_id = ${sql.ref(event)}`)})`;

/**
 * The `lastAsk` of an event, as `asked_at`, `asked_by` and `asked_about`. Join it with `left join lateral … on true`.
 * Most events were never edited: because of the condition on `sequence`, nothing is read for them.
 */
export function askOf(event: string) {
  const e = sql.ref(event);
  return sql`(
    select changed_at as asked_at, actor_id as asked_by, after as asked_about
    ${lastAskWhere(sql`event_id = ${e}.id and ${e}.sequence > 0`)})`;
}

/**
 * The hash of the note of an answer, keyed by a secret of its author's membership, so that it tells nothing once the
 * membership has ended. Empty for an empty note.
 */
export function hashOfNote({ answer, member }: Record<'answer' | 'member', string>) {
  const [a, m] = [sql.ref(answer), sql.ref(member)];
  return sql`case when ${a}.note <> '' then encode(sha256(convert_to(${m}.answer_key || ${a}.note, 'UTF8')), 'hex') else '' end`;
}

/** Whether an answer comes from a standing answer or an absence. False for hosts, who are going as hosts. */
export function isGiven(answer: string) {
  const a = sql.ref(answer);
  return sql`(${a}.via in ('standing', 'away') and ${a}.host_no is null)`;
}

/** When an answer, its guests, its note or its reply last changed. */
export const changedAt = (answer: string) =>
  sql`greatest(${sql.ref(`${answer}.answered_at`)}, ${sql.ref(`${answer}.changed_at`)})`;

/** When an answer was given or last confirmed. */
export const confirmedAt = (answer: string) =>
  sql`greatest(${sql.ref(`${answer}.answered_at`)}, ${sql.ref(`${answer}.confirmed_at`)})`;

/**
 * The answers 'going', 'waiting' and 'maybe' that were given before people were last asked to confirm and were not
 * confirmed since, as rows of `answers`. The admin who asked does not have to confirm.
 */
export const unconfirmed = sql`(
  select a.* from answers a cross join lateral ${lastAsk('a.event_id')} as h
  where a.answer in ('going', 'waiting', 'maybe') and ${confirmedAt('a')} <= h.changed_at
    and a.user_id is distinct from h.actor_id)`;

/** The reply to `question` in an answer. Empty while there is no question, and for members who do not come. */
export function shownReply(answer: string, question: RawBuilder<unknown>) {
  const a = sql.ref(answer);
  return sql`case when ${question} <> '' and ${a}.answer <> 'no' then ${a}.reply else '' end`;
}

/**
 * The fields that were edited for this date alone, as an array of text. Edits of the series leave these fields as they
 * are.
 */
export const ownFields = (event: string) => sql`array(
  select jsonb_object_keys(before) from event_changes
  where event_id = ${sql.ref(event)} and kind = 'edit' and undone_at is null and not of_series)`;
