import { randomUUID } from 'node:crypto';
import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { raise, type Audience } from '#platform/notices/raise.ts';
import type { Instant } from '#wire/instant.ts';
import { dateIn } from '#wire/wall-time.ts';
import { eventFieldKeys, type EventFields } from '#features/events/field-contract.ts';
import { isSameValue } from '#features/events/form-rules.ts';
import { newlyIncluded } from '#features/events/notice-queries.ts';
import { ownFields } from '#features/events/answer-queries.ts';
import { createEvents, moveSlots, newSlug } from '#features/events/store.ts';
import type { AdminOf, MemberOf, PlannerOf } from '#features/members/rules.ts';
import { membersAmong } from '#features/members/queries.ts';
import { type EndedMembership } from '#features/members/store.ts';
import { isFor } from '#features/sections/rules.ts';
import { newSeries } from '#features/events/series/notices.ts';
import { find, hostsOf, seriesColumns, type LockedSeries } from '#features/events/series/access.ts';
import type { Break, Rule, StandingAnswer } from '#features/events/series/contract.ts';
import { breaksOf } from '#features/events/series/queries.ts';
import { comingSlots, earliest, type Days, isInBreak, timesOf } from '#features/events/series/rules.ts';

/** A rule with the fields of its dates. */
export interface Template extends Rule, EventFields {
  cutoff_minutes: number;
  everybody: boolean;
}

/**
 * Adds a job for each series that may lack dates: a series with fewer than three upcoming dates, or a series whose next
 * date may be within the horizon, because that date is at least `gap` days after the last date. One day is added to the
 * horizon for time zones. Skips series that have ended or already have all their dates.
 */
export function extendAll(db: Db, now: Instant) {
  const today = sql`${dateIn('UTC', now)}::date`;
  return run(
    db,
    sql`
      select enqueue_job('extend_series', jsonb_build_object('series', s.id), priority => 1, key => 'extend_series:' || s.id)
      from series s cross join lateral (
        select count(*) as count, max(slot_on) as last from events
        where series_id = s.id and slot_on >= ${today}) as dates
      cross join lateral (
        select case when freq <> 'weekly' then 28 * every when cardinality(weekdays) = 1 then 7 * every else 1 end as gap) as g
      where ended_at is null and (ends_on is null or ends_on >= ${today})
        and (s.count is null or s.count > (
          select count(*) from events where series_id = s.id and slot_on >= s.starts_on))
        and (dates.count < 3 or dates.last <= ${today} + 91 - gap)
      order by s.id`,
  );
}

/** The number of running series in a club. A series runs until it is ended, or until all its dates are over. */
export async function countRunning(db: Db, { club_id }: PlannerOf, now: Instant): Promise<number> {
  const row = await first(
    db,
    sql<{ count: number }>`
      select count(*) from series s where club_id = ${club_id} and ended_at is null and exists (
        select from events where series_id = s.id and end_time > ${now})`,
  );
  return row?.count ?? 0;
}

export async function saveBreaks(db: Db, { club_id }: AdminOf, breaks: readonly Break[]): Promise<void> {
  await run(db, sql`delete from club_breaks where club_id = ${club_id}`);
  const column = (key: keyof Break) => breaks.map((each) => each[key]);
  await run(
    db,
    sql`insert into club_breaks (club_id, first_on, last_on, name)
        select ${club_id}, * from unnest(${column('first_on')}::date[], ${column('last_on')}::date[], ${column('name')}::text[])`,
  );
}

/** The series of a club that have not ended. The club is locked. */
export async function runningSeries(db: Db, { club_id }: Pick<AdminOf, 'club_id'>): Promise<LockedSeries[]> {
  return all(
    db,
    sql<LockedSeries>`select ${seriesColumns('s')} from series s where club_id = ${club_id} and ended_at is null order by id`,
  );
}

interface LaterDate {
  id: string;
  /** The day of its start, in its time zone. */
  day: string;
  /** The day that the rule gave it. */
  slot_on: string;
  /** Whether its start was edited for this date alone. */
  is_moved: boolean;
}

/** The dates of a series that have not started and are not cancelled. They must be locked. */
export async function laterDates(db: Db, { id }: LockedSeries, now: Instant): Promise<LaterDate[]> {
  const dates = await all(
    db,
    sql<Omit<LaterDate, 'day'> & Record<'start_time' | 'time_zone', string>>`
      select id, slot_on::text, start_time, time_zone, 'start_time' = any(${ownFields('events.id')}) as is_moved
      from events where series_id = ${id} and start_time > ${now} and deleted_at is null order by start_time, id`,
  );
  return dates.map(({ start_time, time_zone, ...date }) => ({ ...date, day: dateIn(time_zone, start_time) }));
}

