import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { addSeconds } from '#wire/instant.ts';
import { startServer, type Server } from '#app/server.ts';
import { Notification } from '#features/notifications/contract.ts';
import { createScenario } from '#test/scenario.ts';
import { live, livePath, people, promised, type Who } from '#test/authorisation-matrix.ts';
import { ask } from '#test/ask.ts';
import { whileHeld } from '#test/calls.ts';
import { eachRound } from '#test/races/people.ts';
import { asInProduction, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

const opened: WebSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.terminate();
  vi.useRealTimers();
});

beforeEach(async () => {
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  await run(w.db, sql`delete from notices`);
});

const tokenOf = (person: Person) => person.session.read()?.AccessToken.Token ?? '';
const publish = (content = 'Boats are back') => ada.api.updates.publish({ club: club.id, content });
const address = (origin: string, token?: string) =>
  `${origin.replace(/^http/, 'ws')}${livePath}${token === undefined ? '' : `?token=${encodeURIComponent(token)}`}`;

/** A client socket with the notifications it received and its close code. */
interface TestSocket {
  socket: WebSocket;
  received: Notification[];
  closed: Promise<number>;
}

/** Connects, or resolves with the HTTP status of the error response. */
function connect(url: string, options: WebSocket.ClientOptions = {}): Promise<TestSocket | number> {
  const socket = new WebSocket(url, options);
  opened.push(socket);
  const received: Notification[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as Notification));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ socket, received, closed }));
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}

async function openSocket(
  person: Person,
  origin = w.origin,
  options: WebSocket.ClientOptions = {},
): Promise<TestSocket> {
  const connection = await connect(address(origin, tokenOf(person)), options);
  if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
  return connection;
}

async function until(isSo: () => unknown, max = 10_000): Promise<void> {
  const last = Date.now() + max;
  while (!(await isSo())) {
    if (Date.now() > last) throw new Error(`not within ${max} ms: ${isSo.toString()}`);
    await sleep(10);
  }
}

/** Long enough for an unwanted message to arrive. */
const shortDelay = () => sleep(400);

async function another(): Promise<Server & AsyncDisposable> {
  const { config, databaseUrl } = w;
  const server = await startServer({ config, databaseUrl, log: createLog('silent') });
  return { ...server, [Symbol.asyncDispose]: server.close };
}

describe('websocket connection', () => {
  test('follows the authorisation matrix: 401 before the upgrade without a session', async () => {
    const scenario = await createScenario(w);
    for (const who of Object.keys(people) as Who[]) {
      const connection = await connect(address(w.origin, scenario.token(who)));
      const status = typeof connection === 'number' ? connection : 200;
      expect({ who, status }).toEqual({ who, status: promised(live, who) });
    }
  });

  test('is refused with 401 for a missing, repeated or malformed token', async () => {
    for (const query of ['', '?token=', '?token=x&token=y', '?token[]=x', `?token=${'x'.repeat(9000)}`])
      expect({ query, status: await connect(address(w.origin) + query) }).toEqual({ query, status: 401 });
  });

  test('is refused with 403 for another origin, before the token is checked [T21]', async () => {
    const { port } = new URL(w.origin);
    const from = async (origin: string, token = tokenOf(bob)) => {
      const connection = await connect(address(w.origin, token), { headers: { origin } });
      if (typeof connection === 'number') return connection;
      connection.socket.terminate();
      return 200;
    };
    for (const origin of [
      'http://evil.test',
      'https://muster.test',
      'http://muster.test:81',
      'http://muster.test.evil.test',
      `http://127.0.0.1:${Number(port) + 1}`,
      'null',
      '',
      'file://',
    ])
      expect({ origin, status: await from(origin) }).toEqual({ origin, status: 403 });
    expect(await from('http://evil.test', 'no token')).toBe(403);
    expect(await from('http://muster.test')).toBe(200);
    expect(await from(w.origin)).toBe(200);
  });

  test('is limited to ten per user, and possible again after one closes', async () => {
    const url = address(w.origin, tokenOf(bob));
    const connections = await Promise.all(Array.from({ length: 14 }, () => connect(url)));
    const open = connections.filter((connection) => typeof connection !== 'number');
    expect(open).toHaveLength(10);
    expect(connections.filter((connection) => connection === 429)).toHaveLength(4);
    expect(typeof (await connect(address(w.origin, tokenOf(ada))))).toBe('object');
    open[0]?.socket.close(1000);
    await open[0]?.closed;
    await until(async () => typeof (await connect(url)) === 'object');
  });

  test('is refused for a request without an upgrade; other paths ignore upgrades', async () => {
    const call = async (method: 'GET' | 'POST', token = '') =>
      (await ask(w.origin, { method, path: livePath.slice('/api'.length) }, { token })).status;
    expect([await call('GET', tokenOf(bob)), await call('GET'), await call('POST')]).toEqual([400, 401, 405]);
    expect(await connect(`${w.origin}/api/v1/users`)).toBe(401);
    expect(await connect(`${w.origin}/healthz`)).toBe(200);
    expect(await connect(`${w.origin}/api/v1/ws/else`)).toBe(404);
    expect((await fetch(`${w.origin}/healthz`)).status).toBe(200);
  });
});

