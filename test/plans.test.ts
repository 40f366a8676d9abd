import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { cursorOf } from '#platform/page.ts';
import type { Method } from '#wire/endpoint.ts';
import { instant } from '#wire/instant.ts';
import * as accounts from '#features/account/store.ts';
import { contracts } from '#app/contracts.ts';
import { prepareDatabase, startServer, type Server } from '#app/server.ts';
import { ask } from '#test/ask.ts';
import {
  clubId,
  clubSecret,
  eventSlug,
  fill,
  inSeat,
  personalSecret,
  tokenOf,
  userId,
  type Shape,
} from '../scripts/bench/dataset.ts';
import { openCluster } from '../scripts/faults/cluster.ts';

/** Just enough that looking through a table costs more than finding the row. */
const shape: Shape = {
  typical: { clubs: 260, seats: 40, events: 40 },
  guests: 1,
  small: { clubs: 10_000, seats: 0, events: 0 },
  large: { members: 50, events: 50 },
  notices: 1,
  updates: 40,
};

/** What people leave elsewhere, one row for each of them. */
const traces = `
  insert into login_codes (id, email, short_hash, long_hash, created_at, expires_at)
    select gen_random_uuid(), email, id::text::bytea, id::text::bytea, now(), now() + interval '10 minutes' from users;
  insert into login_guards (email, hour_started_at) select email, now() from users;
  insert into rate_limits (key, window_ends_at, taken) select 'feed:' || id, now() + interval '1 hour', 1 from users;
  insert into ejections (club_id, user_id, ejected_at) select c.id, u.id, now()
    from clubs c cross join lateral (select id from users where id > c.id order by id limit 1) u;
  insert into kept_answers (user_id, deed, body_hash, status, answer, answered_at)
    select id, id::text::bytea, '', 200, '', now() from users;
  insert into feedback (id, user_id, feedback, created_at) select gen_random_uuid(), id, 'Fine.', now() from users;
  insert into pictures (name, user_id, kind, created_at) select id, id, 'person', now() from users;
  insert into payment_accounts (user_id, account, email, changed_at) select id, 'acct_' || id, email, now() from users;
  analyze`;

interface Call {
  method: Method;
  path: string;
  user?: number;
  body?: Record<string, unknown>;
}

const [admin, member] = [inSeat(shape, 0, 0), inSeat(shape, 0, 10)];
const as =
  (user: number | undefined) =>
  (line: string, body?: Record<string, unknown>): Call => {
    const [method, path] = line.split(' ') as [Method, string];
    return { method, path, ...(user === undefined ? {} : { user }), ...(body ? { body } : {}) };
  };
const [byAdmin, byMember, byNobody] = [as(admin), as(member), as(undefined)];
const club = clubId(0);
const coming = eventSlug(0, 40);
const placeAmongMembers = cursorOf([0, 'Person', 'Number 3', clubId(0)]);
const placeAmongEvents = cursorOf([instant(Date.now()), clubId(0)]);
const tomorrow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

const reads: Record<string, Call> = {
  'users.me': byMember('GET /v1/users'),
  'notifications.list': byMember('GET /v1/notifications'),
  'notifications.settings': byMember('GET /v1/notification-settings'),
  'auth.sessions': byMember('GET /v1/users/sessions'),
  'invites.ofClub': byMember(`GET /v1/invite-links/club/${club}`),
  'invites.get': byNobody('GET /v1/invite-links/invite-0'),
  'events.attending': byMember('GET /v1/users/events'),
  'events.ofMyClubs': byMember('GET /v1/users/clubs/events'),
  'events.cards': byMember(`GET /v1/clubs/${club}/events/card`),
  'events.get': byMember(`GET /v1/events/${coming}`),
  'updates.ofClub': byMember('GET /v1/updates/club-0'),
  'clubs.get': byMember('GET /v1/clubs/club-0'),
  'clubs.getForAdmin': byAdmin(`GET /v1/clubs/admin/${club}`),
  'members.ofClub': byMember(`GET /v1/clubs/${club}/members`, { after: placeAmongMembers }),
  'members.forAdmin': byAdmin(`GET /v1/clubs/admin/${club}/members`, {
    q: 'person',
    after: placeAmongMembers,
  }),
  'events.ofClub': byMember(`GET /v1/clubs/${club}/events`, { after: placeAmongEvents }),
  'events.ofClub in progress': byMember(`GET /v1/clubs/${club}/events`, { phase: 'in_progress' }),
  'events.ofClub previous': byMember(`GET /v1/clubs/${club}/events`, {
    phase: 'previous',
    after: placeAmongEvents,
  }),
  'calendar.clubFeed': byNobody(`GET /v1/clubs/${club}/ical/${clubSecret(0, member)}/calendar.ics`),
  'calendar.personalFeed': byNobody(
    `GET /v1/users/${personalSecret(inSeat(shape, 0, 12))}/ical/calendar.ics`,
  ),
  'calendar.oneEvent': byMember(`GET /v1/events/${coming}/calendar.ics`),
  'search.find': byMember('GET /v1/events/clubs/filter?q=event'),
  'account.deletion': byMember('GET /v1/users/deletion'),
};

