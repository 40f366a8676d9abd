import { Temporal } from 'temporal-polyfill';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { timeZones } from '#wire/time-zone.ts';
import { outcomeOf } from '#test/calls.ts';
import { zonesInSql } from '#test/zones-in-sql.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  ada = await w.person('Ada');
});
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  club = await w.club([ada]);
});
afterAll(() => w[Symbol.asyncDispose]());

test('SQL: no function, index or constraint of the database reads a time zone [T45]', async () => {
  const definitions = await all(
    w.db,
    sql<{ name: string; text: string }>`
      select proname::text as name, prosrc as text from pg_proc where pronamespace = 'public'::regnamespace
      union all select indexname::text, indexdef from pg_indexes where schemaname = 'public'
      union all select conname::text, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace`,
  );
  expect(definitions.length).toBeGreaterThan(50);
  expect(definitions.filter(({ text }) => zonesInSql.test(text)).map(({ name }) => name)).toEqual([]);
});

test('time zone: PostgreSQL knows every name that can be stored, because the last release needs that [T45]', async () => {
  const zones = await all(w.db, sql<{ name: string }>`select name from pg_timezone_names`);
  const names = new Set(zones.map(({ name }) => name));
  expect(timeZones().filter((zone) => !names.has(zone))).toEqual([]);
});

/** Names of zones, some of which are former names, abbreviations or unknown to PostgreSQL. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'CET',
  'EST',
  'MST7MDT',
  'Asia/Calcutta',
  'Europe/Kiev',
  'America/Buenos_Aires',
  'Pacific/Apia',
  'Australia/Lord_Howe',
  'PLT',
  'US/Pacific-New',
];

/** Temporal does not accept the abbreviations of ICU. */
const nameInTemporal = (zone: string) => (zone === 'PLT' ? 'Asia/Karachi' : zone);

/** The days before the next two clock changes in a zone, or any day if its clock does not change. */
function eves(zone: string): Temporal.PlainDate[] {
  const start = Temporal.Now.zonedDateTimeISO(nameInTemporal(zone)).add({ days: 5 });
  const first = start.getTimeZoneTransition('next');
  const second = first?.getTimeZoneTransition('next');
  return [first ?? start, ...(second ? [second] : [])].map((at) => at.toPlainDate().subtract({ days: 1 }));
}

/** Creates a series with dates at this time on three consecutive days. */
const plan = (time_zone: string, first: Temporal.PlainDate, local_time: string) =>
  ada.api.series.plan({
    club: club.id,
    name: 'Run',
    location_name: 'Pier',
    freq: 'weekly',
    weekdays: [1, 2, 3, 4, 5, 6, 7],
    local_time,
    minutes: 30,
    time_zone,
    starts_on: first.toString(),
    ends_on: first.add({ days: 2 }).toString(),
  });

/** Stores this name of the zone, as the last release did. */
async function storeName(series: string, zone: string): Promise<void> {
  await run(w.db, sql`update series set time_zone = ${zone} where id = ${series}`);
  await run(w.db, sql`update events set time_zone = ${zone} where series_id = ${series}`);
}

test.each(zones)(
  'time zone %s: the dates of a series, its breaks and its end agree with an independent library around both clock changes [T45]',
  async (zone) => {
    for (const first of eves(zone))
      for (const local_time of ['00:30', '02:30', '23:30'])
        for (const [which, isStored] of [0, 1, 2].flatMap((n) => [[n, false] as const, [n, true] as const])) {
          await run(w.db, sql`delete from rate_limits`);
          const { id } = await plan(zone, first, local_time);
          if (isStored) await storeName(id, zone);
          const days = [0, 1, 2].map((days) => first.add({ days }));
          const { events } = await ada.api.series.get({ series: id });
          expect(events.map(({ start_time }) => Date.parse(start_time))).toEqual(
            days.map(
              (day) =>
                day.toZonedDateTime({ timeZone: nameInTemporal(zone), plainTime: local_time })
                  .epochMilliseconds,
            ),
          );
          const day = (days[which] as Temporal.PlainDate).toString();
          const closed = { first_on: day, last_on: day, name: 'Closed' };
          const breaks = { club: club.id, breaks: [closed], cancel: true };
          expect(await ada.api.series.saveBreaks(breaks)).toMatchObject({ cancelled: 1 });
          expect(await ada.api.series.end({ series: id, from: day })).toMatchObject({ cancelled: 2 - which });
          const cancelled = (await ada.api.series.get({ series: id })).events.map(
            ({ deleted_at }) => deleted_at !== null,
          );
          expect(cancelled).toEqual([0, 1, 2].map((n) => n >= which));
          await ada.api.series.saveBreaks({ club: club.id, breaks: [] });
        }
  },
);