const cut = () =>
  all(
    w.db,
    sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'muster live'`,
  );

describe('websocket delivers', () => {
  test('a notification as JSON, as in the list [WS-01 WS-02]', async () => {
    const { received } = await openSocket(bob);
    await publish();
    await until(() => received.length > 0);
    expect(received).toEqual(await bob.api.notifications.list({}));
    expect(Notification.parse(received[0])).toEqual(received[0]);
  });

  test('only notifications of its user [WS-10 T21]', async () => {
    const eve = await w.person('Eve');
    await w.club([eve], 'Evening Readers');
    const [hers, his, theirs] = [await openSocket(ada), await openSocket(bob), await openSocket(eve)];
    await publish();
    await until(() => his.received.length > 0);
    await shortDelay();
    expect([hers.received.length, his.received.length, theirs.received.length]).toEqual([0, 1, 0]);
  });

  test('to every socket of a user, each notification once and in order', async () => {
    const sockets_ = [await openSocket(bob), await openSocket(bob)];
    await publish('one');
    await Promise.all(sockets_.map(({ received }) => until(() => received.length === 1)));
    for (const content of ['two', 'three', 'four']) await publish(content);
    await Promise.all(sockets_.map(({ received }) => until(() => received.length === 4)));
    await shortDelay();
    const ids = (await bob.api.notifications.list({})).map(({ id }) => id).toReversed();
    for (const { received } of sockets_) expect(received.map(({ id }) => id)).toEqual(ids);
  });

  test('only committed notifications', async () => {
    const { received } = await openSocket(bob);
    const held = sql`select 1 from users where id = ${bob.id} for update`;
    const delivered = await whileHeld(
      w,
      held,
      () => publish(),
      async () => {
        await shortDelay();
        expect(received).toEqual([]);
      },
    );
    expect(delivered).toBe('ok');
    await until(() => received.length === 1);
  });

  test('notifications that commit after a newer one', async () => {
    const { received } = await openSocket(bob);
    await inTransaction(w.db, async (slow) => {
      await insert(slow, 'The older', 20);
      await publish();
      await until(() => received.length === 1);
    });
    await run(w.db, sql`select pg_notify('muster_notifications', '')`);
    await until(() => received.length === 2);
    expect(received.map(({ message }) => message)).toEqual([
      'Ada published an update in Harbour Rowers.',
      'Someone removed you from The older.',
    ]);
  });

  test('notifications of another process on the same database', async () => {
    await using other = await another();
    const [here, there] = [await openSocket(bob), await openSocket(bob, other.origin)];
    await publish();
    await until(() => here.received.length === 1 && there.received.length === 1);
    await ask(
      other.origin,
      { method: 'POST', path: `/v1/updates/${club.id}` },
      { content: 'Again' },
      tokenOf(ada),
    );
    await until(() => here.received.length === 2 && there.received.length === 2);
    expect(here.received).toEqual(there.received);
  });

  test('unannounced notifications by polling', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await using server = await another();
    const { received } = await openSocket(bob, server.origin);
    // The server polls once when it starts to listen. Wait for that poll.
    await shortDelay();
    await insert(w.db, 'Silence');
    await shortDelay();
    expect(received).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    await until(() => received.length === 1);
  });

  test('notifications whose first read failed, before the next poll', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    asInProduction();
    await using server = await another();
    const { received } = await openSocket(bob, server.origin);
    const waiting = sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%select id from notices%'`;
    await inTransaction(w.db, async (holder) => {
      await run(holder, sql`lock table notices in access exclusive mode`);
      await insert(holder, 'Silence');
      await run(w.db, sql`select pg_notify('muster_notifications', '')`);
      await until(async () => (await all(w.db, waiting)).length > 0);
      await until(async () => (await all(w.db, waiting)).length === 0);
    });
    await until(() => received.length === 1);
  });

  test('notifications created while the listening connection was down [C12]', async () => {
    const { received } = await openSocket(bob);
    await until(async () => (await cut()).length > 0);
    for (const content of ['one', 'two']) await publish(content);
    await until(() => received.length === 2);
    await publish('three');
    await until(() => received.length === 3);
  });
});

