import { all, byRef, first, run, sql, type Db } from '#platform/db/client.ts';
import { raise } from '#platform/notices/raise.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import { seatFree, seatGiven } from '#features/events/answers/notices.ts';
import type { MemberAnswer } from '#features/events/answers/contract.ts';
import { answersOfVotes, runnersOf, waitlistsOf } from '#features/events/answers/queries.ts';
import { type EventInClub, type HostsEditorOf, type LockedEvent } from '#features/events/access.ts';
import { going } from '#features/events/answer-queries.ts';
import { recordFreeSeatNotice } from '#features/events/store.ts';
import { whoMovesUp, type GivenAnswer, type MyAnswer } from '#features/events/answers/rules.ts';
import { membersAmong } from '#features/members/queries.ts';
import { lockUpcomingEvents, type EndedMembership } from '#features/members/store.ts';

/** An answer to store. */
export interface StoredAnswer extends MyAnswer {
  /** Whether the answer takes seats beyond the capacity. */
  over?: boolean;
  via: MemberAnswer['via'];
  /** The runner who answers for the member. */
  by?: string | undefined;
  /** The time of an answer that is restored. */
  since?: Instant | undefined;
  /** Whether the answer changes what the member's calendar shows. */
  isChanged: boolean;
}

/**
 * Stores the answer of a member. Repeating an answer keeps its time, and with it the order of attendees. A member who
 * brings fewer guests keeps the place on the waitlist; a member who brings more loses it. The event is locked, so no
 * other transaction can insert an answer, and no upsert is needed. An upsert would run the triggers of both an insert
 * and an update.
 */
export function saveAnswer(
  db: Db,
  { id, must_confirm, my_answer, my_guests, my_note, my_reply }: LockedEvent,
  user: string,
  { answer, guests, note, reply, lets_pass, over = false, via, by, since, isChanged }: StoredAnswer,
  now: Instant,
) {
  const [given, isWaiting, isSame] = [since ?? now, answer === 'waiting', answer === my_answer];
  const isNew = isChanged || note !== my_note || reply !== my_reply;
  const place = isWaiting
    ? sql`(select coalesce(max(place), 0) + 1 from answers where event_id = ${id} and answer = 'waiting')`
    : sql`null`;
  const insert = sql`
    insert into answers (event_id, user_id, answered_at, answer, guests, note, reply, place, lets_pass, over, via, by_id)
    values (${id}, ${user}, ${given}, ${answer}, ${guests}, ${note}, ${reply}, ${place}, ${isWaiting && lets_pass}, ${over}, ${via},
      ${by ?? null})`;
  const update = sql`
    update answers set answer = ${answer}, guests = ${guests}, note = ${note}, reply = ${reply}, lets_pass = ${isWaiting && lets_pass},
      via = ${via}, by_id = ${by ?? null}, over = ${over} or over and ${answer === 'going'}
      ${isNew ? sql`, changed_at = ${since ? null : now}` : sql``} ${isSame ? sql`` : sql`, answered_at = ${given}`} ${isSame && must_confirm ? sql`, confirmed_at = ${now}` : sql``}
      ${isSame && guests <= my_guests ? sql`` : sql`, place = ${place}`}
    where event_id = ${id} and user_id = ${user}`;
  return run(
    db,
    sql`
      with saved as (${my_answer === null ? insert : update} returning user_id, event_id)
      ${recordChanges(sql`(select * from saved where ${isChanged})`, now)}`,
  );
}

/** Removes the confirmation of an answer, which the member then has to confirm again. */
export const removeConfirmation = (db: Db, { id }: LockedEvent, user: string) =>
  run(db, sql`update answers set confirmed_at = null where event_id = ${id} and user_id = ${user}`);

/** Removes the answer of a member. */
export const deleteAnswer = (db: Db, { id }: LockedEvent, user: string) =>
  run(db, sql`delete from answers where event_id = ${id} and user_id = ${user} and host_no is null`);

/**
 * Gives the free seats of these events, which must be locked, to the members on their waitlists, with a notice. After
 * the cut-off, the runners get a notice of the free seat instead, once for each event. Former members are skipped,
 * because the previous release leaves their answers in place.
 */
export async function moveUp(db: Db, events: readonly string[], now: Instant): Promise<void> {
  const waitlists = await waitlistsOf(db, events, now);
  for (const { event_id, club_id, free, is_closed, waiting } of waitlists) {
    const raised = { facts: { event_id }, now };
    if (is_closed) {
      if (await recordFreeSeatNotice(db, event_id)) await raise(db, seatFree, raised, runnersOf(event_id));
      continue;
    }
    const seated = whoMovesUp(waiting, free);
    if (seated.length === 0) continue;
    await run(
      db,
      sql`
        with seated as (
          update answers set answer = 'going', place = null, lets_pass = false, answered_at = ${now}
          where event_id = ${event_id} and user_id = any(${seated}::uuid[])
          returning user_id, event_id)
        ${recordChanges(sql`seated`, now)}`,
    );
    await raise(db, seatGiven, raised, membersAmong(club_id, seated));
  }
}

