import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { openApp, type App } from './app.ts';
import { createUsers, type TestUser } from './crowd.ts';
import { ms, now, until, type Verdict } from './fault.ts';
import { startReads, slowest } from './load.ts';

export const addressFor = ({ origin }: App, { token }: TestUser) =>
  `${origin.replace('http', 'ws')}/api/v1/ws/notifications?token=${token}`;

/** Inserts large notifications, more than a socket buffers unread. */
export const insertNotifications = (app: App, { id }: TestUser, count: number) =>
  app.sql(
    `with told as (
       insert into notifications (id, user_id, kind, cause, subject, created_at)
       select gen_random_uuid(), $1::uuid, 'club_update', gen_random_uuid(),
         jsonb_build_object('club_name', repeat('Harbour Rowers ', 60), 'club_slug', 'club-0'), now()
       from generate_series(1, $2::int) returning 1)
     select pg_notify('muster_notifications', '') from told limit 1`,
    [id, count],
  );

/** A client stops reading while it receives 10,000 notifications. */
export async function unreadSocket(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const [reader] = (await createUsers(app, 3)) as [TestUser, ...TestUser[]];
    const socket = new WebSocket(addressFor(app, reader)).on('error', () => {});
    await until('the socket is open', () => socket.readyState === socket.OPEN);
    await sleep(2000);
    const before = await app.memory();
    socket.pause();
    let max = before;
    const started = now();
    for (let told = 0; told < 10_000; told += 1000) {
      await insertNotifications(app, reader, 1000);
      await sleep(200);
      max = Math.max(max, await app.memory());
    }
    const isClosed = async () => {
      max = Math.max(max, await app.memory());
      return (await app.metric('muster_sockets_live')) === 0;
    };
    await until('the socket is closed', isClosed, 60_000);
    const grown = max - before;
    socket.terminate();
    return [
      {
        promise: 'a socket that is not read is closed; memory grows by less than 50 MB',
        result: `10,000 notices unread: closed after ${ms(now() - started)}, memory + ${grown.toFixed(0)} MB`,
        held: grown < 50,
      },
    ];
  } finally {
    await app.close();
  }
}

const perPerson = 10;

/** Many clients that reconnect automatically. */
function openCrowd() {
  const child = fork(join(import.meta.dirname, 'sockets.ts'));
  let open = 0;
  child.on('message', (count: number) => void (open = count));
  return {
    connect: (addresses: string[]) => child.send(addresses),
    open: () => open,
    close: () => child.disconnect(),
  };
}

type Crowd = ReturnType<typeof openCrowd>;

async function reconnect(
  app: App,
  people: TestUser[],
  crowd: Crowd,
  signal: NodeJS.Signals,
): Promise<Verdict> {
  const all = people.length * perPerson;
  await app.end(signal);
  await app.start();
  await until('the disconnects are noticed', () => crowd.open() < all);
  const load = startReads(app, people, 50);
  let max = 0;
  const took = await until(
    'all clients are connected again',
    async () => {
      max = Math.max(max, await app.memory());
      await sleep(50);
      return crowd.open() === all;
    },
    90_000,
  );
  const answers = await load.stop();
  const failed = answers.filter(({ status }) => status !== 200).length;
  const [p95, maxDuration] = [slowest(answers, 0.95), slowest(answers, 1)];
  return {
    promise: 'all reconnected within 30 s; meanwhile p95 ≤ 500 ms, none over 2 s, ≤ 512 MB',
    result: `${signal}, ${all} sockets: all reconnected ${ms(took)} after ready; ${answers.length} calls, p95 ${ms(p95)}, slowest ${ms(maxDuration)}, ${failed} failed; at most ${max.toFixed(0)} MB`,
    held: took <= 30_000 && p95 <= 500 && maxDuration <= 2000 && failed === 0 && max <= 512,
  };
}

/** All connected clients reconnect at the same time. */
export async function reconnectStorm(): Promise<Verdict[]> {
  const app = await openApp();
  const crowd = openCrowd();
  try {
    const people = await createUsers(app, 1000);
    const addresses = people.flatMap((user) => Array(perPerson).fill(addressFor(app, user)));
    for (let started = 0; started < addresses.length; started += 500) {
      await until('the clients connect', () => crowd.open() >= started - 400, 60_000);
      crowd.connect(addresses.slice(started, started + 500));
    }
    await until('all are connected', () => crowd.open() === addresses.length, 60_000);
    return [await reconnect(app, people, crowd, 'SIGKILL'), await reconnect(app, people, crowd, 'SIGTERM')];
  } finally {
    crowd.close();
    await app.close();
  }
}
