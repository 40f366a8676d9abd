import { randomUUID } from 'node:crypto';
import { all, byRef, first, run, sql, type Db } from '#platform/db/client.ts';
import type { Identity } from '#platform/context.ts';
import type { Instant } from '#wire/instant.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import type { AnswerList, MemberAnswer } from '#features/answers/contract.ts';
import { clock } from '#features/auth/store.ts';
import type { Event } from '#features/events/contract.ts';
import { myPlace, waitingCount } from '#features/events/queries.ts';
import {
  tellOfFreeSeat,
  type EventInClub,
  type LockedEvent,
  type NextHostOf,
  type ReadingRunnerOf,
} from '#features/events/store.ts';
import { whoMovesUp, type MyAnswer, type Waiting } from '#features/answers/rules.ts';
import {
  behindName,
  byName,
  lockUpcomingEvents,
  NameKey,
  type EndedMembership,
} from '#features/members/store.ts';
import { debounceSeconds } from '#features/notifications/rules.ts';
import { unconfirmed } from '#features/notifications/queries.ts';
import { clubAndEvent, going, notify, queueEmails } from '#features/notifications/store.ts';

/**
 * A page of the members with one answer, or without any. Past events list the answers of former members too. The next page
 * of a waitlist starts again if the last member of this one has left it meanwhile.
 */
export async function pageOfAnswers(
  db: Db,
  { id, owner_club_id }: ReadingRunnerOf,
  { state, after }: { state: AnswerList; after?: string | undefined },
): Promise<{ answers: MemberAnswer[]; more: string | null }> {
  const isWaitlist = state === 'waiting';
  const rank = isWaitlist ? sql`rank() over (order by place)` : sql`null`;
  const people =
    state === 'silent'
      ? sql`select user_id, null as rank from members m where club_id = ${owner_club_id} and not exists (
          select from answers where event_id = ${id} and user_id = m.user_id)`
      : state === 'unconfirmed'
        ? sql`select user_id, null as rank from ${unconfirmed} as a where event_id = ${id}`
        : sql`select user_id, ${rank} as rank from answers where event_id = ${id} and answer = ${state}`;
  const key = keyIn(NameKey, after);
  const behindPlace = sql`and a.place > coalesce(
    (select place from answers where event_id = ${id} and user_id = ${key?.[2]}), 0)`;
  const read = await all(
    db,
    sql<MemberAnswer>`
      select u.id, u.first_name, u.last_name, u.profile_picture_url,
        case when a.answer = 'going' then a.attendee_role end as attendee_role,
        coalesce(a.guests, 0) as guests, coalesce(a.note, '') as note, p.rank::int as place,
        coalesce(a.lets_pass, false) as lets_pass, coalesce(a.over, false) as over, a.answered_at, a.via,
        case when r.id is not null then json_build_object('first_name', r.first_name, 'last_name', r.last_name) end
          as answered_by
      from (${people}) as p join users u on u.id = p.user_id
      left join answers a on a.event_id = ${id} and a.user_id = u.id
      left join users r on r.id = a.by_id
      where true ${isWaitlist && key ? behindPlace : behindName(key)}
      order by ${isWaitlist ? sql`a.place` : byName} limit ${rowsForPage}`,
  );
  const { rows: answers, more } = pageOf(read, (row) => [row.first_name, row.last_name, row.id]);
  return { answers, more };
}

/** What an answer link is about: an event as its member sees it, and the secret that the token must depend on. */
export interface LinkedEvent
  extends
    Pick<
      Event,
      'id' | 'slug' | 'name' | 'club_name' | 'location_name' | 'start_time' | 'end_time' | 'time_zone'
    >,
    Pick<Event, 'entry_until_time' | 'deleted_at' | 'guests_max' | 'capacity' | 'waitlist' | 'seats_left'>,
    Pick<Event, 'user_count' | 'guest_count' | 'waiting_count'>,
    Pick<Event, 'my_role' | 'my_answer' | 'my_guests' | 'my_place'> {
  user_id: string;
  first_name: string;
  answer_key: string;
}