/** The ways to follow an event without attending it. */
type Follow = 'favourite' | 'follower';

const insertInto = {
  favourite: sql`insert into favourites`,
  follower: sql`insert into event_followers`,
};

const deleteFrom = {
  favourite: sql`delete from favourites`,
  follower: sql`delete from event_followers`,
};

/** Locks the membership until commit, so that a member who is removed concurrently ends up with no rows. */
export const addFollow = (db: Db, as: Follow, { id, owner_club_id }: EventInClub, user: string) =>
  run(
    db,
    sql`${insertInto[as]} (event_id, user_id)
        select ${id}::uuid, user_id from members where club_id = ${owner_club_id} and user_id = ${user} for key share
        on conflict do nothing`,
  );

export const removeFollow = (db: Db, as: Follow, ref: string, user: string) =>
  run(
    db,
    sql`${deleteFrom[as]} kept using events
        where events.id = kept.event_id and kept.user_id = ${user} and ${byRef('events', ref)}`,
  );

/**
 * Records that these answers, rows of `user_id` and `event_id`, change now. The SEQUENCE of calendar entries counts
 * seconds, so each change is at least one second later than anything that the user's calendar already contains. The
 * events must be locked.
 */
const recordChanges = (answers: ReturnType<typeof sql>, now: Instant) => sql`
  insert into answer_changes (user_id, event_id, changed_at)
  select a.user_id, e.id, greatest(${now}, e.updated_at + interval '1 second', (
    select joined_at + interval '1 second' from members m
    where m.club_id = e.owner_club_id and m.user_id = a.user_id))
  from ${answers} as a join events e on e.id = a.event_id
  on conflict (user_id, event_id) do update
    set changed_at = greatest(excluded.changed_at, answer_changes.changed_at + interval '1 second')`;

export const recordAnswers = (db: Db, user: string, events: readonly string[], now: Instant) =>
  run(db, recordChanges(sql`(select ${user}::uuid as user_id, unnest(${events}::uuid[]) as event_id)`, now));

/** Keeps the rows of users who have joined again, because the SEQUENCE of their calendar entries must not decrease. */
export const deleteAnswersOfFormerMembers = (db: Db, before: Instant) =>
  run(
    db,
    sql`delete from answer_changes a using events e
        where a.left_at < ${before} and e.id = a.event_id
          and not exists (select from members m where m.club_id = e.owner_club_id and m.user_id = a.user_id)`,
  );

/**
 * Makes these users, who do not host the events yet, going to them and their hosts, numbered from `number` on. A host who
 * was not going gets a seat even if none is free.
 */
const host = (db: Db, events: readonly string[], users: readonly string[], number: number, now: Instant) =>
  run(
    db,
    sql`insert into answers (event_id, user_id, host_no, answered_at, over)
        select e.id, h.user_id, ${number}::int - 1 + h.nth, ${now}, coalesce(e.capacity < h.nth + (
          select coalesce(sum(1 + guests), 0) from ${going} a where a.event_id = e.id), false)
        from events e, unnest(${users}::uuid[]) with ordinality as h (user_id, nth)
        where e.id = any(${events}::uuid[])
        on conflict (event_id, user_id) do update set host_no = excluded.host_no, answer = 'going', place = null,
          lets_pass = false,
          over = answers.over or answers.answer <> 'going' and (excluded.over or answers.guests > 0)`,
  );

/** Makes a member the first host. The former first host stays going and is no host any more; their id is returned. */
export async function handOver(
  db: Db,
  { id }: HostsEditorOf,
  user: string,
  now: Instant,
): Promise<string | undefined> {
  // This comes first, because an event can have only one first host.
  const former = await first(
    db,
    sql<{ user_id: string }>`
      update answers set host_no = null where event_id = ${id} and host_no = 1 returning user_id`,
  );
  await host(db, [id], [user], 1, now);
  return former?.user_id;
}

/** Makes a member the host with this number, which must be free. */
export const addHost = (db: Db, { id }: HostsEditorOf, user: string, number: number, now: Instant) =>
  host(db, [id], [user], number, now);

/** Removes a host, who stays going. Without the first host, the next one becomes the first. */
export async function removeHost(db: Db, { id }: HostsEditorOf, user: string): Promise<void> {
  await run(db, sql`update answers set host_no = null where event_id = ${id} and user_id = ${user}`);
  const [hasHost] = await moveUpHosts(db, [id]);
  if (!hasHost) fail('last_host');
}

