import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { all, first, openDatabase, run, sql, type Db, type ReadDb } from '#platform/db/client.ts';
import type { Actor } from '#platform/context.ts';
import { openReplicas } from '#platform/db/replicas.ts';
import { asMember } from '#features/members/store.ts';
import { ask } from '#test/ask.ts';
import { livePath } from '#test/authorisation-matrix.ts';
import { sql as execute } from '#test/postgres.ts';
import { codeFor } from '#test/races/people.ts';
import { openReplicated } from '#test/replicated.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { memorySession, type ClubHandle, type Person, type World } from '#test/world.ts';

let servers: Awaited<ReturnType<typeof openReplicated>>;
beforeAll(async () => void (servers = await openReplicated()));
afterAll(() => servers.primary.close());

const tokenOf = (person: Person) => person.session.read()?.AccessToken.Token ?? '';
const portOf = async (db: ReadDb | undefined) =>
  db && (await first(db, sql<{ port: number }>`select inet_server_port() as port`))?.port;

const position = async (db: Db) =>
  (await first(db, sql<{ at: string }>`select pg_current_wal_lsn()::text as at`))?.at;
const write = (db: Db) => run(db, sql`select pg_logical_emit_message(true, 'test', 'filler')`);

/** The ports of the servers that the next reads go to, without the proxies in front of them. */
async function choosing(urls = servers.replicas.map(({ url }) => url), maxLag = 1000) {
  const { db, reads, close } = openDatabase(servers.primary.url, { size: 2, onError: () => {} });
  const replicas = openReplicas(urls, { primary: reads, maxLag, onError: () => {} });
  onTestFinished(async () => {
    await servers.resume();
    await replicas.close();
    await close();
  });
  const chosen = async (position?: string) => {
    const ports = new Set<number | undefined>();
    for (let n = 0; n < 6; n++) {
      ports.add(await portOf(replicas.choose(position)).catch(() => undefined));
      await sleep(30);
    }
    return [...ports].toSorted();
  };
  return { chosen, db, replicas };
}

describe('choosing a replica', () => {
  const [one, two] = [() => servers.replicas[0].port, () => servers.replicas[1].port];
  const both = () => [one(), two()].toSorted();

  test('takes turns, and none that has not replayed the position', async () => {
    const { chosen, db } = await choosing();
    await expect.poll(() => chosen()).toEqual(both());
    await servers.pause();
    await write(db);
    const at = await position(db);
    expect(await chosen(at)).toEqual([undefined]);
    expect(await chosen()).toEqual(both());
    await execute(servers.replicas[0].url, 'select pg_wal_replay_resume()');
    await expect.poll(() => chosen(at)).toEqual([one()]);
  });

  test('skips one that lags more than the limit, until it has caught up', async () => {
    const { chosen, db, replicas } = await choosing(undefined, 400);
    await expect.poll(() => chosen()).toEqual(both());
    await execute(servers.replicas[0].url, 'select pg_wal_replay_pause()');
    await write(db);
    await expect.poll(() => chosen()).toEqual([two()]);
    expect(replicas.states().map(({ lag }) => lag > 400)).toEqual([false, true, false]);
    await servers.resume();
    await expect.poll(() => chosen()).toEqual(both());
  });

  test('skips one that is slower than the primary, until it is as fast', async () => {
    await using proxy = await openTcpProxy(servers.replicas[0].url);
    const { chosen } = await choosing([proxy.url, servers.replicas[1].url]);
    await expect.poll(() => chosen()).toEqual(both());
    proxy.slowDown(150);
    await expect.poll(() => chosen()).toEqual([two()]);
    proxy.slowDown(0);
    await expect.poll(() => chosen()).toEqual(both());
    const answer = proxy.fallSilent();
    await expect.poll(() => chosen()).toEqual([two()]);
    answer();
    await expect.poll(() => chosen()).toEqual(both());
  });

  test('skips one that is down, until it runs again', async () => {
    const { chosen } = await choosing();
    await expect.poll(() => chosen()).toEqual(both());
    await servers.replicas[0].control('stop', '-m', 'immediate');
    await expect.poll(() => chosen()).toEqual([two()]);
    await servers.replicas[0].control('start');
    await expect.poll(() => chosen()).toEqual(both());
  });

  test('skips a server that is no replica', async () => {
    const { chosen } = await choosing([servers.primary.url, servers.replicas[0].url]);
    await expect.poll(() => chosen()).toEqual([one()]);
  });
});