test('websocket: delivers many notifications once and in order while the listening connection keeps failing [C12]', async () => {
  const sockets_ = [await openSocket(bob), await openSocket(bob)];
  for (const nth of eachRound) {
    // Notifications of the same millisecond have no defined order.
    await insert(w.db, `News ${nth}`, (eachRound.length - nth) / 1000);
    await run(w.db, sql`select pg_notify('muster_notifications', '')`);
    if (nth % 7 === 3) await cut();
  }
  const all = eachRound.map((nth) => `Someone removed you from News ${nth}.`);
  await Promise.all(sockets_.map(({ received }) => until(() => received.length >= all.length, 20_000)));
  await shortDelay();
  for (const { received } of sockets_) expect(received.map(({ message }) => message)).toEqual(all);
}, 60_000);

test('websocket: a notification that one window marks as seen or actioned is sent again to all windows of that user only [WS-10 T21]', async () => {
  await using other = await another();
  const windows = [await openSocket(bob), await openSocket(bob, other.origin)];
  const { received: ofAda } = await openSocket(ada);
  await publish();
  await until(() => windows.every(({ received }) => received.length === 1));
  const [{ id = '' } = {}] = await bob.api.notifications.list({});
  for (const mark of ['seen', 'actioned'] as const) {
    for (const { received } of windows) received.splice(0);
    const marked = await bob.api.notifications[mark]({ id });
    expect(marked[`${mark}_at`]).not.toBeNull();
    await until(() => windows.every(({ received }) => received.length === 1));
    for (const { received } of windows) expect(received).toEqual([marked]);
    // Marking it again changes nothing, so nothing is sent.
    await bob.api.notifications[mark]({ id });
    await expect(ada.api.notifications[mark]({ id })).rejects.toMatchObject({ status: 404 });
  }
  await shortDelay();
  expect([windows.map(({ received }) => received.length), ofAda]).toEqual([[1, 1], []]);
});

test('websocket: delivers nothing about a club to a member who was ejected from it [T18]', async () => {
  const { received } = await openSocket(bob);
  await ada.api.members.eject({ club: club.id, member: bob.id });
  await publish();
  await until(() => received.length > 0);
  await shortDelay();
  expect(received.map(({ message }) => message)).toEqual(['Ada removed you from Harbour Rowers.']);
});

const insert = (db: World['db'], club_name: string, secondsAgo = 0) =>
  run(
    db,
    sql`insert into notices (id, user_id, kind, dedupe_key, facts, created_at)
        values (gen_random_uuid(), ${bob.id}, 'member_removed', gen_random_uuid(),
          jsonb_build_object('club_name', ${club_name}::text, 'club_id', gen_random_uuid()), ${addSeconds(w.now(), -secondsAgo)})`,
  );