/**
 * Makes the host with the lowest number the first host of each of these events, unless that host is it already. Returns
 * the ids of the events that have a host.
 */
async function moveUpHosts(db: Db, events: readonly string[]): Promise<string[]> {
  const hosts = await all(
    db,
    sql<{ event_id: string }>`
      with next as (
        select event_id, min(host_no) as host_no from answers
        where event_id = any(${events}::uuid[]) and host_no is not null group by event_id),
      moved as (
        update answers a set host_no = 1 from next
        where a.event_id = next.event_id and a.host_no = next.host_no and next.host_no > 1)
      select event_id from next`,
  );
  return hosts.map(({ event_id }) => event_id);
}

/** The hosts of new events are their first attendees. */
export const onEventsCreated = (
  db: Db,
  { ids, hosts }: { ids: readonly string[]; hosts: readonly string[] },
  now: Instant,
) => host(db, ids, hosts, 1, now);

/** Stores given answers, and deletes those that are taken back. The events must be locked. */
export const saveGiven = (db: Db, answers: readonly GivenAnswer[], now: Instant) =>
  run(
    db,
    sql`
      with given as (
        select * from jsonb_to_recordset(${JSON.stringify(answers)}::jsonb)
          as a (event_id uuid, user_id uuid, answer text, guests smallint, place int, via text)),
      saved as (
        insert into answers (event_id, user_id, answered_at, answer, guests, place, via)
        select event_id, user_id, ${now}, answer, guests, place, via from given where answer is not null
        on conflict (event_id, user_id) do update set answer = excluded.answer, guests = excluded.guests,
          place = excluded.place, via = excluded.via, answered_at = excluded.answered_at,
          lets_pass = answers.lets_pass and excluded.answer = 'waiting', over = answers.over and excluded.answer = 'going'
        returning user_id, event_id),
      taken_back as (
        delete from answers a using given g
        where g.answer is null and a.event_id = g.event_id and a.user_id = g.user_id
        returning a.user_id, a.event_id)
      ${recordChanges(sql`(select * from saved union all select * from taken_back)`, now)}`,
  );

/**
 * Turns `votes`, which are rows of `user_id`, `answer` and `since`, into answers of members who have not answered. Free
 * seats go to the members who voted first. Nobody is waiting for the event yet.
 */
export const answerByVotes = (db: Db, event: LockedEvent, votes: ReturnType<typeof sql>, now: Instant) =>
  run(
    db,
    sql`
      with voted as (${answersOfVotes(event, votes)}),
      saved as (
        insert into answers (event_id, user_id, answered_at, answer, place, via)
        select ${event.id}, user_id, since, case when place is null then answer else 'waiting' end, place, 'app'
        from voted where ${event.waitlist} or place is null
        returning user_id, event_id)
      ${recordChanges(sql`saved`, now)}`,
  );

/**
 * Removes the favourites and follows of a former member in the club, and their answers to events that have not ended.
 * The next hosts take their place, or else their successor, and the seats that become free go to the waitlists.
 */
export async function onMembershipEnded(
  db: Db,
  { club_id, user_id, successor }: EndedMembership,
  now: Instant,
): Promise<void> {
  const inThisClub = sql`user_id = ${user_id} and event_id in (select id from events where owner_club_id = ${club_id})`;
  for (const start of Object.values(deleteFrom)) await run(db, sql`${start} where ${inThisClub}`);
  await lockUpcomingEvents(db, club_id, now);
  const attended = await all(
    db,
    sql<{ event_id: string; host_no: number | null; is_cancelled: boolean }>`
      delete from answers a using events e
      where e.id = a.event_id and e.owner_club_id = ${club_id} and e.end_time > ${now} and a.user_id = ${user_id}
      returning a.event_id, a.host_no, e.deleted_at is not null as is_cancelled`,
  );
  const emailed = await all(
    db,
    sql<{ event_id: string }>`select distinct event_id from calendar_files where ${inThisClub}`,
  );
  await recordAnswers(
    db,
    user_id,
    [...new Set([...attended, ...emailed].map(({ event_id }) => event_id))],
    now,
  );
  await run(db, sql`update answer_changes set left_at = ${now} where ${inThisClub}`);
  const hosted = attended.filter(({ host_no }) => host_no === 1);
  if (hosted.length > 0) {
    const idsOf = (events: typeof hosted) => events.map(({ event_id }) => event_id);
    const withHost = new Set(await moveUpHosts(db, idsOf(hosted)));
    const orphaned = idsOf(hosted.filter((event) => !event.is_cancelled && !withHost.has(event.event_id)));
    await host(db, orphaned, [successor], 1, now);
    await recordAnswers(db, successor, orphaned, now);
  }
  await moveUp(
    db,
    attended.map(({ event_id }) => event_id),
    now,
  );
}
