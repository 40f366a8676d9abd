import { all, byRef, first, sql, type Db } from '#platform/db/client.ts';
import type { Actor } from '#platform/context.ts';
import { fail, type ErrorCode } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import { emptyEventFields, type EventFields } from '#features/events/field-contract.ts';
import type { MemberOf } from '#features/members/rules.ts';
import { asMember, lockClub } from '#features/members/store.ts';
import type { Rule, Series } from '#features/events/series/contract.ts';

export interface StoredSeries extends Rule, Pick<Series, 'id' | 'slug' | 'club_id' | 'version'> {
  fields: EventFields;
  cutoff_minutes: number;
  everybody: boolean;
  /** The ids of the hosts, the first host first. */
  hosts: string[];
  ended_at: Instant | null;
}

declare const locked: unique symbol;

/**
 * A series whose club is locked until the transaction ends. Every operation that changes a series or the members of its
 * club takes that lock first. Every function that changes a series or its dates requires a `LockedSeries`.
 */
export interface LockedSeries extends StoredSeries {
  readonly [locked]: true;
}

/**
 * The ids of the hosts of a series, in their order, as an array: the hosts of its last date that is not cancelled. Without
 * such a host in the club, `host_id`.
 */
export function hostsOf(series: string) {
  const s = sql.ref(series);
  return sql`coalesce(nullif(array(
    select a.user_id from answers a join members m on m.club_id = ${s}.club_id and m.user_id = a.user_id
    where a.host_no is not null and a.event_id = (
      select id from events where series_id = ${s}.id and deleted_at is null order by slot_on desc limit 1)
    order by a.host_no), '{}'), array_remove(array[${s}.host_id], null))`;
}

/** The columns of a `StoredSeries`. Fields that an older template lacks get their default. */
export function seriesColumns(series: string) {
  const s = sql.ref(series);
  return sql`
    ${s}.id, ${s}.slug, ${s}.club_id, ${s}.version, ${JSON.stringify(emptyEventFields)}::jsonb || ${s}.fields as fields,
    ${s}.freq, ${s}.every, ${s}.weekdays, ${s}.month_day, ${s}.nth,
    to_char(${s}.local_time, 'HH24:MI') as local_time, ${s}.time_zone, ${s}.minutes, ${s}.cutoff_minutes, ${s}.starts_on::text,
    ${s}.ends_on::text, ${s}.count, ${s}.everybody, ${hostsOf(series)} as hosts,
    ${s}.ended_at`;
}

export async function find(db: Db, ref: string): Promise<StoredSeries> {
  const row = await first(
    db,
    sql<StoredSeries>`select ${seriesColumns('s')} from series s where ${byRef('s', ref)}`,
  );
  return row ?? fail('not_found');
}

/** Reads a series for a member of its club. Others get `not_found`, or the error `otherwise`. */
export async function seriesOfMember(
  db: Db,
  { user }: { user: Pick<Actor, 'id'> },
  ref: string,
  otherwise?: ErrorCode,
): Promise<{ series: StoredSeries; member: MemberOf }> {
  const series = await find(db, ref);
  return { series, member: await asMember(db, user, series.club_id, otherwise) };
}

/** Locks the club of a series, and then reads the series. */
export async function lockSeries(db: Db, { id, club_id }: StoredSeries): Promise<LockedSeries> {
  await lockClub(db, club_id);
  return (await find(db, id)) as LockedSeries;
}

/**
 * Locks a series without waiting. Undefined if the series has ended, or if the club is already locked: then the lock
 * holder, or the nightly job, creates the dates.
 */
export async function lockIdleSeries(db: Db, id: string): Promise<LockedSeries | undefined> {
  const ofClub = sql`select club_id from series where id = ${id} and ended_at is null`;
  const free = await first(db, sql`select 1 from clubs where id = (${ofClub}) for no key update skip locked`);
  if (!free) return undefined;
  const series = await find(db, id);
  return series.ended_at === null ? (series as LockedSeries) : undefined;
}

/** Locks the unfinished dates of a series, so that nobody answers or cancels them until the transaction ends. */
export async function lockUnfinishedDates(db: Db, { id }: LockedSeries, now: Instant): Promise<string[]> {
  const dates = await all(
    db,
    sql<{ id: string }>`
      select id from events where series_id = ${id} and end_time > ${now} order by id for no key update`,
  );
  return dates.map((date) => date.id);
}