/** In an order in which each is possible. */
const writes: Record<string, Call> = {
  'auth.login': byNobody('GET /v1/auth/login?email=person-1@example.org'),
  'auth.confirm': byNobody('GET /v1/auth/confirm?email=person-2@example.org&code=AAAAAA'),
  'users.update': byMember('PATCH /v1/users', { last_name: 'Other' }),
  'notifications.saveSettings': byMember('PUT /v1/notification-settings', { new_event: false }),
  'notifications.seen': byMember(`POST /v1/notifications/${randomUUID()}/seen`, {}),
  'notifications.actioned': byMember(`POST /v1/notifications/${randomUUID()}/actioned`, {}),
  'notifications.remove': byMember(`DELETE /v1/notifications/${randomUUID()}`),
  'notifications.clear': byMember('DELETE /v1/notifications'),
  'attendance.attend': as(inSeat(shape, 0, 39))(`POST /v1/events/${coming}/attend`, {}),
  'attendance.favourite': byMember(`POST /v1/events/${coming}/favourite`, { favourite: true }),
  'attendance.subscribe': byMember(`POST /v1/events/${coming}/subscribe`, {}),
  'attendance.unsubscribe': byMember(`POST /v1/events/${coming}/unsubscribe`, {}),
  'attendance.unattend': as(inSeat(shape, 0, 39))(`POST /v1/events/${coming}/unattend`, {}),
  'updates.publish': byAdmin(`POST /v1/updates/${club}`, { content: 'News' }),
  'events.create': byAdmin(`POST /v1/clubs/${club}/events`, {
    name: 'Run',
    location_name: 'Pier 3',
    start_time: tomorrow(24),
    end_time: tomorrow(25),
  }),
  'events.edit': byAdmin(`PUT /v1/events/${coming}/edit/${club}`, { name: 'Other name' }),
  'events.cancel': byAdmin(`DELETE /v1/events/${coming}/cancel`),
  'invites.create': byAdmin('POST /v1/invite-links', { club_id: club }),
  'invites.join': as(inSeat(shape, 5, 20))('POST /v1/invite-links/join/invite-7', {}),
  'members.changeRole': byAdmin(`PATCH /v1/clubs/${club}/role/${userId(inSeat(shape, 0, 12))}`, {
    role: 100,
  }),
  'members.eject': byAdmin(`PUT /v1/clubs/${club}/eject/${userId(inSeat(shape, 0, 13))}`),
  'members.leave': as(inSeat(shape, 0, 14))(`PUT /v1/clubs/${club}/leave`),
  'clubs.create': byMember('POST /v1/clubs', { club_name: 'New club' }),
  'clubs.update': byAdmin(`PATCH /v1/clubs/${club}`, { club_description: 'Other' }),
  'calendar.replaceSecret': byMember('POST /v1/users/ical/reset', {}),
  'media.removeOwn': byMember('DELETE /v1/users/picture'),
  'feedback.send': byMember('POST /v1/feedback', { feedback: 'Fine.' }),
  'clubs.remove': as(inSeat(shape, 1, 0))(`DELETE /v1/clubs/${clubId(1)}`),
  'auth.logout': as(inSeat(shape, 2, 10))('POST /v1/auth/logout'),
};

let cluster: Awaited<ReturnType<typeof openCluster>>;

async function execute<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  return (await client.query<Row>(text).finally(() => client.end())).rows;
}

beforeAll(async () => {
  cluster = await openCluster();
  await prepareDatabase(cluster.url, createLog('silent'));
  await fill(cluster.url, shape);
  for (const trace of traces.split(';')) await execute(trace);
  // The plan of every statement, of those that triggers and references lead to as well.
  for (const setting of [
    `session_preload_libraries = 'auto_explain'`,
    'auto_explain.log_min_duration = 0',
    'auto_explain.log_nested_statements = on',
    `auto_explain.log_format = 'json'`,
  ])
    await execute(`alter database postgres set ${setting}`);
  // What the queue of jobs asks for by itself is no request's.
  await execute(`alter system set log_line_prefix = '%a: '`);
  await execute('select pg_reload_conf()');
});

afterAll(() => cluster.close());

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

interface Planned {
  'Query Text': string;
  Plan: Plan;
}

/** What the app has had planned since this was asked the last time; what is only half written comes the next time. */
async function logReader() {
  let from = (await readFile(cluster.logFile)).length;
  return async (): Promise<Planned[]> => {
    const text = (await readFile(cluster.logFile)).toString('latin1', from);
    const entries = [...text.matchAll(/^(.*)LOG: .* plan:\n(\t\{\n(?:\t .*\n)+\t\}\n)/gm)];
    const last = entries.at(-1);
    if (last) from += last.index + last[0].length;
    return entries
      .filter(([, by]) => by === 'muster: ')
      .map(([, , json = '']) => JSON.parse(json.replaceAll(/^\t/gm, '')) as Planned);
  };
}

