import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '#e2e/server.ts';
import { environment, flags } from '../prepare.mjs';
import { until } from './fault.ts';

export { freePort };

/** Cleanups that also run on a signal, so that no app and no directory remains. */
const closings = new Set<() => Promise<void>>();
const closeAll = () => void Promise.all([...closings].map((close) => close())).finally(() => process.exit(1));
process.once('SIGINT', closeAll).once('SIGTERM', closeAll);

/** An app whose process can be killed and restarted on the same port and data. */
export async function openApp(settings: Record<string, string> = {}) {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'muster-faults-')));
  const [port, metricsPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const socket = encodeURIComponent(join(dataDir, 'postgres'));
  const databaseUrl =
    settings['DATABASE_URL'] ?? `postgresql://muster@localhost:5432/muster?host=${socket}&sslmode=disable`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...environment,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: dataDir,
    PUBLIC_URL: origin,
    LIMITS_PER_ADDRESS: 'off',
    REQUESTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  const log = openSync(join(dataDir, `app-${port}.log`), 'a');
  let child: ChildProcess;
  const isUp = async () => (await fetch(`${origin}/readyz`).catch(() => undefined))?.ok === true;
  const close = async () => {
    closings.delete(close);
    await app.end('SIGINT');
    if (!settings['DATA_DIR']) await rm(dataDir, { recursive: true, force: true });
  };

  const app = {
    origin,
    dataDir,
    databaseUrl,
    /** Starts the process and returns the milliseconds until it is ready. */
    async start(): Promise<number> {
      child = spawn(process.execPath, [...flags, 'src/app/main.ts'], { env, stdio: ['ignore', log, log] });
      return until('the app is ready', isUp);
    },
    pid: () => child.pid as number,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async end(signal: NodeJS.Signals): Promise<void> {
      if (!app.isAlive()) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
    memory: () => memoryOf(child.pid),
    metric: (series: string) => scrape(metricsPort, series),
    sql: <Row>(text: string, values: unknown[] = []) => ask<Row>(databaseUrl, text, values),
    close,
    [Symbol.asyncDispose]: close,
  };
  closings.add(close);
  await app.start();
  return app;
}

export type App = Awaited<ReturnType<typeof openApp>>;

/** Resident memory in MB. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function scrape(port: number, series: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? Number.NaN);
}

/** Runs one statement on a new connection. */
export async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end().catch(() => {});
  }
}

export interface TestUser {
  id: string;
  email: string;
  token: string;
  /** The club in which they are the admin; the next two users are its members. */
  club: string;
}

/** Inserts users with one session and one club each directly into the database. */
export async function createUsers(app: App, count: number): Promise<[TestUser, ...TestUser[]]> {
  await app.sql(`
    insert into users (id, email, first_name, calendar_secret, created_at)
    select gen_random_uuid(), 'person-' || n || '@example.org', 'Person', gen_random_uuid(), now() from generate_series(0, ${count - 1}) n`);
  await app.sql(`
    insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
    select gen_random_uuid(), id, sha256(('token-' || id)::bytea), now() + interval '1 day', sha256(('refresh-' || id)::bytea),
      now(), now(), now() + interval '1 day' from users`);
  await app.sql(`
    insert into clubs (id, slug, club_name, created_at)
    select gen_random_uuid(), 'club-' || n, 'Club ' || n, now() from generate_series(0, ${count - 1}) n`);
  await app.sql(`
    insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
    select c.id, u.id, case step when 0 then 200 else 0 end, gen_random_uuid(), now()
    from generate_series(0, ${count - 1}) n cross join generate_series(0, 2) step
    join clubs c on c.slug = 'club-' || n join users u on u.email = 'person-' || (n + step) % ${count} || '@example.org'`);
  const users = await app.sql<TestUser>(`
    select u.id, u.email, 'token-' || u.id as token, c.id as club
    from users u join clubs c on c.slug = 'club-' || split_part(split_part(u.email, '@', 1), '-', 2)
    order by length(u.email), u.email`);
  return users as [TestUser, ...TestUser[]];
}
