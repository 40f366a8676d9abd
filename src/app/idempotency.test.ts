import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { all, first, run, sql } from '#platform/db/client.ts';
import { deleteExpiredKeys, maxStored } from '#platform/http/idempotency.ts';
import { createLog } from '#platform/log.ts';
import { takesKey } from '#wire/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { features } from '#app/features.ts';
import { startServer } from '#app/server.ts';
import { newSeries } from '#test/new-series.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { send, whileHeld } from '#test/calls.ts';
import { codeIn, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
});
afterAll(() => w[Symbol.asyncDispose]());

const named = (key: string) => ({ 'idempotency-key': key });
const found = (person: Person, key: string, club_name = 'Chess') =>
  send(w, person, 'POST /v1/clubs', { club_name }, named(key));
const clubsCalled = (name: string) => all(w.db, sql`select 1 from clubs where club_name = ${name}`);

describe('request with an Idempotency-Key', () => {
  test('is performed once if it is sent fifty times concurrently and once later [C11]', async () => {
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: 50 }, () => found(ada, key, 'Fifty')));
    const done = responses.filter(({ status }) => status === 200);
    const running = responses.filter(({ status }) => status !== 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(running.map(({ status, error }) => `${status} ${error}`)).size).toBeLessThan(2);
    for (const { error, headers } of running)
      expect([error, headers.get('retry-after')]).toEqual(['still_running', '1']);
    const later = await found(ada, key, 'Fifty');
    for (const { status, data } of [...done, later]) expect([status, data]).toEqual([200, done[0]?.data]);
    expect(later.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await clubsCalled('Fifty')).toHaveLength(1);
  });

  test('returns the original response and status, even after the data has changed', async () => {
    const publish = (content: string) =>
      send(w, ada, `POST /v1/updates/${club.slug}`, { content }, named('news'));
    const made = await publish('Boats are back');
    expect(made.status).toBe(201);
    await run(w.db, sql`delete from club_updates`);
    const again = await publish('Boats are back');
    expect([again.status, again.data]).toEqual([201, made.data]);
    expect(await all(w.db, sql`select 1 from club_updates`)).toEqual([]);
  });

  test('is refused if the key was used with another body [C11]', async () => {
    expect((await found(ada, 'one body', 'Draughts')).status).toBe(200);
    const other = await found(ada, 'one body', 'Go');
    expect([other.status, other.error]).toEqual([422, 'other_body']);
    expect(await clubsCalled('Go')).toEqual([]);
  });

  test('is performed once per user, path and method', async () => {
    const key = 'shared';
    const [mine, theirs] = [await found(ada, key, 'Shared'), await found(bob, key, 'Shared')];
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    expect(theirs.data).not.toEqual(mine.data);
    const events = [await w.event(club, ada), await w.event(club, ada)];
    for (const { slug } of events)
      expect(await send(w, bob, `POST /v1/events/${slug}/attend`, {}, named(key))).toMatchObject({
        status: 200,
        data: { my_role: 'attendee', user_count: 2 },
      });
    const rename = await send(w, ada, `PATCH /v1/clubs/${club.id}`, {}, named(key));
    expect(rename).toMatchObject({ status: 200, data: { id: club.id } });
  });

  test('is refused while the first request is still running', async () => {
    const rename = () =>
      send(w, ada, `PATCH /v1/clubs/${club.id}`, { location_name: 'Pier 3' }, named('slow'));
    const lock = sql`select 1 from clubs where id = ${club.id} for update`;
    const outcome = await whileHeld(w, lock, rename, async () => {
      const twin = await rename();
      expect([twin.status, twin.error, twin.headers.get('retry-after')]).toEqual([409, 'still_running', '1']);
    });
    expect(outcome).toBe('ok');
    expect((await rename()).status).toBe(200);
  });

  test('can be retried with the same key after an error', async () => {
    const eject = () =>
      send(w, bob, `PATCH /v1/clubs/${club.id}`, { location_name: 'Pier 4' }, named('early'));
    expect((await eject()).status).toBe(403);
    expect((await found(bob, 'early', ' ')).status).toBe(400);
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    expect((await eject()).status).toBe(200);
    expect((await found(bob, 'early', 'Early')).status).toBe(200);
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 0 });
  });

  test.each([
    ['that is empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
    ['with an accent', 'caf\u00e9'],
    ['with a tabulator', 'a\tb'],
  ])('is refused with a key %s', async (_what, key) => {
    const response = await found(ada, key, 'Nameless');
    expect([response.status, response.error]).toEqual([400, 'bad_input']);
    expect(await clubsCalled('Nameless')).toEqual([]);
  });

  test('may have a key of up to 255 characters, which is ignored without a session and for reads', async () => {
    expect((await found(ada, 'x'.repeat(255), 'Long')).status).toBe(200);
    const before = await all(w.db, sql`select 1 from idempotency_keys`);
    const odd = named('x'.repeat(256));
    expect((await send(w, ada, 'GET /v1/users', undefined, odd)).status).toBe(200);
    const login = await send(w, undefined, 'GET /v1/auth/login', { email: 'x@example.org' }, odd);
    expect(login.status).toBe(200);
    expect((await send(w, undefined, 'POST /v1/clubs', { club_name: 'x' }, odd)).status).toBe(401);
    expect(await all(w.db, sql`select 1 from idempotency_keys`)).toEqual(before);
  });

  test('is performed again after a day', async () => {
    await using mine = await world();
    const eve = await mine.person('Eve');
    const create = () => send(mine, eve, 'POST /v1/clubs', { club_name: 'Daily' }, named('daily'));
    const count = async () => (await all(mine.db, sql`select 1 from idempotency_keys`)).length;
    const day = async (span: string) => {
      mine.later(span);
      await eve.api.users.me({});
      return create();
    };
    const first = await create();
    expect((await day('23 hours')).data).toEqual(first.data);
    await deleteExpiredKeys(mine.db, mine.now());
    expect(await count()).toBe(1);
    // The request is performed again even though the expired key has not been deleted yet.
    expect((await day('61 minutes')).data).not.toEqual(first.data);
    await deleteExpiredKeys(mine.db, mine.now());
    expect(await count()).toBe(1);
    mine.later('25 hours');
    await deleteExpiredKeys(mine.db, mine.now());
    expect(await count()).toBe(0);
  });

  test('is stored only as hashes and an encrypted response, which are deleted with the user', async () => {
    const eve = await w.person('Eve');
    const key = 'canary-key';
    await found(eve, key, 'Canary Rowers');
    const mine = sql<{ text: string }>`
      select string_agg(encode(request_hash, 'escape') || encode(response, 'escape') || encode(body_hash, 'escape'), ' ') as text
      from idempotency_keys where user_id = ${eve.id}`;
    const row = await first(w.db, mine);
    expect(row?.text.length).toBeGreaterThan(100);
    expect(row?.text).not.toMatch(/canary|club_name/i);
    await eve.api.auth.sendCode({ purpose: 'deletion' });
    const code = codeIn(await w.mail(eve.email));
    const gone = await send(w, eve, 'DELETE /v1/users', { code, choices: [] }, named('the end'));
    expect(gone).toMatchObject({ status: 200, data: null });
    expect((await first(w.db, mine))?.text).toBeNull();
  });

  test('is supported by all authenticated writes except uploads, calls to the payment provider, responses that must not be stored and calls with transactions of their own [LIST-05]', () => {
    const without = Object.entries(contracts).flatMap(([noun, contract]) =>
      Object.entries(contract)
        .filter(([, call]) => call.method !== 'GET' && !takesKey(call))
        .map(([name]) => `${noun}.${name}`),
    );
    expect(without.toSorted()).toEqual([
      'absences.add',
      'absences.change',
      'absences.remove',
      'answers.answerByLink',
      'answers.export',
      'media.addToUpdate',
      'media.setAvatar',
      'media.setBanner',
      'media.setOwn',
      'members.export',
      'members.phone',
      'notifications.unsubscribe',
      'payments.link',
      'payments.open',
      'push.testDevice',
      'updates.readByLink',
      'users.revertEmail',
    ]);
  });
});