describe('websocket closing', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['logging out', () => bob.api.auth.logout({})],
    ['logging out everywhere', () => bob.api.auth.logout({ all: true })],
    ['deletion of the account', () => run(w.db, sql`delete from users where id = ${bob.id}`)],
    ['an expired token', async () => w.later('16 minutes')],
  ])('%s closes the socket with 4401 within two seconds [T22]', async (_, end) => {
    const { closed } = await openSocket(bob);
    const others = await openSocket(ada);
    await run(
      w.db,
      sql`update sessions set access_ends_at = access_ends_at + interval '1 day' where user_id = ${ada.id}`,
    );
    const started = Date.now();
    await end();
    expect(await closed).toBe(4401);
    expect(Date.now() - started).toBeLessThan(2000);
    expect(others.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('does not happen when the session is refreshed', async () => {
    const { socket } = await openSocket(bob);
    await w.later('14 minutes');
    const { RefreshToken } = bob.session.read() as NonNullable<ReturnType<typeof bob.session.read>>;
    await w.anyone.auth.refresh({ token: RefreshToken.Token });
    w.later('2 minutes');
    await sleep(1500);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  test('uses 1001 when the server stops, without waiting for unresponsive clients', async () => {
    const server = await another();
    const [polite, silent] = [await openSocket(bob, server.origin), await openSocket(bob, server.origin)];
    (silent.socket as unknown as { _socket: { pause(): void } })._socket.pause();
    const started = Date.now();
    await server.close();
    expect(await polite.closed).toBe(1001);
    expect(Date.now() - started).toBeLessThan(4000);
  });
});

describe('client message', () => {
  test('is ignored', async () => {
    const { socket, received } = await openSocket(bob);
    for (const said of ['{"user_id": "x"}', 'hello', 'x'.repeat(4096), '']) socket.send(said);
    socket.send(Buffer.alloc(4096));
    await publish();
    await until(() => received.length === 1);
    await shortDelay();
    expect([socket.readyState, received.length]).toEqual([WebSocket.OPEN, 1]);
  });

  test('closes the socket with 1009 when larger than 4 KiB [T21]', async () => {
    const { socket, closed } = await openSocket(bob);
    socket.send('x'.repeat(4097));
    expect(await closed).toBe(1009);
  });
});

describe('unresponsive client', () => {
  test('is disconnected after two unanswered pings; a responsive one stays', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await using server = await another();
    const [alive, dead] = [
      await openSocket(bob, server.origin),
      await openSocket(bob, server.origin, { autoPong: false }),
    ];
    for (let nth = 0; nth < 2; nth++) {
      const pinged = Promise.all([once(alive.socket, 'ping'), once(dead.socket, 'ping')]);
      await vi.advanceTimersByTimeAsync(15_000);
      await pinged;
      await sleep(50);
    }
    expect(dead.socket.readyState).toBe(WebSocket.OPEN);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await dead.closed).toBe(1006);
    expect(alive.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('is disconnected when it stops reading, before 1 MiB is buffered [T34]', async () => {
    const { socket, closed } = await openSocket(bob);
    const raw = (socket as unknown as { _socket: { pause(): void; resume(): void } })._socket;
    raw.pause();
    for (let nth = 0; nth < 5; nth++) {
      await run(
        w.db,
        sql`insert into notices (id, user_id, kind, dedupe_key, facts, created_at)
            select gen_random_uuid(), ${bob.id}, 'member_removed', gen_random_uuid(),
              jsonb_build_object('club_name', repeat('x', 20000), 'club_id', gen_random_uuid()), ${w.now()}
            from generate_series(1, 250)`,
      );
      await run(w.db, sql`select pg_notify('muster_notifications', '')`);
      await sleep(300);
      await run(w.db, sql`delete from notices`);
    }
    raw.resume();
    expect(await closed).toBe(1006);
  });
});
