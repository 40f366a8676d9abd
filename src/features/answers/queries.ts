import { all, first, sql, type Db, type ReadDb } from '#platform/db/client.ts';
import type { Identity } from '#platform/context.ts';
import type { Instant } from '#wire/instant.ts';
import { keyIn, pageOf, rowsForPage } from '#platform/db/pagination.ts';
import type { AnswerList, MemberAnswer } from '#features/answers/contract.ts';
import { clock } from '#features/auth/store.ts';
import type { Event } from '#features/events/contract.ts';
import { goingCounts, myPlace, seatsLeft, waitingCount } from '#features/events/queries.ts';
import type { ReadingRunnerOf } from '#features/events/access.ts';
import { behindName, byName, NameKey } from '#features/members/store.ts';
import { unconfirmed } from '#features/notifications/queries.ts';

/**
 * A page of the members with one answer, or without any. Past events list the answers of former members too. The next page
 * of a waitlist starts again if the last member of this one has left it meanwhile.
 */
export async function pageOfAnswers(
  db: ReadDb,
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
    Pick<
      Event,
      'entry_until_time' | 'deleted_at' | 'polling' | 'guests_max' | 'capacity' | 'waitlist' | 'seats_left'
    >,
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
        e.entry_until_time, e.deleted_at, e.polling, e.guests_max, m.user_id, m.answer_key, u.first_name,
        case when mine.answer = 'going' then mine.attendee_role end as my_role, mine.answer as my_answer,
        coalesce(mine.guests, 0) as my_guests, ${myPlace} as my_place, e.capacity, e.waitlist, g.user_count,
        g.guest_count, ${waitingCount('e.id')} as waiting_count, ${seatsLeft}
      from ${clock(clockOffset)} as clock
      left join (events e join clubs c on c.id = e.owner_club_id join members m on m.club_id = c.id
        join users u on u.id = m.user_id) on e.id = ${event} and m.user_id = ${user}
      left join answers mine on mine.event_id = e.id and mine.user_id = m.user_id
      ${goingCounts('e.id')}`,
  );
  const { now, ...link } = row as { now: Instant } & (LinkedEvent | { id: null });
  return link.id === null ? { now } : { now, link };
}
