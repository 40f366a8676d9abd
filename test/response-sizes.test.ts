import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { signed } from '#platform/token.ts';
import { answerToken } from '#features/notifications/handlers.ts';
import { contracts } from '#features/contracts.ts';
import { prepareDatabase, startServer, type Server } from '#app/server.ts';
import type { Contract } from '#wire/endpoint.ts';
import { ask } from '#test/ask.ts';
import { openCluster } from '#test/cluster.ts';
import { logPlans, planReader, rowsRead } from '#test/logged-plans.ts';
import {
  clubId,
  eventId,
  fill,
  inLargeClub,
  personalSecret,
  tokenOf,
  userId,
  type Shape,
} from './query-plans-data.ts';

const shape: Shape = {
  typical: { clubs: 125, seats: 40, events: 1 },
  guests: 4,
  small: { clubs: 0, seats: 0, events: 0 },
  large: { members: 5000, events: 20_000 },
  notices: 0,
  updates: 1,
};

const club = clubId('large');
const [admin, host, member] = [0, 10, 20].map((nth) => inLargeClub(shape, nth)) as [number, number, number];
const viewers = { member, admin, host };

/** Events of the club by what they have 5,000 of. The others have five who are going. Event 4,000 starts now. */
const large = {
  going: 4001,
  waiting: 4002,
  maybe: 4003,
  no: 4004,
  poll: 4005,
  smallPoll: 4007,
  slots: 4006,
  over: 3990,
};
const idOf = (event: keyof typeof large) => eventId('large', large[event]);
const everyEvent = Object.keys(large).map((event) => idOf(event as keyof typeof large));
const ids = (events: readonly (keyof typeof large)[]) => events.map((event) => `'${idOf(event)}'`).join();

const series = eventId('large', 5000);
const eventOf = (number: string) =>
  `overlay(overlay(md5('event large-' || ${number}) placing '4' from 13) placing '8' from 17)::uuid`;

const text = (characters: number) =>
  `repeat('Words of a long text ', ${Math.ceil(characters / 20)})::varchar(${characters})`;

