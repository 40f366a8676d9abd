import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#e2e/server.ts';
import { Connection } from '#platform/db/connection.ts';
import { opened, prepareApp } from '../app.ts';
import { memoryOf } from '../bench/counters.ts';

/** Starts an app with its own data, or with the data directory or database of these settings. */
export async function openApp(settings: Record<string, string> = {}) {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'muster-faults-')));
  const metricsPort = await freePort();
  const socket = encodeURIComponent(join(dataDir, 'postgres'));
  const databaseUrl =
    settings['DATABASE_URL'] ?? `postgresql://muster@localhost:5432/muster?host=${socket}&sslmode=disable`;
  const own = { DATA_DIR: dataDir, METRICS_PORT: String(metricsPort), LOG_LEVEL: 'warn' };
  const app = await prepareApp({ ...own, ...settings });
  const close = async () => {
    await app.end();
    if (!settings['DATA_DIR']) await rm(dataDir, { recursive: true, force: true });
  };
  opened.defer(close);
  await app.start();
  return {
    ...app,
    dataDir,
    databaseUrl,
    memory: () => memoryOf(app.pid()),
    metric: (series: string) => scrape(metricsPort, series),
    /** The distinct unexpected errors in the log, in parentheses. */
    async faults() {
      const lines = (await readFile(app.log, 'utf8'))
        .split('\n')
        .filter((line) => line.includes('"msg":"fault"'));
      const errors = lines.map((line) => (JSON.parse(line) as { error: { message: string } }).error.message);
      return errors.length === 0 ? '' : ` (${[...new Set(errors)].join('; ')})`;
    },
    sql: <Row>(text: string, values: unknown[] = []) => ask<Row>(databaseUrl, text, values),
    [Symbol.asyncDispose]: close,
  };
}

export type App = Awaited<ReturnType<typeof openApp>>;

async function scrape(port: number, series: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? Number.NaN);
}

/** Runs one statement on a new connection. */
export async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Connection({ url, connectionTimeoutMillis: 5000 });
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
  /** The club in which this user is the admin; the next two users are its members. */
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