/** The member and the event of a token that may be forged, if there are such. `clockOffset` is 0 outside of tests. */
export async function findLink(
  db: Db,
  [user, event]: readonly [string | null, string | null],
  clockOffset = 0,
): Promise<Identity & { link?: LinkedEvent }> {
  const row = await first(
    db,
    sql<{ now: Instant } & (LinkedEvent | { id: null })>`
      select clock.now, e.id, e.slug, e.name, c.club_name, e.location_name, e.start_time, e.end_time, e.time_zone,
        e.entry_until_time, e.deleted_at, e.guests_max, m.user_id, m.answer_key, u.first_name,
        case when mine.answer = 'going' then mine.attendee_role end as my_role, mine.answer as my_answer,
        coalesce(mine.guests, 0) as my_guests, ${myPlace} as my_place, e.capacity, e.waitlist, g.user_count,
        g.guest_count, ${waitingCount('e.id')} as waiting_count,
        case when e.capacity is not null then greatest(0, e.capacity - g.user_count - g.guest_count) end as seats_left
      from ${clock(clockOffset)} as clock
      left join (events e join clubs c on c.id = e.owner_club_id join members m on m.club_id = c.id
        join users u on u.id = m.user_id) on e.id = ${event} and m.user_id = ${user}
      left join answers mine on mine.event_id = e.id and mine.user_id = m.user_id
      cross join lateral (
        select count(*)::int as user_count, coalesce(sum(guests), 0)::int as guest_count
        from ${going} a where a.event_id = e.id) as g`,
  );
  const { now, ...link } = row as { now: Instant } & (LinkedEvent | { id: null });
  return link.id === null ? { now } : { now, link };
}

/** An answer to store. */
export interface StoredAnswer extends MyAnswer {
  /** Whether it takes seats beyond the capacity. */
  over?: boolean;
  via: MemberAnswer['via'];
  /** The organiser who answers for the member. */
  by?: string | undefined;
  /** The time of an answer that is restored. */
  since?: Instant | undefined;
  /** Whether it changes what the member's calendar shows. */
  isChanged: boolean;
}

/**
 * Stores the answer of a member. The time stays when only guests or note change, and with it the order of attendees, unless
 * the answer has to be confirmed. Fewer guests keep the place on the waitlist, more guests lose it.
 */
export const saveAnswer = (
  db: Db,
  { id, must_confirm }: LockedEvent,
  user: string,
  { answer, guests, note, lets_pass, over = false, via, by, since, isChanged }: StoredAnswer,
  now: Instant,
) =>
  run(
    db,
    sql`
      with saved as (
        insert into answers (event_id, user_id, answered_at, answer, guests, note, place, lets_pass, over, via, by_id)
        values (${id}, ${user}, ${since ?? now}, ${answer}, ${guests}, ${note},
          case when ${answer}::text = 'waiting' then
            (select coalesce(max(place), 0) + 1 from answers where event_id = ${id} and answer = 'waiting') end,
          ${answer === 'waiting' && lets_pass}, ${over}, ${via}, ${by ?? null})
        on conflict (event_id, user_id) do update set answer = excluded.answer, guests = excluded.guests,
          note = excluded.note, via = excluded.via, by_id = excluded.by_id, lets_pass = excluded.lets_pass,
          place = case when answers.answer = excluded.answer and excluded.guests <= answers.guests then answers.place
            else excluded.place end,
          over = excluded.over or answers.over and excluded.answer = 'going',
          answered_at = case when answers.answer = excluded.answer and not ${must_confirm} then answers.answered_at else excluded.answered_at end)
      ${answerChanges(isChanged ? [user] : [], [id], now)}`,
  );

/** The member has not answered any more. */
export const deleteAnswer = (db: Db, { id }: LockedEvent, user: string) =>
  run(
    db,
    sql`delete from answers where event_id = ${id} and user_id = ${user} and attendee_role = 'attendee'`,
  );

/** An event with a waitlist, in its order. `free` seats are null without a limit. */
interface Waitlist {
  event_id: string;
  club_id: string;
  free: number | null;
  is_closed: boolean;
  waiting: Waiting[];
}

/** Admins of the club `m`, and the host of its event `e`. */
const runners = sql<boolean>`(m.club_role = 200 or exists (
  select from answers a where a.event_id = e.id and a.user_id = m.user_id and a.attendee_role = 'organiser'))`;