const fixtures = [
  `update users set profile_picture_url = '/api/v1/media/' || id || '-400.webp', last_name = last_name || ' of the large club'`,
  `delete from answers where event_id in (${ids(['going', 'waiting', 'maybe', 'no', 'poll', 'smallPoll', 'slots', 'over'])})`,
  `insert into answers (event_id, user_id, attendee_role, answered_at, event_start, event_end)
     select e.id, '${userId(host)}', 'organiser', now() - interval '2 days', start_time, end_time from events e
     where id in (${ids(['going', 'waiting', 'maybe', 'no', 'poll', 'smallPoll', 'slots', 'over'])})`,
  ...(['going', 'waiting', 'maybe', 'no', 'over'] as const).map(
    (
      event,
    ) => `insert into answers (event_id, user_id, answered_at, event_start, event_end, answer, place, note)
     select e.id, m.user_id, now() - interval '1 day' + n * interval '1 second', start_time, end_time,
       '${event === 'over' ? 'going' : event}', ${event === 'waiting' ? 'n' : 'null'}, ${text(200)}
     from events e, (select user_id, row_number() over (order by user_id) as n from members
       where club_id = '${club}' and user_id <> '${userId(host)}') as m
     where e.id = '${idOf(event)}'`,
  ),
  `update events set capacity = 1, details = ${text(10_000)}, description = ${text(2000)} where id = '${idOf('waiting')}'`,
  `insert into check_ins (event_id, user_id, came, came_at) select event_id, user_id, true, now() from answers
     where event_id = '${idOf('over')}'`,
  `insert into event_followers (event_id, user_id) select e.id, m.user_id from events e, members m
     where e.id in (${ids(['going', 'no'])}) and m.club_id = '${club}' on conflict do nothing`,
  `update events set polling = true where id in (${ids(['poll', 'smallPoll'])})`,
  ...(['poll', 'smallPoll'] as const).flatMap((poll) => [
    `insert into event_times (id, event_id, start_time, end_time)
     select ${eventOf(`'${poll} ' || n`)}, id, start_time + n * interval '1 day', end_time + n * interval '1 day'
     from events, generate_series(0, 11) as n where id = '${idOf(poll)}'`,
    `insert into time_votes (event_id, time_id, user_id, vote, voted_at)
     select t.event_id, t.id, m.user_id, (array['yes', 'if_needed', 'no'])[1 + (n + extract(day from t.start_time)::int) % 3],
       date_trunc('milliseconds', now()) + n * interval '1 millisecond'
     from event_times t, (
       select user_id, row_number() over (order by user_id <> '${userId(member)}', user_id) as n from members
       where club_id = '${club}') as m
     where t.event_id = '${idOf(poll)}' and n <= ${poll === 'poll' ? 5000 : 50}`,
  ]),
  `insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, words, asked_again)
     select gen_random_uuid(), id, 'edit', '${userId(admin)}', now() - n * interval '1 minute', n,
       jsonb_build_object('details', ${text(300)}), jsonb_build_object('details', ${text(300)}), ${text(200)}, n % 2 = 0
     from events, generate_series(1, 2000) as n where id = '${idOf('going')}'`,
  `update events set sequence = 2000 where id = '${idOf('going')}'`,
  `insert into slots (id, event_id, kind, title, places, by_id, created_at)
     select ${eventOf(`'slot ' || n`)}, '${idOf('slots')}', 'bring', ${text(100)}, 50, '${userId(host)}', now()
     from generate_series(1, 50) as n`,
  `insert into slot_claims (slot_id, user_id, places) select s.id, m.user_id, 1
     from slots s, (select user_id from members where club_id = '${club}' order by user_id limit 50) as m`,
  `insert into series (id, slug, club_id, host_id, fields, freq, every, weekdays, local_time, time_zone, minutes, starts_on,
      words, everybody, created_at)
    select case n when 1 then '${series}' else gen_random_uuid() end, 'series-' || n, '${club}', '${userId(host)}',
      jsonb_build_object('name', 'Run', 'details', ${text(10_000)}), 'weekly', 1, '{1,2,3,4,5,6,7}', '19:00', 'UTC', 60,
      current_date, 'Every day', true, now() from generate_series(1, 20) as n`,
  `update events set series_id = '${series}', slot_on = current_date + n, description = ${text(500)}
     from generate_series(5000, 5199) as n where id = ${eventOf('n')}`,
  `insert into standing_answers (series_id, user_id, answer, since) select s.id, user_id, 'going', now()
     from series s join members using (club_id)`,
  `insert into club_breaks (club_id, first_on, last_on, name)
     select '${club}', current_date + n * 7, current_date + n * 7, ${text(100)} from generate_series(1, 50) as n`,
  `insert into club_updates (id, club_id, creator_id, content, created_at)
     select ${eventOf(`'update ' || n`)}, '${club}', '${userId(admin)}', ${text(5000)}, now() - n * interval '1 hour'
     from generate_series(1, 1000) as n`,
  `insert into pictures (name, club_id, update_id, kind, width, height, position, created_at)
     select id || '-' || n, club_id, id, 'update', 1600, 1200, n, now() from club_updates, generate_series(1, 4) as n
     where club_id = '${club}'`,
  ...Object.values(viewers).map(
    (viewer) => `insert into notifications (id, user_id, kind, cause, actor_id, subject, created_at)
     select gen_random_uuid(), '${userId(viewer)}', 'new_event', gen_random_uuid(), '${userId(admin)}',
       jsonb_build_object('club_name', 'The large club', 'club_slug', 'club-large', 'event_name', ${text(120)},
         'event_slug', 'event-large-' || n), now() - n * interval '1 minute' from generate_series(1, 5000) as n`,
  ),
  `insert into feed_fetches (user_id, club_id, app, fetched_at) select user_id, club_id, 'apple', now() from members
     where club_id = '${club}'`,
  `insert into feed_fetches (user_id, app, fetched_at) select user_id, 'google', now() from members where club_id = '${club}'`,
  // Those who come first in the attendance came to a thousand events.
  `insert into answers (event_id, user_id, answered_at, event_start, event_end, answer)
     select e.id, m.id, now() - interval '200 days', start_time, end_time, case when n % 5 = 0 then 'no' else 'going' end
     from (select id, start_time, end_time, row_number() over (order by start_time) as n from events
       where owner_club_id = '${club}' and end_time < now() order by start_time limit 1000) as e,
       (select u.id from users u join members on user_id = u.id where club_id = '${club}'
        order by lower(first_name), lower(last_name), u.id limit 101) as m
     on conflict do nothing`,
  `insert into check_ins (event_id, user_id, came, came_at) select event_id, user_id, true, now() from answers
     where answered_at < now() - interval '100 days' and answer = 'going'`,
  `insert into email_changes (id, user_id, old_email, new_email, code_ends_at, requested_at, changed_at, ends_at)
     values ('${userId(member)}', '${userId(member)}', 'old@example.org', 'new@example.org', now(), now() - interval '2 days',
       now() - interval '2 days', now() + interval '5 days')`,
  `update members set answer_key = 'key' where club_id = '${club}'`,
];

