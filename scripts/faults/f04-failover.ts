import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ask, openApp, type App } from './app.ts';
import { openCluster } from './cluster.ts';
import { createUsers, type TestUser } from './crowd.ts';
import { ms, now, until, type Verdict } from './fault.ts';
import { brokenInvariants } from './invariants.ts';
import { unexpectedFailures, startReads, startWrites } from './load.ts';
import { addressFor, insertNotifications } from './f11-sockets.ts';
import { pipeBoth } from './tcp-proxy.ts';

/** A TCP proxy between app and database that forwards to the current primary. */
async function openProxy(port: number) {
  let target = port;
  const server = createServer((client) => {
    pipeBoth(client, connect(target, '127.0.0.1'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgresql://muster@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    forwardTo: (next: number) => void (target = next),
    close: () => server.close(),
  };
}

/** Milliseconds until a user with an open websocket receives a notification. */
async function timeToReceive(app: App, reader: TestUser, socket: WebSocket): Promise<number> {
  const started = now();
  const message = once(socket, 'message');
  await insertNotifications(app, reader, 1);
  await Promise.race([message, sleep(30_000)]);
  return now() - started;
}

/** Kills the primary under load and promotes its synchronous standby. */
export async function databaseFailover(): Promise<Verdict[]> {
  const primary = await openCluster();
  const standby = await primary.openStandby();
  const proxy = await openProxy(primary.port);
  const app = await openApp({ DATABASE_URL: proxy.url });
  try {
    const following = 'select 1 from pg_stat_replication where sync_state = $1';
    await until('the standby follows', async () => (await ask(primary.url, following, ['sync'])).length > 0);
    const people = await createUsers(app, 300);
    const reader = people[0] as TestUser;
    const socket = new WebSocket(addressFor(app, reader)).on('error', () => {});
    await once(socket, 'open');
    const [writes, reads] = [startWrites(app, people, 30), startReads(app, people)];
    await sleep(8000);
    const before = writes.acknowledged();
    const pidFile = await readFile(join(primary.data, 'postmaster.pid'), 'utf8');
    process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
    await standby.control('promote');
    proxy.forwardTo(standby.port);
    const promoted = now();
    const back = await until('a write succeeds', () =>
      writes.answers.some(({ at, status }) => at > promoted && status === 200),
    );
    await sleep(3000);
    await Promise.all([writes.stop(), reads.stop()]);
    const received = await timeToReceive(app, reader, socket);
    socket.terminate();
    const unexpected = unexpectedFailures([...writes.answers, ...reads.answers]).length;
    const [lost, broken] = [await writes.lost(), await brokenInvariants(app)];
    return [
      {
        promise: 'writes succeed within 30 s of a promotion, nothing lost',
        result: `${ms(back)}; ${before} acknowledged before and ${writes.acknowledged() - before} after, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}; ${unexpected} requests failed without Retry-After`,
        held: back <= 30_000 && lost === 0 && broken.length === 0 && unexpected === 0 && before > 50,
      },
      {
        promise: 'open websockets receive later notifications at once, without polling',
        result: ms(received),
        held: received < 3000,
      },
    ];
  } finally {
    await app.close();
    proxy.close();
    await primary.close();
  }
}
