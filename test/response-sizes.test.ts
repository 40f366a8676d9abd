import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { inTransaction, type Db } from '#platform/db/client.ts';
import { signed } from '#platform/token.ts';
import { instant } from '#wire/instant.ts';
import { updateGivenAnswers } from '#features/events/absences/store.ts';
import { answerToken } from '#features/events/mail.ts';
import { eventsForMembers } from '#features/events/notice-queries.ts';
import { clubsForMembers } from '#features/members/queries.ts';
import { importantUpdatesFor } from '#features/updates/read-queries.ts';
import { readToken } from '#features/updates/mail.ts';
import { contracts } from '#features/contracts.ts';
import type { Server } from '#app/server.ts';
import type { Contract } from '#wire/endpoint.ts';
import { ask } from '#test/ask.ts';
import {
  admin,
  club,
  everyEvent,
  filled,
  idOf,
  member,
  openLargeClub,
  series,
  timeId,
  viewers,
} from '#test/large-club-data.ts';
import { logPlans, planReader, rowsRead } from '#test/logged-plans.ts';
import { personalSecret, tokenOf, userId } from '#test/query-plans-data.ts';

type Recipients = { user_id: string; facts: { event_id: string; club_id: string; update_id: string } }[];

let large: Awaited<ReturnType<typeof openLargeClub>>;
let client: pg.Client;
let server: Server;
let planned: Awaited<ReturnType<typeof planReader>>;
/** The values of the path parameters and of other inputs, by name and by viewer. */
let values: Record<string, (viewer: number) => readonly string[]>;

beforeAll(async () => {
  large = await openLargeClub('sizes', (opened) => logPlans(opened, { analyze: true }));
  ({ client, server } = large);
  const { rows } = await client.query<{ user_id: string; calendar_secret: string }>(
    'select user_id, calendar_secret from members where club_id = $1',
    [club],
  );
  const secrets = new Map(rows.map((row) => [row.user_id, row.calendar_secret]));
  const updates = await client.query<{ id: string }>(
    'select id from club_updates where club_id = $1 order by created_at desc limit 1',
    [club],
  );
  const [update = ''] = updates.rows.map(({ id }) => id);
  values = {
    club: () => [club],
    event: () => everyEvent,
    series: () => [series],
    update: () => [update],
    secret: (viewer) => [secrets.get(userId(viewer)) ?? '', personalSecret(viewer)],
    invite: () => ['invite-large'],
    time: () => [timeId('poll', 0)],
    q: () => ['', 'event', 'number 1'],
    token: (viewer) => [
      answerToken(large.config, { user_id: userId(viewer), event_id: idOf('going'), answer_key: 'key' }),
      readToken(large.config, { user_id: userId(viewer), update_id: update, answer_key: 'key' }),
      signed(large.config.secretKey, 'revert-email', userId(viewer)),
    ],
  };
  // No jobs are added, because their statements would count too.
  await client.query(`create function no_job() returns trigger language plpgsql as 'begin return null; end'`);
  await client.query('create trigger no_job before insert on jobs for each row execute function no_job()');
  const pending = 'select from jobs where run_at <= now()';
  while ((await client.query(pending)).rows.length > 0) await sleep(50);
  planned = await planReader(large.cluster, client);
});

afterAll(() => large.close());

/** GET endpoints that are not measured, because they change something or need another service. */
const notWalked = new Set(['auth.login', 'auth.confirm', 'auth.refresh', 'media.file']);

const reads = Object.entries(contracts as Record<string, Contract>).flatMap(([noun, contract]) =>
  Object.entries(contract)
    .map(([name, endpoint]) => ({ name: `${noun}.${name}`, endpoint }))
    .filter(({ name, endpoint }) => endpoint.method === 'GET' && !notWalked.has(name)),
);

/**
 * All values to try for an input: those of its enum, or those in `values`. Other inputs are omitted and must be
 * optional.
 */
function valuesOf(
  key: string,
  schema: z.ZodType,
  path: string,
  viewer: number,
): readonly (string | undefined)[] {
  const inner = schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
  if (inner instanceof z.ZodEnum) return inner.options as string[];
  const value = values[key]?.(viewer);
  if (value) return value;
  if (schema.safeParse(undefined).success) return [undefined];
  throw new Error(`${path}: add a value for ${key} to the test`);
}

