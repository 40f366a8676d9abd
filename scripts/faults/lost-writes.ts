// F1, F2, F3, F4, F19: the app or the database fails during writes.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killPostmaster, openCluster } from '#test/cluster.ts';
import { missingPrograms, openPatroni } from '#test/patroni.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { opened, until } from '../app.ts';
import { quantile } from '../bench/statistics.ts';
import { ask, createUsers, openApp, type App } from './app.ts';
import { ms, type Verdict } from './fault.ts';
import { slowest, startReads, startWrites, unexpected, withStatus } from './load.ts';
import { openScreen } from './sockets.ts';

const summary = (times: number[]) =>
  `${times.length} times, median ${ms(quantile(times, 0.5))}, slowest ${ms(Math.max(...times))}`;

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
      result: summary(back),
      held: Math.max(...back) <= 5000,
    },
  ];
}

/**
 * Breaks the database in these ways and judges the responses. Recovery starts when the database accepts connections
 * again.
 */
async function judge(app: App, breakages: readonly (() => Promise<unknown>)[]): Promise<Verdict[]> {
  const users = await createUsers(app, 300);
  await using screen = await openScreen(app, users[0]);
  const [writes, reads] = [startWrites(app, users), startReads(app, users)];
  const recoveries: number[] = [];
  const acknowledged: number[] = [];
  for (const breakIt of breakages) {
    await sleep(2000);
    await breakIt();
    recoveries.push(await writes.untilSuccess());
    acknowledged.push(await screen.notified());
  }
  await sleep(2000);
  const kept = await writes.end();
  const responses = [...writes.answers, ...(await reads.end())];
  const refused = withStatus(responses, 503);
  const { failed, statuses } = unexpected(responses);
  const longest = slowest(responses, 1);
  const faults = await app.faults();
  const times = `p95 ${ms(slowest(refused, 0.95))}, slowest ${ms(slowest(refused, 1))}`;
  return [
    {
      promise: '503 + Retry-After within 2 s, no request over 7 s, the process survives',
      result: `${responses.length} requests, ${refused.length} × 503 (${times}), ${statuses} others failed${faults}, slowest overall ${ms(longest)}`,
      held: failed === 0 && longest <= 7000 && slowest(refused, 0.95) <= 2500 && app.isAlive(),
    },
    {
      promise: 'writes succeed within 5 s after the database accepts connections',
      result: summary(recoveries),
      held: Math.max(...recoveries) <= 5000,
    },
    { promise: 'nothing acknowledged is lost', ...kept },
    {
      promise: 'open websockets receive later notifications within 5 s',
      result: summary(acknowledged),
      held: Math.max(...acknowledged) <= 5000,
    },
  ];
}

const isAccepting = (url: string) => () =>
  ask(url, 'select 1').then(
    () => true,
    () => false,
  );

/** Restarts an external database in the modes `fast` and `immediate`, and stops it for a while. */
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
    await until('the database accepts connections', isAccepting(app.databaseUrl));
  };
  return await judge(app, [kill, kill, kill]);
}

/** Kills the primary and promotes its synchronous standby. */
export async function databaseFailover(): Promise<Verdict[]> {
  await using primary = await openCluster();
  const standby = await primary.openStandby();
  let leader = primary.url;
  // Stands in for a proxy that always leads to the primary, such as HAProxy in F19.
  await using address = await openTcpProxy(primary.url, () => leader);
  await using app = await openApp({ DATABASE_URL: address.url });
  const following = `select 1 from pg_stat_replication where sync_state = 'sync'`;
  await until('the standby follows', async () => (await ask(primary.url, following)).length > 0);
  const failOver = async () => {
    await killPostmaster(primary.data);
    await standby.control('promote');
    leader = standby.url;
  };
  return await judge(app, [failOver]);
}

/** In a cluster that Patroni manages, alternates between killing the leader and a switchover, ten times each. */
export async function patroniFailsOver(): Promise<Verdict[]> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    const result = `not installed: ${missing.join(', ')} (Debian: apt install patroni etcd-server haproxy postgresql)`;
    return [{ promise: 'Muster follows the failovers of Patroni', result, held: undefined }];
  }
  const cluster = opened.use(await openPatroni());
  await using app = await openApp({ DATABASE_URL: cluster.url, DATABASE_READ_URL: cluster.readUrl });
  const turn = ['killMachine', 'switchOver', 'killServer', 'switchOver'] as const;
  const turns = Array.from({ length: 5 }, () => turn.map((how) => () => cluster.failOver(how)));
  return await judge(app, turns.flat());
}
