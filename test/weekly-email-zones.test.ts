import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { startSchedule } from '#platform/jobs/schedule.ts';
import { createLog } from '#platform/log.ts';
import type { Weekly } from '#platform/notices/weekly-rules.ts';
import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import { wallTime } from '#wire/wall-time.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

const hour = 60 * 60;
const day = 24 * hour;

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;
let stop: () => Promise<void>;

/** The scheduler enqueues the task all the time, instead of every five minutes. */
beforeEach(async () => {
  w = await world();
  const pool = new pg.Pool({ connectionString: w.databaseUrl, max: 1 });
  const stopSchedule = startSchedule(pool, { enqueue_weekly_emails: 0.02 }, createLog('silent'));
  stop = async () => {
    stopSchedule();
    await pool.end();
  };
});
afterEach(async () => {
  await stop();
  await w[Symbol.asyncDispose]();
});

/** Moves the clock forward to this time. */
const moveTo = (time: Instant) => {
  const seconds = Math.ceil((Date.parse(time) - Date.parse(w.now())) / 1000);
  expect(seconds).toBeGreaterThanOrEqual(0);
  w.clockOffset.seconds += seconds;
};

/** Bob, in this zone and in a club of Ada's, chooses the weekly email at a time. */
async function chosenAt(time: Instant, time_zone: string): Promise<void> {
  moveTo(time);
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  await bob.api.users.update({ time_zone });
  await bob.api.notifications.saveSettings({ weekly_email: true });
}

const nextAt = async (): Promise<Instant> => {
  const row = await first(w.db, sql<Weekly>`select next_at from weekly_emails where user_id = ${bob.id}`);
  return (row as Weekly).next_at;
};

const received = async (): Promise<number> =>
  (await w.outbox()).filter(
    ({ to, subject }) => to?.[0]?.address === bob.email && subject?.startsWith('News from'),
  ).length;

/** Waits until the task has run once more and all emails that it has enqueued are sent. */
async function untilRun(): Promise<void> {
  await run(w.db, sql`select enqueue_job('enqueue_weekly_emails', '{"run": "once more"}')`);
  const waiting = sql`
    select from jobs where name = 'send_weekly_email' or name = 'enqueue_weekly_emails' and payload <> '{}'`;
  await expect.poll(() => all(w.db, waiting), { timeout: 30_000, interval: 25 }).toEqual([]);
}

/** Expects the email with this number at the next Monday 8:00 in the zone, and none in the minute before. Returns the time. */
async function onMonday(nth: number, zone: string): Promise<Instant> {
  await ada.api.updates.publish({ club: club.id, content: `News ${nth}` });
  const monday = await nextAt();
  const wall = wallTime(Date.parse(monday), zone);
  expect([wall.getUTCDay(), wall.toISOString().slice(11, 19)]).toEqual([1, '08:00:00']);
  moveTo(addSeconds(monday, -60));
  await untilRun();
  expect(await received()).toBe(nth - 1);
  moveTo(addSeconds(monday, 1));
  await expect.poll(received, { timeout: 30_000 }).toBe(nth);
  await untilRun();
  expect(await received()).toBe(nth);
  return monday;
}

/** The next two clock changes in a zone, to the hour: the first after one and the second after both. */
function clockChanges(zone: string): Instant[] {
  const start = Math.ceil(Date.parse(w.now()) / 3_600_000) * 3_600_000 + 20 * day * 1000;
  const offset = (at: number) => wallTime(at, zone).getTime() - at;
  const hours = Array.from({ length: 366 * 24 }, (_, n) => start + n * 3_600_000);
  return hours.filter((at) => offset(at) !== offset(at - 3_600_000)).map((at) => instant(at));
}

describe.each(['Europe/Berlin', 'America/New_York', 'Pacific/Auckland'])('the weekly email in %s', (zone) => {
  test.each([0, 1])(
    'comes once on the Monday before and after clock change %i, at 8:00 [DIGEST-06]',
    async (n) => {
      const change = clockChanges(zone)[n] as Instant;
      const isForward =
        wallTime(Date.parse(change), zone).getTime() - Date.parse(change) >
        wallTime(Date.parse(change) - 1000, zone).getTime() - (Date.parse(change) - 1000);
      await chosenAt(addSeconds(change, -9 * day), zone);
      const before = await onMonday(1, zone);
      const after = await onMonday(2, zone);
      expect(before < change && change < after).toBe(true);
      expect((Date.parse(after) - Date.parse(before)) / 3_600_000).toBe(isForward ? 167 : 169);
      await onMonday(3, zone);
    },
  );
});

test.each([
  ['Pacific/Auckland', 'America/New_York', 7 * 24 + 16],
  ['America/New_York', 'Europe/Berlin', 7 * 24 - 6],
  ['Pacific/Honolulu', 'Pacific/Kiritimati', 13 * 24],
])(
  'the weekly email of a person who moves from %s to %s comes next on the first Monday 8:00 there that is more than six days after the last [DIGEST-06]',
  async (from, to, hours) => {
    // Around new year, none of these zones changes its clocks.
    await chosenAt(instant(Date.UTC(new Date(w.now()).getUTCFullYear() + 1, 0, 6)), from);
    const last = await onMonday(1, from);
    await bob.api.users.update({ time_zone: to });
    const next = await onMonday(2, to);
    expect(Math.abs((Date.parse(next) - Date.parse(last)) / 3_600_000 - hours)).toBeLessThanOrEqual(2);
    expect(next > addSeconds(last, 6 * day)).toBe(true);
  },
);