const metrics = async () => (await fetch(servers.metrics)).text();

describe('reads on replicas', () => {
  let w: World;
  let ada: Person;
  let bob: Person;
  let club: ClubHandle;
  let event: string;
  beforeAll(async () => {
    w = await servers.world();
    [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    club = await w.club([ada, bob]);
    ({ id: event } = await w.event(club, ada));
    await settled();
  });
  afterAll(() => w[Symbol.asyncDispose]());

  /** Lets the replicas catch up, and all sessions read from them. */
  async function settled(): Promise<void> {
    await servers.resume();
    await run(w.db, sql`update sessions set created_at = now() - interval '1 minute', written_lsn = null`);
    await servers.caughtUp();
    // Until the next poll.
    await sleep(300);
  }
  /** Pauses the replay until the test ends. */
  async function paused(): Promise<void> {
    await settled();
    await servers.pause();
    onTestFinished(settled);
  }
  /** Changes the name of the event, unknown to the replicas and to all sessions. */
  const rename = (name: string) => run(w.db, sql`update events set name = ${name} where id = ${event}`);
  /** The list has no version that is compared with the primary. */
  const nameFor = async ({ api }: Person) =>
    (await api.events.ofMyClubs({})).find(({ id }) => id === event)?.name;

  test('metrics show each server, its lag, and how often it was chosen', async () => {
    await settled();
    await nameFor(bob);
    for (const { port } of servers.replicas) {
      const labels = `{server="127.0.0.1:${port}",role="replica"}`;
      // On a busy machine, a replica may be slower than the primary for a moment, and is not used then.
      await expect.poll(metrics).toContain(`muster_database_server_usable${labels} 1\n`);
      expect(await metrics()).toContain(`muster_database_server_lag_seconds${labels} 0.`);
    }
    const text = await metrics();
    expect(text).toMatch(/^muster_database_server_reads\{.*role="replica"\} [1-9]/m);
    expect(text).toMatch(/^muster_database_server_reads\{server="primary",role="primary"\} \d/m);
  });

  test('a session that has written nothing reads from a replica', async () => {
    await paused();
    const before = await nameFor(bob);
    await rename('Unknown to replicas');
    expect(await nameFor(bob)).toBe(before);
    await servers.resume();
    await expect.poll(() => nameFor(bob)).toBe('Unknown to replicas');
  });

  test('a wrong token of an answer link counts once', async () => {
    await using limited = await servers.world(10_000, { LIMITS_PER_ADDRESS: 'on', METRICS_PORT: '' });
    await settled();
    const response = await fetch(`${limited.origin}/api/v1/answer-links/${'A'.repeat(64)}`);
    expect(response.status).toBe(404);
    const counts = sql<{ taken: number }>`select taken from rate_limits where key like 'answer-links:%'`;
    expect(await all(limited.db, counts)).toEqual([{ taken: 1 }]);
  });

  test('a session reads its own writes', async () => {
    await paused();
    await bob.api.answers.answer({ event, answer: 'maybe' });
    expect(await bob.api.events.get({ event })).toMatchObject({ my_answer: 'maybe' });
    await bob.api.answers.answer({ event, answer: 'going' });
    expect((await bob.api.events.attending({})).map(({ id }) => id)).toEqual([event]);
  });

  test('a new session reads what is current at its login', async () => {
    await paused();
    await rename('Before the login');
    const [session, { email }] = [memorySession(), bob];
    const api = w.client(session);
    session.write(await api.auth.confirm({ email, code: await codeFor(w, email) }));
    expect(await nameFor({ ...bob, api })).toBe('Before the login');
  });

  test('a session reads what caused its notification', async () => {
    await paused();
    const socket = new WebSocket(`${w.origin.replace('http', 'ws')}${livePath}?token=${tokenOf(bob)}`);
    await once(socket, 'open');
    await run(w.db, sql`update sessions set written_lsn = null where user_id = ${bob.id}`);
    const before = await bob.api.notifications.list({});
    const received = once(socket, 'message');
    await ada.api.updates.publish({ club: club.id, content: 'Bring a towel' });
    await received;
    expect((await bob.api.updates.ofClub({ club: club.id }))[0]?.content).toBe('Bring a towel');
    expect(await bob.api.notifications.list({})).not.toEqual(before);
    socket.terminate();
  });

  test('a client that connects reads what was sent before', async () => {
    await paused();
    await rename('Sent before');
    const socket = new WebSocket(`${w.origin.replace('http', 'ws')}${livePath}?token=${tokenOf(bob)}`);
    await once(socket, 'open');
    expect(await nameFor(bob)).toBe('Sent before');
    socket.terminate();
  });

  test('a removed member reads nothing of the club, whatever the replicas still show', async () => {
    const ofClub = expect.stringMatching(/Secret run|"first_name":"Ada"/);
    const cyd = await w.person('Cyd');
    const other = await w.club([ada, cyd]);
    const { id } = await w.event(other, ada, { name: 'Secret run' });
    await cyd.api.answers.attend({ event: id });
    await paused();
    const paths = [
      '/v1/users/events',
      '/v1/users/clubs/events',
      '/v1/events/clubs/filter',
      `/v1/events/${id}/calendar.ics`,
      `/v1/events/${id}`,
      `/v1/clubs/${other.id}`,
      `/v1/clubs/${other.id}/events`,
      `/v1/clubs/${other.id}/members`,
      `/v1/users/${(await cyd.api.users.me({})).ical_feed_url_id}/ical/calendar.ics`,
    ];
    const read = async (path: string) =>
      (await ask(w.origin, { method: 'GET', path }, { q: 'Secret' }, tokenOf(cyd))).text;
    for (const path of paths) expect([path, await read(path)]).toEqual([path, ofClub]);
    await ada.api.members.eject({ club: other.id, member: cyd.id });
    for (const path of paths) expect([path, await read(path)]).not.toEqual([path, ofClub]);
  });

  test('a page and feeds never keep an old state under a new version', async () => {
    const feed = async () => {
      const { ical_feed_url_id: secret } = await bob.api.users.me({});
      const path = `/v1/users/${secret}/ical/calendar.ics`;
      return (await ask(w.origin, { method: 'GET', path })).text;
    };
    const clubFeed = async () => {
      const { ical_feed_url_id: secret } = await bob.api.clubs.get({ club: club.id });
      const path = `/v1/clubs/${club.id}/ical/${secret}/calendar.ics`;
      return (await ask(w.origin, { method: 'GET', path })).text;
    };
    await bob.api.answers.attend({ event });
    await paused();
    await rename('Newest name');
    for (let round = 0; round < 2; round++) {
      expect((await bob.api.clubs.get({ club: club.id })).events[0]?.name).toBe('Newest name');
      expect(await feed()).toContain('Newest name');
      expect(await clubFeed()).toContain('Newest name');
    }
  });

  test('the primary repeats what a replica has cancelled, or no longer answers', async () => {
    await settled();
    const paths = [`/v1/events/${event}`, '/v1/users/events', `/v1/clubs/${club.id}/events`, '/v1/users'];
    const statuses = new Set<number>();
    const stopping = new AbortController();
    const load = paths.map(async (path) => {
      while (!stopping.signal.aborted)
        statuses.add((await ask(w.origin, { method: 'GET', path }, {}, tokenOf(bob))).status);
    });
    for (let round = 0; round < 40; round++) {
      const end = round % 2 ? 'pg_cancel_backend' : 'pg_terminate_backend';
      for (const { url } of servers.replicas)
        await execute(url, `select ${end}(pid) from pg_stat_activity where application_name = 'muster'`);
      await sleep(20);
    }
    stopping.abort();
    await Promise.all(load);
    expect([...statuses]).toEqual([200]);
  });

  test('what a replica does not have yet is read on the primary', async () => {
    await paused();
    const { id } = await w.event(club, ada, { name: 'Just created' });
    await run(w.db, sql`update sessions set written_lsn = null`);
    expect((await bob.api.events.get({ event: id })).name).toBe('Just created');
  });
});

const rightsFromReplica = (replica: ReadDb, user: Actor) =>
  // @ts-expect-error: a replica is not the primary
  asMember(replica, user, 'club');

test('rights are not read from a replica: it does not compile', () => {
  expect(rightsFromReplica).toBeTypeOf('function');
});