/**
 * Gives the free seats of these events, which must be locked, to their waitlists, and tells who got one. From the cut-off
 * on, it tells the organisers of a free seat instead, once for each event. The release before leaves the answers of people
 * who left the club.
 */
export async function moveUp(db: Db, events: readonly string[], now: Instant): Promise<void> {
  const waitlists = await all(
    db,
    sql<Waitlist>`
      select e.id as event_id, e.owner_club_id as club_id, e.capacity - taken.seats as free,
        e.entry_until_time <= ${now} as is_closed, queue.waiting
      from events e
      cross join lateral (
        select coalesce(sum(1 + guests), 0)::int as seats from ${going} a where a.event_id = e.id) as taken
      cross join lateral (
        select json_agg(json_build_object('user_id', a.user_id, 'guests', a.guests, 'lets_pass', a.lets_pass)
          order by a.place) as waiting
        from answers a join members m on m.club_id = e.owner_club_id and m.user_id = a.user_id
        where a.event_id = e.id and a.answer = 'waiting') as queue
      where e.id = any(${events}::uuid[]) and e.deleted_at is null and e.end_time > ${now}
        and queue.waiting is not null and (e.capacity is null or e.capacity > taken.seats)`,
  );
  for (const { event_id, club_id, free, is_closed, waiting } of waitlists) {
    const about = { actor: null, club_id, event_id, cause: randomUUID(), now };
    if (is_closed) {
      if (await tellOfFreeSeat(db, event_id)) await notify(db, { ...about, kind: 'seat_free' }, runners);
      continue;
    }
    const seated = whoMovesUp(waiting, free);
    if (seated.length === 0) continue;
    await run(
      db,
      sql`
        with seated as (
          update answers set answer = 'going', place = null, lets_pass = false, answered_at = ${now}
          where event_id = ${event_id} and user_id = any(${seated}::uuid[]))
        ${answerChanges(seated, [event_id], now)}`,
    );
    await notify(db, { ...about, kind: 'seat_given' }, sql<boolean>`m.user_id = any(${seated}::uuid[])`);
  }
}

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
 * Records that the answers of these users to these events change now. SEQUENCE counts seconds, so each change is at least
 * one second later than anything the calendar of the user has already. The events must be locked.
 */
const answerChanges = (users: readonly string[], events: readonly string[], now: Instant) => sql`
  insert into answer_changes (user_id, event_id, changed_at)
  select u.id, e.id, greatest(${now}, e.updated_at + interval '1 second', m.joined_at + interval '1 second')
  from events e cross join unnest(${users}::uuid[]) as u (id)
  left join lateral (
    select joined_at from members where club_id = e.owner_club_id and user_id = u.id limit 1) as m on true
  where e.id = any(${events}::uuid[])
  on conflict (user_id, event_id) do update
    set changed_at = greatest(excluded.changed_at, answer_changes.changed_at + interval '1 second')`;

export const recordAnswers = (db: Db, user: string, events: readonly string[], now: Instant) =>
  run(db, answerChanges([user], events, now));

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
        on conflict (event_id, user_id) do update set attendee_role = 'organiser', answer = 'going', place = null,
          lets_pass = false, over = answers.over or answers.answer <> 'going' and answers.guests > 0`,
  );

/** Makes a member the host. The former one stays going, and is returned. */
export async function handOver(
  db: Db,
  { id }: NextHostOf,
  user: string,
  now: Instant,
): Promise<string | undefined> {
  // First, because an event has one host at most.
  const former = await first(
    db,
    sql<{ user_id: string }>`
      update answers set attendee_role = 'attendee' where event_id = ${id} and attendee_role = 'organiser'
      returning user_id`,
  );
  await host(db, [id], user, now);
  return former?.user_id;
}

/** The creator of an event is its host and first attendee. */
export const onEventCreated = (db: Db, event: { id: string; creator: string }, now: Instant) =>
  host(db, [event.id], event.creator, now);

/**
 * Removes what a former member stored about the events of the club: favourites, follows, and answers to events that have
 * not ended. Their successor hosts those that they hosted, and the waitlists get the other seats.
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
  if (hosted.length > 0) {
    await host(db, hosted, successor, now);
    await recordAnswers(db, successor, hosted, now);
  }
  await moveUp(
    db,
    attended.map(({ event_id }) => event_id),
    now,
  );
}