const scansIn = ({ Plans = [], ...plan }: Plan, large: ReadonlySet<string>): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && large.has(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] as string]
    : []),
  ...Plans.flatMap((inner) => scansIn(inner, large)),
];

/** More than these many statements are too many for a read, but for the ones that are known to need them. */
const budget = 3;
const known: Record<string, number> = {
  'clubs.getForAdmin': 7,
};

test('every call is tried but those that ask somebody else', () => {
  const all = Object.entries(contracts).flatMap(([noun, contract]) =>
    Object.keys(contract).map((name) => `${noun}.${name}`),
  );
  const tried = new Set([...Object.keys(reads), ...Object.keys(writes)]);
  expect(all.filter((name) => !tried.has(name))).toEqual([
    'users.confirmEmail',
    'notifications.unsubscribe',
    'auth.refresh',
    'auth.endSession',
    'invites.remove',
    'media.setOwn',
    'media.setAvatar',
    'media.removeAvatar',
    'media.setBanner',
    'media.removeBanner',
    'media.file',
    'payments.open',
    'payments.link',
    'payments.authorise',
    'account.remove',
    'account.export',
  ]);
});

describe.each([
  ['force_generic_plan', inSeat(shape, 3, 10)],
  ['force_custom_plan', inSeat(shape, 4, 10)],
])('with %s', (mode, leaver) => {
  let server: Server;
  let planned: () => Promise<Planned[]>;
  let large: Set<string>;

  beforeAll(async () => {
    await execute(`alter database postgres set plan_cache_mode = ${mode}`);
    const rows = await execute<{ relname: string }>('select relname from pg_class where reltuples > 10000');
    large = new Set(rows.map(({ relname }) => relname));
    const config = readConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      SECRET_KEY: 'a key that only the tests of this project use',
      DATA_DIR: join(inject('dataDirs'), 'statements'),
      LIMITS_PER_ADDRESS: 'off',
    });
    server = await startServer({ config, databaseUrl: cluster.url, log: createLog('silent') });
    planned = await logReader();
    await untilIdle();
  });

  afterAll(() => server.close());

  /** What the process begins by itself has to be over. */
  async function untilIdle() {
    const last = 'attempts >= max_attempts and locked_at is null and updated_at <';
    while (!(await planned()).some((one) => one['Query Text'].includes(last))) await sleep(50);
    const waiting = 'select from graphile_worker._private_jobs where run_at <= now()';
    while ((await execute(waiting)).length > 0) await sleep(50);
    while ((await planned()).length > 0) await sleep(300);
  }

  async function made({ method, path, user, body }: Call): Promise<Planned[]> {
    await ask(server.origin, { method, path }, body, user === undefined ? undefined : tokenOf(user));
    // A plan is logged when its statement is over, which is after the last row has left.
    const busy = `select from pg_stat_activity where application_name = 'muster' and state <> 'idle'`;
    while ((await execute(busy)).length > 0) await sleep(5);
    return planned();
  }

  const scanned = (plans: readonly Planned[]) =>
    plans.flatMap((one) =>
      scansIn(one.Plan, large).map((table) => `${table}: ${one['Query Text'].replaceAll(/\s+/g, ' ')}`),
    );

  test('the tables that matter are large enough', () => {
    expect([...large]).toEqual(
      expect.arrayContaining([
        'users',
        'sessions',
        'clubs',
        'members',
        'events',
        'attendances',
        'notifications',
      ]),
    );
  });

  test.each(Object.entries(reads))('%s looks through no large table, and asks little', async (name, call) => {
    const plans = await made(call);
    expect(scanned(plans)).toEqual([]);
    expect(plans.length).toBeLessThanOrEqual(known[name] ?? budget);
    expect(plans.length).toBeGreaterThan(name === 'invites.get' ? 0 : 1);
  });

  test('what the deletion of an account and its export ask for looks through no large table', async () => {
    const user = userId(leaver);
    await accounts.lockAccount(server.db, user, instant(Date.now()));
    await accounts.soleAdminships(server.db, user);
    const parts = [
      accounts.profileOf,
      accounts.clubsOf,
      accounts.ejectionsOf,
      accounts.linksOf,
      accounts.attendancesOf,
      accounts.updatesOf,
      accounts.feedbackOf,
      accounts.notificationsOf,
    ];
    for (const part of parts) await part(server.db, user);
    for (const table of ['favourites', 'subscriptions'] as const) await accounts.kept(server.db, table, user);
    await accounts.deleteUser(server.db, user);
    const plans = await planned();
    expect(plans.length).toBeGreaterThan(20);
    expect(scanned(plans)).toEqual([]);
  });

  test.each(Object.entries(writes))('%s looks through no large table', async (_name, call) => {
    expect(scanned(await made(call))).toEqual([]);
  });
});
