// F1, F2, F3, F4: something breaks during writes.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { openLoadBalancer } from '#e2e/load-balancer.ts';
import { killPostmaster, openCluster } from '#test/cluster.ts';
import { opened, until } from '../app.ts';
import { quantile } from '../bench/statistics.ts';
import { ask, createUsers, openApp, type App } from './app.ts';
import { ms, type Verdict } from './fault.ts';
import { slowest, startReads, startWrites, unexpected, withStatus } from './load.ts';
import { notificationsOf } from './sockets.ts';

/** Kills the app repeatedly. */
export async function appKilled(): Promise<Verdict[]> {
  await using app = await openApp();
  const writes = startWrites(app, await createUsers(app, 300), 50);
  const back: number[] = [];
  while (back.length < 20) {
    await sleep(500 + Math.random() * 1000);
    await app.end('SIGKILL');
    back.push(await app.start());
  }
  await sleep(1000);
  return [
    { promise: 'no acknowledged write is lost, none is partial', ...(await writes.end(500)) },
    {
      promise: 'ready again within 5 s',
      result: `${back.length} kills, median ${ms(quantile(back, 0.5))}, slowest ${ms(Math.max(...back))}`,
      held: Math.max(...back) <= 5000,
    },
  ];
}

/** Breaks the database in these ways and judges the responses. */
async function judge(app: App, breakages: (() => Promise<unknown>)[]): Promise<Verdict[]> {
  const users = await createUsers(app, 300);
  const [writes, reads] = [startWrites(app, users), startReads(app, users)];
  const isAccepting = () =>
    ask(app.databaseUrl, 'select 1').then(
      () => true,
      () => false,
    );
  const recoveries: number[] = [];
  for (const breakIt of breakages) {
    await sleep(2000);
    await breakIt();
    await until('the database accepts connections', isAccepting);
    recoveries.push(await writes.untilSuccess());
  }
  await sleep(2000);
  const kept = await writes.end();
  const answers = [...writes.answers, ...(await reads.end())];
  const refused = withStatus(answers, 503);
  const [failed, longest] = [unexpected(answers), slowest(answers, 1)];
  const times = `p95 ${ms(slowest(refused, 0.95))}, slowest ${ms(slowest(refused, 1))}`;
  return [
    {
      promise: '503 + Retry-After within 2 s, no request over 7 s, the process survives',
      result: `${answers.length} requests, ${refused.length} × 503 (${times}), ${failed} others failed, slowest overall ${ms(longest)}`,
      held: failed === 0 && longest <= 7000 && slowest(refused, 0.95) <= 2500 && app.isAlive(),
    },
    {
      promise: 'writes succeed within 5 s after the database accepts connections',
      result: recoveries.map(ms).join(', '),
      held: Math.max(...recoveries) <= 5000,
    },
    { promise: 'nothing acknowledged is lost', ...kept },
  ];
}

/** Restarts an external database in both modes, and stops it for a while. */
export async function databaseRestarted(): Promise<Verdict[]> {
  await using cluster = await openCluster();
  await using app = await openApp({ DATABASE_URL: cluster.url });
  const pause = async () => {
    await cluster.control('stop', '-m', 'immediate');
    await sleep(6000);
    await cluster.control('start');
  };
  const restart = (mode: string) => () => cluster.control('restart', '-m', mode);
  return await judge(app, [restart('fast'), restart('immediate'), pause]);
}

/** Kills the app's own database. */
export async function databaseKilled(): Promise<Verdict[]> {
  await using app = await openApp();
  const kill = async () => {
    await killPostmaster(join(app.dataDir, 'postgres'));
    await sleep(200);
  };
  return await judge(app, [kill, kill, kill]);
}

/** Kills the primary and promotes its synchronous standby. */
export async function databaseFailover(): Promise<Verdict[]> {
  await using primary = await openCluster();
  const standby = await primary.openStandby();
  const proxy = await openLoadBalancer();
  opened.defer(async () => proxy.close());
  const forwardTo = ({ port }: { port: number }) => proxy.forwardTo(`http://127.0.0.1:${port}`);
  forwardTo(primary);
  const { host } = new URL(proxy.origin);
  await using app = await openApp({ DATABASE_URL: `postgresql://muster@${host}/postgres` });
  const following = `select 1 from pg_stat_replication where sync_state = 'sync'`;
  await until('the standby follows', async () => (await ask(primary.url, following)).length > 0);
  const users = await createUsers(app, 300);
  const [reader] = users;
  const socket = new WebSocket(notificationsOf(app, reader)).on('error', () => {});
  await once(socket, 'open');
  const [writes, reads] = [startWrites(app, users), startReads(app, users)];
  await sleep(8000);
  const before = writes.acknowledged();
  await killPostmaster(primary.data);
  await standby.control('promote');
  forwardTo(standby);
  const back = await writes.untilSuccess();
  await sleep(3000);
  const kept = await writes.end();
  const failed = unexpected(writes.answers, await reads.end());
  const told = performance.now();
  const message = once(socket, 'message');
  const insert = `insert into notifications (id, user_id, kind, cause, subject, created_at)
    select gen_random_uuid(), $1, 'club_update', gen_random_uuid(), '{"club_name": "Rowers", "club_slug": "club-0"}', now()`;
  await app.sql(
    `with told as (${insert} returning 1) select pg_notify('muster_notifications', '') from told`,
    [reader.id],
  );
  await Promise.race([message, sleep(30_000)]);
  const received = performance.now() - told;
  socket.terminate();
  return [
    {
      promise: 'writes succeed within 30 s of a promotion, nothing lost',
      result: `${ms(back)}; ${before} before, ${kept.result}; ${failed} requests failed without Retry-After`,
      held: back <= 30_000 && kept.held && failed === 0 && before > 50,
    },
    {
      promise: 'open websockets receive later notifications at once, without polling',
      result: ms(received),
      held: received < 3000,
    },
  ];
}
