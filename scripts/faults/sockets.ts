// F12: all websockets reconnect. This module also runs as a child process that opens the websockets, so that they do
// not delay the measured requests.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { until } from '../app.ts';
import { createUsers, openApp, type App, type TestUser } from './app.ts';
import { ms, type Verdict } from './fault.ts';
import { slowest, startReads, withStatus } from './load.ts';

const notificationsOf = ({ origin }: App, { token }: TestUser) =>
  `${origin.replace('http', 'ws')}/api/v1/ws/notifications?token=${token}`;

/** Opens a websocket that stays open. */
export async function openScreen(app: App, user: TestUser) {
  const socket = new WebSocket(notificationsOf(app, user)).on('error', () => {});
  const received: string[] = [];
  socket.on('message', (data: Buffer) => received.push(data.toString()));
  await once(socket, 'open');
  return {
    /** Creates a notification and returns the milliseconds until it is received. */
    async notified(): Promise<number> {
      const id = randomUUID();
      const insert = `insert into notices (id, user_id, kind, dedupe_key, facts, created_at)
        select $1::uuid, $2::uuid, 'member_removed', $1::uuid, jsonb_build_object('club_name', 'Rowers', 'club_id', $1::uuid), now()`;
      await app.sql(
        `with told as (${insert} returning 1) select pg_notify('muster_notifications', '') from told`,
        [id, user.id],
      );
      return await until('it is received', () => received.some((text) => text.includes(id)));
    },
    [Symbol.asyncDispose]: async () => socket.terminate(),
  };
}

/** The number of websockets that the child process has open. The child process reports it to its parent. */
let open = 0;

/** A client that reconnects like the web app: after 5 s, then after 5 to 10 s. */
function keepOpen(address: string, tries = 0): void {
  let isOpen = false;
  new WebSocket(address, { handshakeTimeout: 10_000, perMessageDeflate: false })
    .on('error', () => {})
    .on('open', () => {
      isOpen = true;
      open++;
    })
    .on('close', () => {
      if (isOpen) open--;
      const next = isOpen ? 0 : tries;
      setTimeout(() => keepOpen(address, next + 1), 5000 + (next > 0 ? Math.random() * 5000 : 0));
    });
}

if (import.meta.main) {
  process.on('message', (addresses: string[]) => addresses.forEach((address) => keepOpen(address)));
  setInterval(() => process.send?.(open), 50);
  process.once('disconnect', () => process.exit());
}

/** A thousand users with ten sockets each reconnect at the same time. */
export async function reconnectStorm(): Promise<Verdict[]> {
  await using app = await openApp();
  using crowd = fork(import.meta.filename);
  crowd.on('message', (count: number) => void (open = count));
  const users = await createUsers(app, 1000);
  const addresses = users.flatMap((user) => Array<string>(10).fill(notificationsOf(app, user)));
  for (let started = 0; started < addresses.length; started += 500) {
    await until('the clients connect', () => open >= started - 400, 60_000);
    crowd.send(addresses.slice(started, started + 500));
  }
  const isComplete = () => open === addresses.length;
  await until('all are connected', isComplete, 60_000);
  const verdicts: Verdict[] = [];
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await app.end(signal);
    await app.start();
    await until('the disconnects are noticed', () => !isComplete());
    const load = startReads(app, users, 50);
    let memory = 0;
    const watch = async () => {
      memory = Math.max(memory, app.memory());
      await sleep(50);
      return isComplete();
    };
    const took = await until('all clients are connected again', watch, 90_000);
    const responses = await load.end();
    const failed = responses.length - withStatus(responses, 200).length;
    const [p95, longest] = [slowest(responses, 0.95), slowest(responses, 1)];
    verdicts.push({
      promise: 'all reconnected within 30 s; meanwhile p95 ≤ 500 ms, none over 2 s, ≤ 512 MB',
      result: `${signal}, ${addresses.length} sockets: all reconnected ${ms(took)} after ready; ${responses.length} calls, p95 ${ms(p95)}, slowest ${ms(longest)}, ${failed} failed; at most ${memory.toFixed(0)} MB`,
      held: took <= 30_000 && p95 <= 500 && longest <= 2000 && failed === 0 && memory <= 512,
    });
  }
  return verdicts;
}
