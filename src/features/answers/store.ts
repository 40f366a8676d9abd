import { all, byRef, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import type { AnswerList, MemberAnswer } from '#features/answers/contract.ts';
import type { EventInClub, LockedEvent, ReadingRunnerOf } from '#features/events/store.ts';
import type { MyAnswer } from '#features/answers/rules.ts';
import {
  behindName,
  byName,
  lockUpcomingEvents,
  NameKey,
  type EndedMembership,
} from '#features/members/store.ts';
import { debounceSeconds } from '#features/notifications/rules.ts';
import { clubAndEvent, queueEmails } from '#features/notifications/store.ts';

/** A page of the members with one answer, or without any. Past events list the answers of former members too. */
export async function pageOfAnswers(
  db: Db,
  { id, owner_club_id }: ReadingRunnerOf,
  { state, after }: { state: AnswerList; after?: string | undefined },
): Promise<{ answers: MemberAnswer[]; more: string | null }> {
  const people =
    state === 'silent'
      ? sql`select user_id from members m where club_id = ${owner_club_id} and not exists (
          select from answers where event_id = ${id} and user_id = m.user_id)`
      : sql`select user_id from answers where event_id = ${id} and answer = ${state}`;
  const read = await all(
    db,
    sql<MemberAnswer>`
      select u.id, u.first_name, u.last_name, u.profile_picture_url,
        case when a.answer = 'going' then a.attendee_role end as attendee_role,
        coalesce(a.guests, 0) as guests, coalesce(a.note, '') as note, a.answered_at, a.via,
        case when r.id is not null then json_build_object('first_name', r.first_name, 'last_name', r.last_name) end
          as answered_by
      from (${people}) as p join users u on u.id = p.user_id
      left join answers a on a.event_id = ${id} and a.user_id = u.id
      left join users r on r.id = a.by_id
      where true ${behindName(keyIn(NameKey, after))} order by ${byName} limit ${rowsForPage}`,
  );
  const { rows: answers, more } = pageOf(read, (row) => [row.first_name, row.last_name, row.id]);
  return { answers, more };
}

/**
 * Stores the answer of a member, or what `by` answers for them. The time stays when only guests or note change, and with
 * it the order of attendees.
 */
export const saveAnswer = (
  db: Db,
  { id }: LockedEvent,
  user: string,
  { answer, guests, note, by = null }: MyAnswer & { by?: string | null },
  now: Instant,
) =>
  run(
    db,
    sql`
      insert into answers (event_id, user_id, answered_at, answer, guests, note, via, by_id)
      values (${id}, ${user}, ${now}, ${answer}, ${guests}, ${note}, ${by ? 'runner' : 'app'}, ${by})
      on conflict (event_id, user_id) do update set answer = excluded.answer, guests = excluded.guests,
        note = excluded.note, via = excluded.via, by_id = excluded.by_id,
        answered_at = case when answers.answer = excluded.answer then answers.answered_at else excluded.answered_at end`,
  );

/**
 * Enqueues the debounced confirmation email for a user who is going. It is not a notification, because the user signed up
 * themselves. Each answer has its own `about` key, so the debouncing of one user does not delay another.
 */
export const confirmLater = (
  db: Db,
  event: { id: string; owner_club_id: string },
  user: string,
  now: Instant,
) =>
  run(
    db,
    queueEmails(sql`
      select gen_random_uuid(), ${user}::uuid, 'attending', md5(e.id::text || ${user}::text)::uuid, c.id, null::uuid,
        ${clubAndEvent}, ${now}::timestamptz, now() + make_interval(secs => ${debounceSeconds('attending')})
      from events e join clubs c on c.id = e.owner_club_id where e.id = ${event.id}`),
  );

/** What a member can store about an event besides attending. */
type Follow = 'favourite' | 'follower';

const insertInto = {
  favourite: sql`insert into favourites`,
  follower: sql`insert into event_followers`,
};

const deleteFrom = {
  favourite: sql`delete from favourites`,
  follower: sql`delete from event_followers`,
};

/** Locks the membership until commit: a member who is being removed at the same time ends up with no rows. */
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
 * Records that a user's answers to these events change now. SEQUENCE counts seconds, so each change is at least one
 * second later than anything this user's calendar has already. The events must be locked.
 */
export const recordAnswers = (db: Db, user: string, events: readonly string[], now: Instant) =>
  run(
    db,
    sql`insert into answer_changes (user_id, event_id, changed_at)
        select ${user}, e.id, greatest(${now}, e.updated_at + interval '1 second', m.joined_at + interval '1 second')
        from events e left join members m on m.club_id = e.owner_club_id and m.user_id = ${user}
        where e.id = any(${events}::uuid[])
        on conflict (user_id, event_id) do update
          set changed_at = greatest(excluded.changed_at, answer_changes.changed_at + interval '1 second')`,
  );

/** Keeps the rows of users who have joined again: their calendar entries must not fall behind earlier sequences. */
export const deleteAnswersOfFormerMembers = (db: Db, before: Instant) =>
  run(
    db,
    sql`delete from answer_changes a using events e
        where a.left_at < ${before} and e.id = a.event_id
          and not exists (select from members m where m.club_id = e.owner_club_id and m.user_id = a.user_id)`,
  );

const host = (db: Db, events: readonly string[], user: string, now: Instant) =>
  run(
    db,
    sql`insert into answers (event_id, user_id, attendee_role, answered_at)
        select id, ${user}, 'organiser', ${now} from unnest(${events}::uuid[]) as id
        on conflict (event_id, user_id) do update set attendee_role = 'organiser', answer = 'going'`,
  );

/** The creator of events is their host and first attendee. */
export const onEventsCreated = (
  db: Db,
  { ids, host: creator }: { ids: readonly string[]; host: string },
  now: Instant,
) => host(db, ids, creator, now);

/** Members whose answer came from their standing answer; own answers are never among them. */
const byStanding = sql`answers.via = 'standing' and answers.attendee_role = 'attendee'`;

/** Records changed answers `changed`, as `recordAnswers` does. */
const recordChanged = (now: Instant) => sql`
  insert into answer_changes (user_id, event_id, changed_at)
  select changed.user_id, e.id, greatest(${now}::timestamptz, e.updated_at + interval '1 second', m.joined_at + interval '1 second')
  from changed join events e on e.id = changed.event_id
  left join members m on m.club_id = e.owner_club_id and m.user_id = changed.user_id
  order by changed.user_id, e.id
  on conflict (user_id, event_id) do update
    set changed_at = greatest(excluded.changed_at, answer_changes.changed_at + interval '1 second')`;

/**
 * Answers these dates of a series as the standing answers say, of all members or of one. Own answers stay. Returns how
 * many answers changed.
 */
export const answerByStanding = (db: Db, events: readonly string[], now: Instant, user?: string) =>
  run(
    db,
    sql`
      with changed as (
        insert into answers (event_id, user_id, answered_at, answer, guests, via, event_start, event_end)
        select e.id, s.user_id, ${now}::timestamptz, s.answer, least(s.guests, e.guests_max), 'standing', e.start_time,
          e.end_time
        from events e join standing_answers s on s.series_id = e.series_id
        where e.id = any(${events}::uuid[]) and e.deleted_at is null and e.start_time > ${now}
          and (s.answer = 'no' or e.entry_until_time > ${now}) ${user ? sql`and s.user_id = ${user}` : sql``}
        order by e.id, s.since, s.user_id
        on conflict (event_id, user_id) do update
          set answer = excluded.answer, guests = excluded.guests, answered_at = excluded.answered_at
          where ${byStanding} and (answers.answer, answers.guests) is distinct from (excluded.answer, excluded.guests)
        returning event_id, user_id)
      ${recordChanged(now)}`,
  );

/**
 * Takes back the answers that the standing answer of a member gave to coming dates. Returns those of which the member
 * has a calendar file.
 */
export async function takeBackStanding(
  db: Db,
  events: readonly string[],
  user: string,
  now: Instant,
): Promise<string[]> {
  const taken = await all(
    db,
    sql<{ event_id: string; has_file: boolean }>`
      delete from answers using events e
      where e.id = answers.event_id and e.id = any(${events}::uuid[]) and e.start_time > ${now}
        and answers.user_id = ${user} and ${byStanding}
      returning answers.event_id, exists (
        select from calendar_files f where f.event_id = e.id and f.user_id = answers.user_id) as has_file`,
  );
  const idsOf = (rows: typeof taken) => rows.map(({ event_id }) => event_id);
  await recordAnswers(db, user, idsOf(taken), now);
  return idsOf(taken.filter(({ has_file }) => has_file));
}

/**
 * Removes what a former member stored about the events of the club: favourites, follows, and answers to events that have
 * not ended. Their successor hosts those that they hosted.
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
    sql<{ event_id: string; needs_host: boolean }>`
      delete from answers a using events e
      where e.id = a.event_id and e.owner_club_id = ${club_id} and e.end_time > ${now} and a.user_id = ${user_id}
      returning a.event_id, a.attendee_role = 'organiser' and e.deleted_at is null as needs_host`,
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
  const hosted = attended.filter(({ needs_host }) => needs_host).map(({ event_id }) => event_id);
  if (hosted.length === 0) return;
  await host(db, hosted, successor, now);
  await recordAnswers(db, successor, hosted, now);
}
