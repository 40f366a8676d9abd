import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, openApp, type App } from './app.ts';
import { openCluster } from './cluster.ts';
import { createUsers } from './crowd.ts';
import { ms, now, until, type Verdict } from './fault.ts';
import { brokenInvariants } from './invariants.ts';
import { unexpectedFailures, startReads, slowest, startWrites } from './load.ts';

/** Runs load during the outages and judges its responses. */
async function judge(app: App, rounds: { name: string; breakIt(): Promise<void> }[]): Promise<Verdict[]> {
  const people = await createUsers(app, 300);
  const [writes, reads] = [startWrites(app, people, 30), startReads(app, people)];
  const recoveries: number[] = [];
  for (const { breakIt } of rounds) {
    await sleep(2000);
    await breakIt();
    await until('the database accepts connections', () =>
      ask(app.databaseUrl, 'select 1').then(
        () => true,
        () => false,
      ),
    );
    const accepted = now();
    await until('a write succeeds', () =>
      writes.answers.some(({ at, status }) => at > accepted && status === 200),
    );
    recoveries.push(now() - accepted);
  }
  await sleep(2000);
  await Promise.all([writes.stop(), reads.stop()]);
  const answers = [...writes.answers, ...reads.answers];
  const refused = answers.filter(({ status }) => status === 503);
  const unexpected = unexpectedFailures(answers);
  const lost = await writes.lost();
  const broken = await brokenInvariants(app);
  const name = rounds.map((round) => round.name).join(', ');
  const maxDuration = slowest(answers, 1);
  return [
    {
      promise: '503 + Retry-After within 2 s, no request over 7 s, the process survives',
      result: `${name}: ${answers.length} requests, ${refused.length} × 503 (p95 ${ms(slowest(refused, 0.95))}, slowest ${ms(slowest(refused, 1))}), ${unexpected.length} others failed, slowest overall ${ms(maxDuration)}`,
      held: unexpected.length === 0 && maxDuration <= 7000 && slowest(refused, 0.95) <= 2500 && app.isAlive(),
    },
    {
      promise: 'writes succeed within 5 s after the database accepts connections',
      result: recoveries.map(ms).join(', '),
      held: Math.max(...recoveries) <= 5000,
    },
    {
      promise: 'nothing acknowledged is lost',
      result: `${writes.acknowledged()} acknowledged, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}`,
      held: writes.acknowledged() > 50 && lost === 0 && broken.length === 0,
    },
  ];
}

/** Restarts an external database in both modes, and stops it for a while. */
export async function databaseRestarted(): Promise<Verdict[]> {
  const cluster = await openCluster();
  const app = await openApp({ DATABASE_URL: cluster.url });
  const restart = (mode: string) => async () => void (await cluster.control('restart', '-m', mode));
  try {
    return await judge(app, [
      { name: 'fast', breakIt: restart('fast') },
      { name: 'immediate', breakIt: restart('immediate') },
      {
        name: '6 s away',
        async breakIt() {
          await cluster.control('stop', '-m', 'immediate');
          await sleep(6000);
          await cluster.control('start');
        },
      },
    ]);
  } finally {
    await app.close();
    await cluster.close();
  }
}

/** Kills the app's own database. */
export async function databaseKilled(): Promise<Verdict[]> {
  const app = await openApp();
  const kill = async () => {
    const file = await readFile(join(app.dataDir, 'postgres/postmaster.pid'), 'utf8');
    process.kill(Number(file.split('\n')[0]), 'SIGKILL');
    await sleep(200);
  };
  try {
    return await judge(
      app,
      Array.from({ length: 3 }, () => ({ name: 'kill -9', breakIt: kill })),
    );
  } finally {
    await app.close();
  }
}
