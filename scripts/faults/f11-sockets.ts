import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { openApp, type App } from './app.ts';
import { bringPeople, type Somebody } from './crowd.ts';
import { ms, now, until, type Verdict } from './fault.ts';
import { readOn, slowest } from './load.ts';

const addressFor = ({ origin }: App, { token }: Somebody) =>
  `${origin.replace('http', 'ws')}/api/v1/ws/notifications?token=${token}`;

/** Tells somebody so much at once that no socket takes it unread. */
const news = (app: App, { id }: Somebody, count: number) =>
  app.sql(
    `with told as (
       insert into notifications (id, user_id, kind, cause, subject, created_at)
       select gen_random_uuid(), $1::uuid, 'club_update', gen_random_uuid(),
         jsonb_build_object('club_name', repeat('Harbour Rowers ', 60), 'club_slug', 'club-0'), now()
       from generate_series(1, $2::int) returning 1)
     select pg_notify('muster_news', '') from told limit 1`,
    [id, count],
  );

/** Somebody stops reading while 10,000 things happen to them. */
export async function unread(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const [reader] = (await bringPeople(app, 3)) as [Somebody, ...Somebody[]];
    const socket = new WebSocket(addressFor(app, reader)).on('error', () => {});
    await until('the socket is open', () => socket.readyState === socket.OPEN);
    await sleep(2000);
    const before = await app.memory();
    socket.pause();
    let most = before;
    const started = now();
    for (let told = 0; told < 10_000; told += 1000) {
      await news(app, reader, 1000);
      await sleep(200);
      most = Math.max(most, await app.memory());
    }
    const gone = async () => {
      most = Math.max(most, await app.memory());
      return (await app.metric('muster_sockets_live')) === 0;
    };
    await until('the socket is given up', gone, 60_000);
    const grown = most - before;
    socket.terminate();
    return [
      {
        promise: 'a socket that is not read is given up; memory grows by less than 50 MB',
        result: `10,000 notices unread: given up after ${ms(now() - started)}, memory + ${grown.toFixed(0)} MB`,
        held: grown < 50,
      },
    ];
  } finally {
    await app.close();
  }
}

const perPerson = 10;

/** A client that comes back as the web does: after 5 s, and then after 5 s and up to 5 more. */
function keepOpen(address: string, state: { open: number; stopped: boolean }): () => void {
  let socket: WebSocket;
  let tries = 0;
  const connect = () => {
    if (state.stopped) return;
    socket = new WebSocket(address, { handshakeTimeout: 10_000, perMessageDeflate: false });
    let isOpen = false;
    socket
      .on('error', () => {})
      .on('open', () => {
        isOpen = true;
        tries = 0;
        state.open++;
      })
      .on('close', () => {
        if (isOpen) state.open--;
        setTimeout(connect, 5000 + (tries++ > 0 ? Math.random() * 5000 : 0));
      });
  };
  connect();
  return () => socket.terminate();
}

async function comeBack(
  app: App,
  people: Somebody[],
  state: { open: number },
  signal: NodeJS.Signals,
): Promise<Verdict> {
  const all = people.length * perPerson;
  await app.end(signal);
  await app.start();
  const load = readOn(app, people, 50);
  let most = 0;
  const took = await until(
    'everybody is back',
    async () => {
      most = Math.max(most, await app.memory());
      await sleep(50);
      return state.open === all;
    },
    90_000,
  );
  const answers = await load.stop();
  const failed = answers.filter(({ status }) => status !== 200).length;
  const [p95, longest] = [slowest(answers, 0.95), slowest(answers, 1)];
  return {
    promise: 'all back within 30 s; meanwhile p95 ≤ 500 ms, none over 2 s, ≤ 512 MB',
    result: `${signal}, ${all} sockets: all back ${ms(took)} after ready; ${answers.length} calls, p95 ${ms(p95)}, longest ${ms(longest)}, ${failed} failed; at most ${most.toFixed(0)} MB`,
    held: took <= 30_000 && p95 <= 500 && longest <= 2000 && failed === 0 && most <= 512,
  };
}

/** Everybody who was connected comes back in one moment. */
export async function stormed(): Promise<Verdict[]> {
  const app = await openApp();
  const state = { open: 0, stopped: false };
  const ends: (() => void)[] = [];
  try {
    const people = await bringPeople(app, 1000);
    for (const somebody of people) {
      for (let each = 0; each < perPerson; each++) ends.push(keepOpen(addressFor(app, somebody), state));
      if (ends.length % 500 === 0) await until('they connect', () => state.open > ends.length - 400);
    }
    await until('all are connected', () => state.open === ends.length, 60_000);
    return [await comeBack(app, people, state, 'SIGKILL'), await comeBack(app, people, state, 'SIGTERM')];
  } finally {
    state.stopped = true;
    for (const end of ends) end();
    await app.close();
  }
}