/** The max bytes of JSON that a schema allows; Infinity for lists. A text without a limit is a name or an address. */
function longest(schema: z.core.JSONSchema._JSONSchema): number {
  if (typeof schema === 'boolean') return Infinity;
  const formats: Record<string, number> = { uuid: 36, 'date-time': 24, date: 10 };
  if (schema.anyOf) return Math.max(...schema.anyOf.map(longest));
  if (schema.enum) return Math.max(...schema.enum.map((value) => JSON.stringify(value).length));
  const [type] = [schema.type].flat();
  if (type === 'string') return 2 + (formats[schema.format ?? ''] ?? 3 * (schema.maxLength ?? 120));
  if (type === 'object' && schema.properties)
    return Object.entries(schema.properties).reduce(
      (sum, [key, of]) => sum + key.length + 4 + longest(of),
      2,
    );
  return /^(integer|boolean|null)$/.test(String(type)) ? 20 : Infinity;
}

describe('response of a request with a key', () => {
  test('is at most 2 KB or read again by a repeated request, at every endpoint that takes a key [T51]', () => {
    const unbounded = features.flatMap(({ contract, handlers }) =>
      Object.entries(contract)
        .filter(([name, call]) => takesKey(call) && !('read' in (handlers[name] ?? {})))
        .filter(([, call]) => !('output' in call) || 100 + longest(z.toJSONSchema(call.output)) > maxStored)
        .map(([, { method, path }]) => `${method} ${path}`),
    );
    expect(unbounded).toEqual([]);
  });

  test('with the longest names is stored [T51]', async () => {
    const name = '漢'.repeat(120);
    const times = { start_time: '2090-01-01T10:00:00Z', end_time: '2090-01-01T12:00:00Z' };
    const made = await found(ada, 'longest', '漢'.repeat(80));
    expect(made.status).toBe(200);
    const { id } = made.data as ClubHandle;
    for (const [path, input] of [
      ['events', { name, location_name: name, ...times }],
      ['series', { ...newSeries, name }],
    ] as const) {
      const plan = () => send(w, ada, `POST /v1/clubs/${id}/${path}`, input, named('longest'));
      const first = await plan();
      expect(first).toMatchObject({ status: 200, data: { name } });
      expect((await plan()).data).toEqual(first.data);
    }
  });

  test('that is larger than 2 KB is read again by a repeated request, and a hundred requests store little [C11 T51]', async () => {
    const event = await w.event(club, ada);
    const add = (key: string) =>
      send(
        w,
        ada,
        `POST /v1/events/${event.id}/slots`,
        { kind: 'bring', title: 'x'.repeat(100), places: 1 },
        named(key),
      );
    for (let entry = 1; entry <= 50; entry++) expect((await add(`entry ${entry}`)).status).toBe(200);
    const { slots } = await ada.api.slots.list({ event: event.id });
    expect(slots).toHaveLength(50);
    const again = await add('entry 50');
    expect([again.status, again.data]).toEqual([200, { slots }]);
    // The response to a repeated request contains only what the member may read now.
    const publish = () =>
      send(w, ada, `POST /v1/updates/${club.id}`, { content: 'x'.repeat(5000) }, named('long'));
    const published = await publish();
    expect(published.status).toBe(201);
    expect(await publish()).toMatchObject({ status: 201, data: published.data });
    await run(w.db, sql`delete from club_updates`);
    expect((await publish()).status).toBe(404);

    for (let save = 1; save <= 100; save++)
      expect((await send(w, ada, 'PATCH /v1/users', {}, named(`save ${save}`))).status).toBe(200);
    const { bytes } = (await first(
      w.db,
      sql<{ bytes: number }>`select max(pg_column_size(k.*)) as bytes from idempotency_keys k`,
    )) as { bytes: number };
    expect(bytes).toBeLessThan(maxStored + 300);
  });
});