test.each(zones)(
  'time zone %s: the invite page shows the day of the next event in this zone [T45]',
  async (zone) => {
    const { id, slug } = await w.event(club, ada, { startsIn: 24 });
    await run(w.db, sql`update events set time_zone = ${zone} where id = ${id}`);
    const { start_time } = await ada.api.events.get({ event: slug });
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    expect(await w.anyone.invites.get({ invite: invite_link })).toMatchObject({
      next_event_day: Temporal.Instant.from(start_time)
        .toZonedDateTimeISO(nameInTemporal(zone))
        .toPlainDate()
        .toString(),
    });
  },
);

test('time zone: former names and abbreviations are stored as the canonical name, other names are refused [T45]', async () => {
  const { slug } = await w.event(club, ada, { time_zone: 'Asia/Calcutta' });
  const zoneOf = async () => (await ada.api.events.get({ event: slug })).time_zone;
  expect(await zoneOf()).toBe('Asia/Kolkata');
  const edit = (time_zone: string) => ada.api.events.edit({ event: slug, club: club.id, time_zone });
  for (const [name, stored] of [
    ['PLT', 'Asia/Karachi'],
    ['US/Pacific-New', 'America/Los_Angeles'],
    ['america/buenos_aires', 'America/Argentina/Buenos_Aires'],
  ] as const) {
    await edit(name);
    expect(await zoneOf()).toBe(stored);
  }
  for (const name of ['Factory', '+01:00', 'Mars/Olympus', '']) {
    expect(await outcomeOf(edit(name))).toBe('400 bad_input');
    expect(await outcomeOf(w.event(club, ada, { time_zone: name }))).toBe('400 bad_input');
  }
  const first = Temporal.Now.plainDateISO().add({ days: 2 });
  expect(await outcomeOf(plan('Factory', first, '12:00'))).toBe('400 bad_input');
  const { id } = await plan('Asia/Calcutta', first, '12:00');
  expect(await ada.api.series.get({ series: id })).toMatchObject({ time_zone: 'Asia/Kolkata' });
  await ada.api.series.edit({ series: id, time_zone: 'Europe/Kiev' });
  expect(await ada.api.series.get({ series: id })).toMatchObject({ time_zone: 'Europe/Kyiv' });
});

test('time zone: another name of the same zone changes nothing and sends no notice, even for rows with former names [T45]', async () => {
  const { id, slug } = await w.event(club, ada);
  await run(w.db, sql`update events set time_zone = 'Asia/Calcutta' where id = ${id}`);
  const edit = { club: club.id, time_zone: 'Asia/Kolkata', announce: false };
  expect(await outcomeOf(ada.api.events.edit({ event: slug, ...edit }))).toBe('ok');
  expect(await ada.api.events.get({ event: slug })).toMatchObject({ version: 0, changes: [] });
  const series = await plan('Asia/Kolkata', Temporal.Now.plainDateISO().add({ days: 2 }), '12:00');
  await storeName(series.id, 'Asia/Calcutta');
  for (const time_zone of ['Asia/Kolkata', 'Asia/Calcutta'])
    expect(await ada.api.series.edit({ series: series.id, time_zone, announce: false })).toMatchObject({
      changed: 0,
      cancelled: 0,
    });
});