/** Adds a series without dates. Its creator is its host. */
export async function createSeries(
  db: Db,
  { club_id, user_id }: PlannerOf,
  { slug: wanted, ...template }: Template & { slug?: string | undefined },
  now: Instant,
): Promise<LockedSeries> {
  const [id, slug] = [randomUUID(), newSlug({ slug: wanted, name: template.name })];
  const fields = Object.fromEntries(eventFieldKeys.map((key) => [key, template[key]]));
  const { freq, every, weekdays, month_day, nth, local_time, time_zone, minutes, cutoff_minutes } = template;
  await run(
    db,
    sql`
      insert into series (id, slug, club_id, host_id, fields, freq, every, weekdays, month_day, nth, local_time, time_zone,
        minutes, cutoff_minutes, starts_on, ends_on, count, everybody, created_at)
      values (${id}, ${slug}, ${club_id}, ${user_id}, ${JSON.stringify(fields)}, ${freq}, ${every},
        ${weekdays}::smallint[], ${month_day}, ${nth}, ${local_time}, ${time_zone}, ${minutes}, ${cutoff_minutes},
        ${template.starts_on}, ${template.ends_on}, ${template.count}, ${template.everybody}, ${now})`,
  );
  return (await find(db, id)) as LockedSeries;
}

/**
 * Removes from a series the dates that a break cancelled and that are no longer in any break, so that new events can
 * take their days. The removed dates stay cancelled. Returns their number.
 */
async function releaseDates(
  db: Db,
  series: LockedSeries,
  breaks: readonly Days[],
  from: string,
): Promise<number> {
  const cancelled = await all(
    db,
    sql<{ id: string; slot_on: string }>`
      select id, slot_on::text from events
      where series_id = ${series.id} and cancelled_by_break and slot_on >= ${from} order by id`,
  );
  const released = cancelled.filter(({ slot_on }) => !isInBreak(breaks, slot_on));
  if (released.length > 0)
    await moveSlots(
      db,
      released.map(({ id }) => ({ id, slot_on: null })),
    );
  return released.length;
}

/** New dates of a series. */
interface NewDates {
  ids: string[];
  /** Whether some of them replace dates that a former break had cancelled. */
  again: boolean;
}

/**
 * Creates the missing dates, with the hosts of the last date. A date that was cancelled, or moved elsewhere, is not
 * missing, unless a former break had cancelled it.
 */
export async function makeMissingDates(db: Db, series: LockedSeries, now: Instant): Promise<NewDates> {
  if (series.hosts.length === 0) return { ids: [], again: false };
  const since = earliest(now);
  const breaks = await breaksOf(db, series.club_id);
  const released = await releaseDates(db, series, breaks, dateIn(series.time_zone, since));
  const slots = comingSlots(series, breaks, since);
  const existing = await all(
    db,
    sql<{ slot_on: string; new_start: Instant | null }>`
      select slot_on::text, case when end_time > ${since} and deleted_at is null
        and 'start_time' = any(${ownFields('events.id')}) then start_time end as new_start
      from events where series_id = ${series.id}
        and (slot_on >= ${dateIn(series.time_zone, since)} or end_time > ${since})`,
  );
  const takenDays = new Set(
    existing.flatMap(({ slot_on, new_start }) => [
      slot_on,
      ...(new_start ? [dateIn(series.time_zone, new_start)] : []),
    ]),
  );
  const dates = slots
    .filter(({ on }) => !takenDays.has(on))
    .map((slot) => ({ slug: newSlug(series.fields), slot_on: slot.on, ...timesOf(slot, series) }));
  if (dates.length === 0) return { ids: [], again: false };
  const owner = { club_id: series.club_id, hosts: series.hosts, series: series.id };
  const ids = await createEvents(db, owner, { ...series.fields, time_zone: series.time_zone }, dates, now);
  return { ids, again: released > 0 };
}

/** The days that the rule gave to the dates of a series that have started, at most the last sixty. */
export async function startedSlots(db: Db, { id }: LockedSeries, now: Instant): Promise<string[]> {
  const slots = await all(
    db,
    sql<{ slot_on: string }>`
      select slot_on::text from events where series_id = ${id} and start_time <= ${now} order by slot_on desc limit 60`,
  );
  return slots.map(({ slot_on }) => slot_on);
}

/** Saves the template from which later dates are created. */
export const saveTemplate = (
  db: Db,
  { id }: LockedSeries,
  { fields, ...rule }: Omit<Template, keyof EventFields | 'everybody'> & { fields: EventFields },
) =>
  run(
    db,
    sql`
      update series set fields = ${JSON.stringify(fields)}, freq = ${rule.freq}, every = ${rule.every},
        weekdays = ${rule.weekdays}::smallint[], month_day = ${rule.month_day}, nth = ${rule.nth},
        local_time = ${rule.local_time}, time_zone = ${rule.time_zone}, minutes = ${rule.minutes},
        cutoff_minutes = ${rule.cutoff_minutes}, starts_on = ${rule.starts_on}, ends_on = ${rule.ends_on},
        count = ${rule.count}, version = version + 1
      where id = ${id}`,
  );