const config = readConfig({
  HOST: '127.0.0.1',
  PORT: '0',
  SECRET_KEY: 'a key that only the tests of this project use',
  DATA_DIR: join(inject('dataDirs'), 'sizes'),
  LIMITS_PER_ADDRESS: 'off',
});

let cluster: Awaited<ReturnType<typeof openCluster>>;
let client: pg.Client;
let server: Server;
let planned: Awaited<ReturnType<typeof planReader>>;
/** The values of the path parameters and of other inputs, by name and by viewer. */
let values: Record<string, (viewer: number) => readonly string[]>;

beforeAll(async () => {
  cluster = await openCluster();
  client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await prepareDatabase(cluster.url, createLog('silent'));
  await fill(cluster.url, shape);
  for (const statement of fixtures) await client.query(statement);
  await client.query('vacuum analyze');
  await logPlans(client, { analyze: true });
  const { rows } = await client.query<{ user_id: string; calendar_secret: string }>(
    'select user_id, calendar_secret from members where club_id = $1',
    [club],
  );
  const secrets = new Map(rows.map((row) => [row.user_id, row.calendar_secret]));
  values = {
    club: () => [club],
    event: () => everyEvent,
    series: () => [series],
    secret: (viewer) => [secrets.get(userId(viewer)) ?? '', personalSecret(viewer)],
    invite: () => ['invite-large'],
    time: () => [timeId('poll', 0)],
    q: () => ['', 'event', 'number 1'],
    token: (viewer) => [
      answerToken(config, { user_id: userId(viewer), event_id: idOf('going'), answer_key: 'key' }),
      signed(config.secretKey, 'revert-email', userId(viewer)),
    ],
  };
  server = await startServer({ config, databaseUrl: cluster.url, log: createLog('silent') });
  // The statements of jobs would count too.
  await client.query(`create function no_job() returns trigger language plpgsql as 'begin return null; end'`);
  await client.query('create trigger no_job before insert on jobs for each row execute function no_job()');
  const pending = 'select from jobs where run_at <= now()';
  while ((await client.query(pending)).rows.length > 0) await sleep(50);
  planned = await planReader(cluster, client);
});

afterAll(async () => {
  await server.close();
  await client.end();
  await cluster.close();
});

const timeId = (poll: 'poll' | 'smallPoll', nth: number) => eventId('large', `${poll} ${nth}` as never);

/** Reads that change something, or that need another service. */
const notWalked = new Set(['auth.login', 'auth.confirm', 'auth.refresh', 'media.file']);

const reads = Object.entries(contracts as Record<string, Contract>).flatMap(([noun, contract]) =>
  Object.entries(contract)
    .map(([name, endpoint]) => ({ name: `${noun}.${name}`, endpoint }))
    .filter(({ name, endpoint }) => endpoint.method === 'GET' && !notWalked.has(name)),
);

/** All values of an input: those of an enum, or the known ones. Of the others, only optional ones may be missing. */
function valuesOf(
  key: string,
  schema: z.ZodType,
  path: string,
  viewer: number,
): readonly (string | undefined)[] {
  const inner = schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
  if (inner instanceof z.ZodEnum) return inner.options as string[];
  const known = values[key]?.(viewer);
  if (known) return known;
  if (schema.safeParse(undefined).success) return [undefined];
  throw new Error(`${path}: add a value for ${key} to the test`);
}

const inputsOf = ({ path, input }: (typeof reads)[number]['endpoint'], viewer: number) =>
  Object.entries(input.shape as Record<string, z.ZodType>).reduce<Record<string, string>[]>(
    (inputs, [key, schema]) =>
      inputs.flatMap((known) =>
        valuesOf(key, schema, path, viewer).map((value) =>
          value === undefined ? known : { ...known, [key]: value },
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

/** Bytes of a response and rows read for it, unless `limits` says otherwise: a few times the members, or the events once. */
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
  'events.ofClub': cards,
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
        const event = Object.keys(large).find((each) => idOf(each as keyof typeof large) === input['event']);
        const others = Object.values(input).filter((value) => value !== input['event']);
        const what = [as, name, event, ...others].filter(Boolean).join(' ');
        const known = { ...input, club, ...(secret && { secret }), ...(token && { token }) };
        measured.push(await measure(name, what, endpoint.path, known, viewer));
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
  // Each endpoint was answered to somebody.
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

test('polls: one with 5,000 voters and 12 times reads less than twice the rows of one with 50, to show it and to vote [T50]', async () => {
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
