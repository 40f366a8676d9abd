import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { addDelivery, settle } from '#platform/notices/deliveries.ts';
import { addSeconds } from '#wire/instant.ts';
import { startServer } from '#app/server.ts';
import { newSeries } from '#test/new-series.ts';
import { sentEmails } from '#test/sent-emails.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let club: ClubHandle;
let event: string;

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());
/** An event of Ada's in three days, to which Bob and Cyd go. */
beforeEach(async () => {
  w.clockOffset.seconds = 0;
  [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
  club = await w.club([ada, bob, cyd]);
  event = (await w.event(club, ada, { startsIn: 72 })).id;
  for (const { api } of [bob, cyd]) await api.answers.answer({ event, answer: 'going' });
  // Emails that are rendered after the change state the event.
  await sentEmails(w);
  w.later('1 minute');
});

const moved = (hours = 80, by = ada) =>
  by.api.events.edit({ event, club: club.id, start_time: addSeconds(w.now(), hours * 3600) });

/** An email to a person that states the event as it is now, with this outcome. */
async function email(to: Person, state: 'accepted' | 'refused' | 'failed'): Promise<void> {
  const id = randomUUID();
  const row = await first(w.db, sql<{ sequence: number }>`select sequence from events where id = ${event}`);
  const states = [{ id: event, sequence: row?.sequence as number }];
  await addDelivery(w.db, { id, user_id: to.id, kind: 'event_updated', states, now: w.now() });
  await settle(w.db, { id, to: to.email }, { state }, w.now());
}

/** Half an hour later: runs the jobs that look whom changes did not reach. */
async function halfAnHourLater(): Promise<void> {
  w.later('30 minutes');
  await check();
}
async function check(): Promise<void> {
  await run(
    w.db,
    sql`with due as (update jobs set run_at = now() where name = 'check_reach') select pg_notify('jobs', '')`,
  );
  await expect
    .poll(() => all(w.db, sql`select from jobs where name = 'check_reach'`), { timeout: 10_000 })
    .toEqual([]);
}
const bellOf = async ({ api }: Person) =>
  (await api.notifications.list({}))
    .map(({ message }) => message)
    .filter((text) => text.includes('not reached'));
const mailsTo = async ({ email: to }: Person) =>
  (await w.outbox()).filter((mail) => mail.to?.[0]?.address === to && mail.subject?.includes('not reached'));

test('half an hour after a change, the person who made it is told whom it did not reach, with the names [KNOW-15]', async () => {
  await moved();
  await email(bob, 'refused');
  await email(cyd, 'failed');
  const jobs = await all(
    w.db,
    sql<{ minutes: number }>`
      select round(extract(epoch from run_at - now()) / 60)::int as minutes from jobs where name = 'check_reach'`,
  );
  expect(jobs).toEqual([{ minutes: 30 }]);
  await halfAnHourLater();
  const [text = '', ...others] = await bellOf(ada);
  expect(text).toMatch(/^2 people were not reached: Tuesday run, \w{3} \d+ \w{3,4}: Bob, Cyd$/);
  expect(others).toEqual([]);
  await expect.poll(() => mailsTo(ada), { timeout: 10_000 }).toHaveLength(1);
  const [mail] = await mailsTo(ada);
  expect(mail?.subject).toMatch(/^2 people were not reached: Tuesday run, \w{3} \d+ \w{3,4}$/);
  expect(mail?.text).toContain(
    'Your change has not reached these people yet. A call is the safest way.\n\nBob (not delivered)\nCyd (not delivered)\n',
  );
  expect(mail?.text).toContain('/app/events/tuesday-run');
  expect(await bellOf(bob)).toEqual([]);
});

test('somebody to whom it is still on its way is named only if the event starts within 24 hours [KNOW-15]', async () => {
  await moved();
  await email(cyd, 'accepted');
  await halfAnHourLater();
  expect(await bellOf(ada)).toEqual([]);
  await moved(20);
  await email(cyd, 'accepted');
  await halfAnHourLater();
  const [text] = await bellOf(ada);
  expect(text).toMatch(/^1 person was not reached: .*: Bob$/);
});

test.each<[string, () => unknown]>([
  ['everybody was reached', () => bob.api.answers.answer({ event, answer: 'maybe' })],
  [
    'it was undone',
    async () => {
      const { undo } = await ada.api.events.get({ event });
      await ada.api.events.undo({ event, change: undo?.change as string });
    },
  ],
  ['another change has replaced it', () => moved(90)],
  [
    'the event has started',
    () => run(w.db, sql`update events set start_time = ${w.now()} where id = ${event}`),
  ],
])('nobody is told if %s [KNOW-15]', async (_, act) => {
  await moved();
  await email(bob, 'refused');
  await email(cyd, 'accepted');
  w.later('1 second');
  await act();
  await halfAnHourLater();
  expect(await bellOf(ada)).toEqual([]);
  expect(await mailsTo(ada)).toEqual([]);
});

test('it comes once for each change, also when two processes check it [KNOW-15]', async () => {
  const other = await startServer({ config: w.config, databaseUrl: w.databaseUrl, log: createLog('silent') });
  try {
    await moved();
    await email(bob, 'refused');
    await email(cyd, 'accepted');
    const { change } = (await first(
      w.db,
      sql<{
        change: string;
      }>`select id as change from event_changes where event_id = ${event} order by changed_at desc limit 1`,
    )) as { change: string };
    await run(
      w.db,
      sql`select enqueue_job('check_reach', jsonb_build_object('change', ${change}::text)) from generate_series(1, 6)`,
    );
    await halfAnHourLater();
    expect(await bellOf(ada)).toHaveLength(1);
    await expect.poll(() => mailsTo(ada), { timeout: 10_000 }).toHaveLength(1);
    await run(w.db, sql`select enqueue_job('check_reach', jsonb_build_object('change', ${change}::text))`);
    await check();
    expect(await mailsTo(ada)).toHaveLength(1);
    expect(await bellOf(ada)).toHaveLength(1);
  } finally {
    await other.close();
  }
});

test('dates of a series that were changed together make one notice, about the earliest that did not reach somebody [KNOW-15]', async () => {
  const day = addSeconds(w.now(), 2 * 86_400).slice(0, 10);
  const { id } = await ada.api.series.plan({
    ...newSeries,
    club: club.id,
    weekdays: [new Date(day).getUTCDay() || 7],
    starts_on: day,
  });
  const dates = (await ada.api.series.get({ series: id })).events.map((each) => each.id);
  for (const date of dates.slice(1, 3)) await bob.api.answers.answer({ event: date, answer: 'going' });
  await sentEmails(w);
  w.later('1 minute');
  await ada.api.series.edit({ series: id, location_name: 'Pier 9' });
  for (event of dates.slice(1, 3)) await email(bob, 'failed');
  await halfAnHourLater();
  expect(await bellOf(ada)).toHaveLength(1);
  const [row] = await all(
    w.db,
    sql<{
      event_id: string;
    }>`select facts ->> 'event_id' as event_id from notices where user_id = ${ada.id} and kind = 'not_reached'`,
  );
  expect(row?.event_id).toBe(dates[1]);
});

test('the row in the bell goes once everybody was reached, and names nobody to a person who no longer runs the event [KNOW-15]', async () => {
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
  await moved(80, cyd);
  await email(bob, 'refused');
  await halfAnHourLater();
  expect(await bellOf(cyd)).toHaveLength(1);
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 0 });
  expect(await bellOf(cyd)).toEqual([]);
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
  expect(await bellOf(cyd)).toHaveLength(1);
  await bob.api.answers.answer({ event, answer: 'maybe' });
  expect(await bellOf(cyd)).toEqual([]);
});