const inputsOf = ({ path, input }: (typeof reads)[number]['endpoint'], viewer: number) =>
  Object.entries(input.shape as Record<string, z.ZodType>).reduce<Record<string, string>[]>(
    (inputs, [key, schema]) =>
      inputs.flatMap((partial) =>
        valuesOf(key, schema, path, viewer).map((value) =>
          value === undefined ? partial : { ...partial, [key]: value },
        ),
      ),
    [{}],
  );

const print = (rows: object[]) =>
  process.stdout.write(`${rows.map((row) => Object.values(row).join('\t')).join('\n')}\n\n`);

interface Measured {
  name: string;
  what: string;
  status: number;
  bytes: number;
  rows: number;
}

async function measure(
  name: string,
  what: string,
  path: string,
  input: Record<string, string>,
  viewer: number,
): Promise<Measured> {
  await planned();
  const { status, text: body } = await ask(server.origin, { method: 'GET', path }, input, tokenOf(viewer));
  const rows = Math.round((await planned()).reduce((sum, each) => sum + rowsRead(each.Plan), 0));
  return { name, what, status, bytes: Buffer.byteLength(body), rows };
}

/**
 * The limits for the bytes of a response and the rows read for it, unless `limits` has others. The rows suffice to read
 * all members a few times, or all events once.
 */
const usual = { bytes: 256 * 1024, rows: 35_000 };

const cards = { bytes: 1024 * 1024, why: 'up to three hundred cards of events' };
const page = {
  ...cards,
  rows: 70_000,
  why: `${cards.why}, whose answers are counted once after each change`,
};
const feed = { bytes: 2 * 1024 * 1024, why: 'up to 1,500 entries' };

const limits: Record<string, Partial<typeof usual> & { why: string }> = {
  'clubs.get': page,
  'clubs.getForAdmin': page,
  'events.attending': cards,
  'events.ofMyClubs': cards,
  'events.ofClub': {
    ...cards,
    rows: 45_000,
    why: `${cards.why}, or all answers of the member and their events`,
  },
  'events.get': {
    rows: 50_000,
    why: 'for runners also whom the last change has reached, by rows of the bell and emails',
  },
  'series.get': cards,
  'calendar.clubFeed': feed,
  'calendar.personalFeed': feed,
  screen: { ...page, why: 'the responses and what is rendered from them' },
  'slots.list': { bytes: 1024 * 1024, why: 'fifty entries of fifty places' },
  'updates.ofClub': { bytes: 2 * 1024 * 1024, why: 'two hundred texts of 5,000 characters' },
  'checkins.attendance': { rows: 250_000, why: 'the answers and check-ins of a hundred people in a year' },
};

