import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { freePort } from '../faults/app.ts';
import { until } from '../faults/fault.ts';
import { clubId, memberAt, tokenOf } from './dataset.ts';
import { answerOf, openBare, request } from './processes.ts';
import { atMost, median, type Bench, type Row } from './row.ts';

const root = join(import.meta.dirname, '../..');

/** What the process holds after all that was measured before, against a bare one that sent as many of the same bytes. */
export async function memory(bench: Bench): Promise<Row[]> {
  const { load, seconds, shape } = bench;
  const app = await bench.app();
  const page = { path: `/api/v1/clubs/${clubId(0)}`, token: tokenOf(memberAt(shape, 0, 11)) };
  const bare = await openBare('fastify', await answerOf(app.origin, page));
  const units = [[request(page)]];
  for (const { origin } of [app, bare])
    await load.run({ origin, units, connections: 32, seconds: 2 * seconds });
  const [held, least] = [await app.memory(), await bare.memory()];
  bare.close();
  const compared = { ratio: held / least, subject: held, baseline: least, ratios: [held / least] };
  return [atMost('memory of the app after the run', 'bare Fastify', compared, 2.5, ' MB')];
}

async function inNewFolder(work: (dataDir: string) => Promise<number>): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  return work(dataDir).finally(() => rm(dataDir, { recursive: true, force: true }));
}

/** `npm start` for the very first time: the database is made, and all of its tables. */
async function start(dataDir: string): Promise<number> {
  const port = String(await freePort());
  const app = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: '127.0.0.1',
      PORT: port,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
    },
    stdio: 'ignore',
  });
  const isUp = async () =>
    (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true;
  const took = await until('the app is ready', isUp, 60_000);
  app.kill('SIGINT');
  await once(app, 'exit');
  return took;
}

async function postgres(dataDir: string): Promise<number> {
  const started = performance.now();
  const server = await startPostgres({ dataDir });
  const took = performance.now() - started;
  await server.stop();
  return took;
}

const row = (what: string, times: number[], max: number): Row => ({
  what,
  against: '–',
  result: `${(median(times) / 1000).toFixed(2)} s`,
  target: `≤ ${max} s`,
  held: median(times) <= max * 1000,
});

export async function coldStart({ rounds }: Bench): Promise<Row[]> {
  const what = 'first npm start until ready';
  if (!existsSync(join(root, 'dist')))
    return [{ what, against: '–', result: 'nothing is built', target: '≤ 3 s', held: undefined }];
  const took: Record<'all' | 'again' | 'postgres', number[]> = { all: [], again: [], postgres: [] };
  for (let round = 0; round < rounds; round++) {
    await inNewFolder(async (dataDir) => {
      took.all.push(await start(dataDir));
      return took.again.push(await start(dataDir));
    });
    took.postgres.push(await inNewFolder(postgres));
  }
  return [
    row(what, took.all, 3),
    row('of which PostgreSQL', took.postgres, 1.2),
    row('the next npm start until ready', took.again, 3),
  ];
}