test('idempotency: a request with a key costs three extra statements, a request without a key costs none', async () => {
  await using proxy = await openTcpProxy(w.databaseUrl);
  const { config } = w;
  const server = await startServer({ config, databaseUrl: proxy.url, log: createLog('silent') });
  const there = { ...w, origin: server.origin };
  const rename = (more = {}) => send(there, ada, 'PATCH /v1/users', { last_name: randomUUID() }, more);
  await rename(named('warm'));
  // Wait until the jobs of the process start are done.
  await expect.poll(() => proxy.count(() => sleep(700)), { timeout: 20_000 }).toBe(0);
  const plain = await proxy.count(() => rename());
  const keyed = await proxy.count(() => rename(named('counted')));
  await server.close();
  expect({ plain, keyed }).toEqual({ plain: 6, keyed: 9 });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

/** Starts the app as a separate process on the database of `w`, through a TCP proxy. */
async function startApp(databaseUrl: string) {
  const port = await freePort();
  const { secretKey, dataDir } = w.config;
  const app = spawn(process.execPath, ['src/app/main.ts'], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      SECRET_KEY: secretKey,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 50_000 }).toBe(true);
  return {
    origin,
    async kill() {
      app.kill('SIGKILL');
      await once(app, 'exit');
    },
  };
}

test('idempotency: retries after a kill between commit and response perform every request once [C11]', async () => {
  await using proxy = await openTcpProxy(w.databaseUrl);
  const home = await w.club([ada], 'Home');
  const times = { start_time: '2090-01-01T10:00:00Z', end_time: '2090-01-01T12:00:00Z' };
  const operations: [line: string, body: Record<string, unknown>, count: () => Promise<unknown[]>][] = [
    ['POST /v1/clubs', { club_name: 'Survivors' }, () => clubsCalled('Survivors')],
    [
      `POST /v1/clubs/${home.id}/events`,
      { name: 'Night walk', location_name: 'Gate', ...times },
      () => all(w.db, sql`select 1 from events where owner_club_id = ${home.id}`),
    ],
    [
      `POST /v1/updates/${home.id}`,
      { content: 'Survived' },
      () => all(w.db, sql`select 1 from club_updates where club_id = ${home.id}`),
    ],
  ];
  const app = await startApp(proxy.url);
  const lost = proxy.loseCommitsOf('insert into idempotency_keys', operations.length);
  const requests = operations.map(([line, body]) =>
    send({ ...w, origin: app.origin }, ada, line, body, named('survivor')).then(
      () => 'answered',
      () => 'cut off',
    ),
  );
  await lost;
  for (const [, , count] of operations) expect(await count()).toHaveLength(1);
  await app.kill();
  expect(await Promise.all(requests)).toEqual(['cut off', 'cut off', 'cut off']);

  for (const [line, body, count] of operations) {
    const again = await send(w, ada, line, body, named('survivor'));
    expect(again.status).toBe(line.includes('updates') ? 201 : 200);
    expect(again.data).toHaveProperty('id');
    expect(await count()).toHaveLength(1);
  }
}, 90_000);