/** Ends a series: no more dates are created. */
export const endSeries = (db: Db, { id }: LockedSeries, now: Instant) =>
  run(db, sql`update series set ended_at = ${now}, version = version + 1 where id = ${id}`);

/** Saves a member's standing answer. `since` stays while the answer is the same. */
export const saveStanding = (
  db: Db,
  { id }: LockedSeries,
  { user_id }: MemberOf,
  { answer, guests }: Pick<StandingAnswer, 'answer' | 'guests'>,
  now: Instant,
) =>
  run(
    db,
    sql`
      insert into standing_answers (series_id, user_id, answer, guests, since)
      values (${id}, ${user_id}, ${answer}, ${guests}, ${now})
      on conflict (series_id, user_id) do update set answer = excluded.answer, guests = excluded.guests,
        since = case when standing_answers.answer = excluded.answer then standing_answers.since else excluded.since end`,
  );

/** The id of the transaction that last wrote a member's standing answer. It serves as its version. */
export async function standingVersion(
  db: Db,
  { id }: LockedSeries,
  { user_id }: MemberOf,
): Promise<string | undefined> {
  const row = await first(
    db,
    sql<{ version: string }>`
      select xmin::text as version from standing_answers where series_id = ${id} and user_id = ${user_id}`,
  );
  return row?.version;
}

/** Adds the standing answer 'going' for all members without one whom a series is for. */
export const addEverybody = (db: Db, { id, club_id, fields }: LockedSeries, now: Instant) =>
  run(
    db,
    sql`
      insert into standing_answers (series_id, user_id, answer, since)
      select ${id}, user_id, 'going', ${now} from members
      where club_id = ${club_id} and is_for(${fields.section_ids}::uuid[], section_ids)
      on conflict do nothing`,
  );

export const deleteStanding = (db: Db, { id }: LockedSeries, { user_id }: MemberOf) =>
  run(db, sql`delete from standing_answers where series_id = ${id} and user_id = ${user_id}`);

/**
 * Adds a new member to the series that everyone attends, with one notice for each series. The club is locked. Their
 * dates are answered afterwards, by the next listener.
 */
export async function onMembershipStarted(
  db: Db,
  { club_id, user_id }: { club_id: string; user_id: string },
  now: Instant,
): Promise<void> {
  // New members are in no section.
  const running = (await runningSeries(db, { club_id })).filter(
    ({ everybody, fields }) => everybody && isFor(fields.section_ids, []),
  );
  if (running.length === 0) return;
  await run(
    db,
    sql`insert into standing_answers (series_id, user_id, answer, since)
        select id, ${user_id}, 'going', ${now} from unnest(${running.map(({ id }) => id)}::uuid[]) as id
        on conflict do nothing`,
  );
  for (const series of running) {
    const next = sql<{ id: string }>`
      select id from events where series_id = ${series.id} and end_time > ${now} order by start_time, id limit 1`;
    const date = await first(db, next);
    if (date) await announce(db, series, date.id, membersAmong(club_id, [user_id]), now);
  }
}

/** Notifies members about a new series, or about some of its dates. Each member gets one notice. */
export const announce = (
  db: Db,
  { id, hosts, everybody }: LockedSeries,
  event_id: string,
  audience: Audience,
  now: Instant,
  { actor, dedupeKey, dates }: { actor: string | null; dedupeKey: string; dates?: string[] } = {
    actor: hosts[0] ?? null,
    dedupeKey: id,
  },
) =>
  raise(
    db,
    newSeries,
    { facts: { event_id, series_id: id, everybody, dates }, actor, dedupeKey, now },
    audience,
  );

/** Tells members without an answer whom an edit of the sections of a series includes, if `date` changed with it. */
export async function announceSections(
  db: Db,
  series: LockedSeries,
  before: LockedSeries,
  date: string | undefined,
  now: Instant,
): Promise<void> {
  const [old, next] = [before.fields.section_ids, series.fields.section_ids];
  if (date && !isSameValue(old, next)) await announce(db, series, date, newlyIncluded(date, old), now);
}

/** Deletes the standing answers of a former member. The next host takes their place in their series, or else their successor. */
export async function onMembershipEnded(
  db: Db,
  { club_id, user_id, successor }: EndedMembership,
): Promise<void> {
  const ofClub = sql`select id from series where club_id = ${club_id}`;
  await run(db, sql`delete from standing_answers where user_id = ${user_id} and series_id in (${ofClub})`);
  await run(
    db,
    sql`update series s set host_id = coalesce(nullif((${hostsOf('s')})[1], ${user_id}), ${successor})
        where club_id = ${club_id} and host_id = ${user_id}`,
  );
}
