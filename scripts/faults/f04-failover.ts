import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ask, openApp, type App } from './app.ts';
import { openCluster } from './cluster.ts';
import { bringPeople, type Somebody } from './crowd.ts';
import { ms, now, until, type Verdict } from './fault.ts';
import { brokenInvariants } from './invariants.ts';
import { dishonest, readOn, writeOn } from './load.ts';
import { addressFor, news } from './f11-sockets.ts';
import { pipeBoth } from './tcp-proxy.ts';

/** What stands between app and database: one address, which leads to whoever is the primary. */
async function openLoadBalancer(port: number) {
  let leadsTo = port;
  const server = createServer((client) => {
    pipeBoth(client, connect(leadsTo, '127.0.0.1'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgresql://muster@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    leadTo: (next: number) => void (leadsTo = next),
    close: () => server.close(),
  };
}

/** Milliseconds until somebody whose screen was open all the time hears of something. */
async function timeToHear(app: App, reader: Somebody, socket: WebSocket): Promise<number> {
  const started = now();
  const heard = once(socket, 'message');
  await news(app, reader, 1);
  await Promise.race([heard, sleep(30_000)]);
  return now() - started;
}

/** The primary dies under load, and its synchronous standby takes its place. */
export async function failedOver(): Promise<Verdict[]> {
  const primary = await openCluster();
  const standby = await primary.openStandby();
  const door = await openLoadBalancer(primary.port);
  const app = await openApp({ DATABASE_URL: door.url });
  try {
    const following = 'select 1 from pg_stat_replication where sync_state = $1';
    await until('the standby follows', async () => (await ask(primary.url, following, ['sync'])).length > 0);
    const people = await bringPeople(app, 300);
    const reader = people[0] as Somebody;
    const socket = new WebSocket(addressFor(app, reader)).on('error', () => {});
    await once(socket, 'open');
    const [writes, reads] = [writeOn(app, people, 30), readOn(app, people)];
    await sleep(8000);
    const before = writes.acknowledged();
    const pidFile = await readFile(join(primary.data, 'postmaster.pid'), 'utf8');
    process.kill(Number(pidFile.split('\n')[0]), 'SIGKILL');
    await standby.control('promote');
    door.leadTo(standby.port);
    const promoted = now();
    const back = await until('a write is answered', () =>
      writes.answers.some(({ at, status }) => at > promoted && status === 200),
    );
    await sleep(3000);
    await Promise.all([writes.stop(), reads.stop()]);
    const toHear = await timeToHear(app, reader, socket);
    socket.terminate();
    const hostileStrings = dishonest([...writes.answers, ...reads.answers]).length;
    const [lost, broken] = [await writes.lost(), await brokenInvariants(app)];
    return [
      {
        promise: 'writes back within 30 s of a promotion, nothing lost',
        result: `${ms(back)}; ${before} acknowledged before and ${writes.acknowledged() - before} after, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}; ${hostileStrings} requests failed without saying when to come again`,
        held: back <= 30_000 && lost === 0 && broken.length === 0 && hostileStrings === 0 && before > 50,
      },
      {
        promise: 'open screens hear of what happens after it at once, not when they look again',
        result: ms(toHear),
        held: toHear < 3000,
      },
    ];
  } finally {
    await app.close();
    door.close();
    await primary.close();
  }
}