test('responses: each has a bounded size and reads a bounded number of rows, in a club of 5,000 members and 20,000 events [T50]', async () => {
  const measured: Measured[] = [];
  for (const [as, viewer] of Object.entries(viewers))
    for (const { name, endpoint } of reads)
      for (const { club: _, secret, token, ...input } of inputsOf(endpoint, viewer)) {
        const event = Object.keys(filled).find(
          (each) => idOf(each as keyof typeof filled) === input['event'],
        );
        const others = Object.values(input).filter((value) => value !== input['event']);
        const what = [as, name, event, ...others].filter(Boolean).join(' ');
        const complete = { ...input, club, ...(secret && { secret }), ...(token && { token }) };
        measured.push(await measure(name, what, endpoint.path, complete, viewer));
      }
  for (const path of [
    '/app',
    '/app/clubs/club-large',
    ...everyEvent.map((event) => `/app/events/${event}`),
  ]) {
    const query = { path, zone: 'UTC', now: new Date().toISOString(), rows: '100', wide: 'true' };
    measured.push(await measure('screen', `member ${path}`, '/screen', query, member));
  }
  const largest = (key: 'bytes' | 'rows') => measured.toSorted((a, b) => b[key] - a[key]).slice(0, 10);
  print(largest('bytes'));
  print(largest('rows'));
  expect(measured.filter(({ status }) => status >= 500)).toEqual([]);
  // Each endpoint responded successfully to at least one viewer.
  const answered = new Set(measured.filter(({ status }) => status < 400).map(({ name }) => name));
  expect(reads.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual([]);
  expect(
    measured.filter(({ name, bytes, rows }) => {
      const limit = { ...usual, ...limits[name] };
      return bytes > limit.bytes || rows > limit.rows;
    }),
  ).toEqual([]);
}, 600_000);

const changed = (poll: 'poll' | 'smallPoll') =>
  client.query(`update events set description = description || '.' where id = '${idOf(poll)}'`);

test('polls: showing a poll with 5,000 voters and 12 times, or voting in it, reads less than twice as many rows as with 50 voters [T50]', async () => {
  const token = tokenOf(member);
  const get = (poll: 'poll' | 'smallPoll', as = token) =>
    ask(server.origin, { method: 'GET', path: `/v1/events/${idOf(poll)}` }, {}, as);
  let round = 0;
  const requests = {
    'shown to a member': (poll: 'poll' | 'smallPoll') => get(poll),
    'shown to a member after a change': (poll: 'poll' | 'smallPoll') => changed(poll).then(() => get(poll)),
    'shown to an admin': (poll: 'poll' | 'smallPoll') => get(poll, tokenOf(admin)),
    async vote(poll: 'poll' | 'smallPoll') {
      await client.query('delete from rate_limits');
      const vote = ['yes', 'no', 'if_needed'][++round % 3];
      const votes = Array.from({ length: 12 }, (_, nth) => ({ time: timeId(poll, nth), vote }));
      return ask(server.origin, { method: 'PUT', path: `/v1/events/${idOf(poll)}/votes` }, { votes }, token);
    },
  };
  const figures = [];
  for (const [request, send] of Object.entries(requests)) {
    const rows = { poll: 0, smallPoll: 0 };
    const took = { poll: Infinity, smallPoll: Infinity };
    for (const poll of ['smallPoll', 'poll'] as const)
      for (let repeat = 0; repeat < 10; repeat++) {
        await planned();
        const started = performance.now();
        const { status } = await send(poll);
        took[poll] = Math.min(took[poll], performance.now() - started);
        expect(status).toBe(200);
        rows[poll] = (await planned()).reduce((sum, each) => sum + rowsRead(each.Plan), 0);
      }
    figures.push({
      request,
      'rows of 50': rows.smallPoll,
      'rows of 5,000': rows.poll,
      'ms of 50': took.smallPoll,
      'ms of 5,000': took.poll,
    });
    expect.soft(rows.poll, request).toBeLessThan(2 * rows.smallPoll);
  }
  print(figures);
});

test('given answers: those of 5,000 members to a date of a series are written by reading at most twenty rows for each [AWAY-03]', async () => {
  const { rows } = await client.query<{ id: string }>(
    `select id from events where series_id = $1 and start_time > now() order by start_time limit 1`,
    [series],
  );
  const [date = ''] = rows.map(({ id }) => id);
  await client.query(`delete from answers where event_id = $1`, [date]);
  await planned();
  await inTransaction(server.db, (db) => updateGivenAnswers(db, [date], instant(Date.now())));
  const read = (await planned()).reduce((sum, each) => sum + rowsRead(each.Plan), 0);
  const written = await client.query('select from answers where event_id = $1', [date]);
  expect(written.rowCount).toBeGreaterThan(4000);
  expect(read).toBeLessThan(20 * (written.rowCount ?? 0));
});

test.each<[what: string, load: (db: Db, recipients: Recipients) => Promise<unknown>]>([
  ['events', eventsForMembers],
  ['clubs', clubsForMembers],
  ['important updates', importantUpdatesFor],
])('notices: loading the %s for 1,000 members reads at most thirty rows for each', async (_, load) => {
  const { rows } = await client.query<{ user_id: string }>(
    'select user_id from members where club_id = $1 order by user_id limit 1000',
    [club],
  );
  const facts = { event_id: idOf('going'), club_id: club, update_id: values['update']?.(member)[0] ?? '' };
  await planned();
  await load(
    server.db,
    rows.map(({ user_id }) => ({ user_id, facts })),
  );
  const read = (await planned()).reduce((sum, each) => sum + rowsRead(each.Plan), 0);
  expect(read).toBeGreaterThan(1000);
  expect(read).toBeLessThan(30 * rows.length);
});
