import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DestinationStream } from 'pino';
import PostalMime, { type Email } from 'postal-mime';
import { expect, inject, onTestFinished } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { clockOf, first, timeouts, run, sql, type Db } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { createClient, type AuthData, type Client, type SessionStore } from '#wire/client.ts';
import { errorsOf, type Contract } from '#wire/endpoint.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { startSession } from '#features/auth/handlers.ts';
import { findOrCreateAccount, updateUser } from '#features/auth/store.ts';
import { contracts } from '#features/contracts.ts';
import { startServer } from '#app/server.ts';
import { databaseAt, template } from '#test/database.ts';

export type Api = Client<typeof contracts>;

/** A user with their own session. */
export interface Person {
  id: string;
  email: string;
  api: Api;
  session: MemorySession;
}

export interface ClubHandle {
  id: string;
  slug: string;
  club_name: string;
}

interface EventInput {
  name?: string;
  description?: string;
  details?: string;
  location_name?: string;
  time_zone?: string;
  guests_max?: number;
  capacity?: number;
  waitlist?: boolean;
  question?: string;
  choices?: string[];
  section_ids?: string[];
  needed?: Record<string, number>;
  /** Hours from the current time of the server. */
  startsIn?: number;
  lasts?: number;
  entryUntil?: Instant;
}

/** A running app with an empty database, and functions to create people, clubs and events. */
export async function world(): Promise<World> {
  // A server keeps the timeouts with which it started.
  if (timeouts.statement !== stretched.statement) return isolatedWorld();
  const testServer = (await reusable()) ?? (await startTestServer({}));
  templateShape ??= await shapeOf(testServer.server.db);
  return worldOf(testServer, () => void idle.push(testServer));
}

/** A world with its own settings, or with a database that it does not drop. Other tests do not reuse it. */
export async function isolatedWorld(
  settings: Record<string, string> = {},
  logTo?: DestinationStream,
  databaseUrl?: string,
): Promise<World> {
  const testServer = await startTestServer(settings, logTo, databaseUrl);
  return worldOf(testServer, testServer.end);
}

// Four parallel test files can delay a connection by more than the production timeouts allow.
const production: typeof timeouts = { ...timeouts };
const stretched: typeof timeouts = { total: 20_000, statement: 30_000 };
Object.assign(timeouts, stretched);

/** Sets the database timeouts to those of production, except those in `others`, until the test ends. */
export function asInProduction(others: Partial<typeof timeouts> = {}): void {
  Object.assign(timeouts, production, others);
  onTestFinished(() => void Object.assign(timeouts, stretched));
}

const keep = async () => {};

const errorsByRoute = new Map(
  Object.values(contracts as Record<string, Contract>)
    .flatMap((contract) => Object.values(contract))
    .map((endpoint) => [`${endpoint.method} /api${endpoint.path}`, errorsOf(endpoint)]),
);

async function startTestServer(
  settings: Record<string, string>,
  logTo?: DestinationStream,
  databaseUrl?: string,
) {
  const dataDir = await mkdtemp(join(inject('dataDirs'), 'world-'));
  const database = databaseUrl
    ? { url: databaseUrl, clear: keep, drop: keep, standby: {} }
    : await copyTemplate();
  const clockOffset = { seconds: 0 };
  const lines: string[] = [];
  /** Error responses that the contract of their endpoint does not name. */
  const undeclaredErrors: string[] = [];
  const config = readConfig({ ...defaults, DATA_DIR: dataDir, ...database.standby, ...settings });
  const server = await startServer({
    config,
    databaseUrl: database.url,
    log: createLog(config.logLevel, logTo),
    print: (line) => lines.push(line),
    clockOffset,
    onError({ method, routeOptions }, code) {
      const route = `${method} ${routeOptions.url}`;
      if (errorsByRoute.get(route)?.includes(code) === false) undeclaredErrors.push(`${route}: ${code}`);
    },
  });
  return {
    config,
    server,
    clockOffset,
    lines,
    undeclaredErrors,
    dataDir,
    database,
    async end() {
      await server.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** Servers to reuse: clearing the database is faster than starting a server. */
const idle: TestServer[] = [];

async function reusable(): Promise<TestServer | undefined> {
  for (let testServer = idle.pop(); testServer; testServer = idle.pop()) {
    if (await cleared(testServer).catch(() => false)) return testServer;
    await testServer.end();
  }
  return undefined;
}

/** Clears a database and its folder. Returns false while a job is running or when the schema has changed. */
async function cleared({
  server: { db },
  database,
  dataDir,
  clockOffset,
  lines,
}: TestServer): Promise<boolean> {
  const busy = sql`select from jobs where locked_until is not null`;
  await run(db, sql`delete from jobs where locked_until is null`);
  for (let tries = 0; await first(db, busy); tries++) {
    if (tries === 20) return false;
    await sleep(10);
  }
  if ((await shapeOf(db)) !== templateShape) return false;
  await database.clear(db);
  for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true, force: true });
  clockOffset.seconds = 0;
  lines.length = 0;
  return true;
}

/** The hash of the schema that every copy of the template has at first. */
let templateShape: string | undefined;

/** A hash of the schema and of the applied migrations. */
async function shapeOf(db: Db): Promise<string> {
  const shape = sql<{ shape: string }>`select md5(string_agg(thing, ',' order by thing)) as shape from (
    select format('%s.%s %s', attrelid::regclass, attname, atttypid) from pg_attribute where attrelid >= 16384
    union all select format('%s %s', tgrelid, tgname) from pg_trigger
    union all select format('%s %s', conrelid, conname) from pg_constraint
    union all select oid::text from pg_proc where oid >= 16384
    union all select name from schema_migrations
  ) as things (thing)`;
  return (await first(db, shape))?.shape ?? '';
}

/** Makes the client fail at once when the server asks it to retry later. */
const wait = async () => false;

function worldOf(testServer: TestServer, leave: () => unknown) {
  const { config, server, clockOffset, lines, dataDir, database } = testServer;
  const { origin } = server;
  const client = (session: SessionStore, at = origin) =>
    createClient(contracts, { origin: at, session, wait });
  const now = () => instant(Date.now() + clockOffset.seconds * 1000);
  const outbox = () => readOutbox(join(dataDir, 'outbox'));

  return {
    origin,
    config,
    db: server.db as Db,
    databaseUrl: database.url,
    /** The lines that the app printed to the console. */
    lines,
    anyone: client(memorySession()),
    now,
    outbox,
    client,

    /** How far the clock of the server is ahead. */
    clockOffset,

    /** Advances the clock of the server, for example by '11 minutes' or '2 days'. */
    later(span: string): void {
      const [count, unit] = span.split(' ') as [string, string];
      const seconds = { second: 1, minute: 60, hour: 3600, day: 86_400 }[unit.replace(/s$/, '')];
      clockOffset.seconds += Number(count) * (seconds ?? Number.NaN);
    },

    /**
     * Makes waiting emails due, even before the end of their cooldown, except those that are collected until the end of the
     * hour. Also wakes the workers, which otherwise poll every two seconds.
     */
    async hurry(): Promise<void> {
      const db = server.db as Db;
      await run(
        db,
        sql`
          update notice_emails s set sent_at = least(s.sent_at, now() - interval '1 hour')
          from notice_emails e
          where e.sent_at is null and not e.collected and s.sent_at is not null
            and s.user_id = e.user_id and s.kind = e.kind and s.key = e.key`,
      );
      await run(db, sql`update notice_emails set send_at = now() where sent_at is null and not collected`);
      await run(
        db,
        sql`with due as (update jobs set run_at = now() where key is not null) select pg_notify('jobs', '')`,
      );
    },

    /** Does something while no job runs. Jobs that are enqueued meanwhile run afterwards. */
    async withoutJobs<T>(work: () => Promise<T>): Promise<T> {
      const db = server.db as Db;
      await run(
        db,
        sql`create function hold_job() returns trigger language plpgsql as $$
            begin new.run_at := new.run_at + interval '1000 days'; return new; end $$`,
      );
      await run(
        db,
        sql`create trigger hold_job before insert on jobs for each row execute function hold_job()`,
      );
      const isHeld = sql`run_at > now() + interval '500 days'`;
      const hold = sql`update jobs set run_at = run_at + interval '1000 days' where not (${isHeld})`;
      const running = sql`select from jobs where locked_until is not null`;
      try {
        await expect.poll(() => run(db, hold).then(() => first(db, running))).toBeUndefined();
        return await work();
      } finally {
        await run(db, sql`drop function hold_job cascade`);
        await run(
          db,
          sql`
            with held as (update jobs set run_at = run_at - interval '1000 days' where ${isHeld})
            select pg_notify('jobs', '')`,
        );
      }
    },

    /** Writes the fetches of feeds, as the server does once a minute. */
    writeFetches: () => server.writeFetches(),

    /** Waits for an email to an address, skipping `count` earlier ones. */
    mail: (to: string, count = 0) => emailIn(dataDir, to, count),

    /** A logged-in user, without the email of a login. An empty `name` leaves the profile empty. */
    async person(name: string, last_name = ''): Promise<Person> {
      const email = `${name.toLowerCase() || 'nameless'}-${randomUUID().slice(0, 8)}@example.org`;
      const db = server.db as Db;
      const time = await clockOf(clockOffset)(db);
      const id = await findOrCreateAccount(db, email, { language: 'en', now: time });
      if (name) await updateUser(db, id, { first_name: name, last_name });
      const session = memorySession();
      const auth = await startSession({ db, config, now: time, record: () => {} }, id, 'Test');
      session.write(auth as AuthData);
      return { id, email, api: client(session), session };
    },

    /** A club with the first person as admin and the others as members. */
    async club([admin, ...others]: [Person, ...Person[]], club_name = 'Harbour Rowers'): Promise<ClubHandle> {
      const club = await admin.api.clubs.create({ club_name });
      if (others.length === 0) return club;
      const { invite_link } = await admin.api.invites.create({ club_id: club.id });
      for (const other of others) await other.api.invites.join({ invite: invite_link });
      return club;
    },

    /** An event of the club, hosted by one of its admins. By default it starts in a day. */
    async event(club: ClubHandle, host: Person, input: EventInput = {}) {
      const { startsIn = 24, lasts = 1, entryUntil, ...fields } = input;
      const start = Date.parse(now()) + startsIn * 3_600_000;
      return host.api.events.create({
        club: club.id,
        name: 'Tuesday run',
        location_name: 'Pier 3',
        ...fields,
        start_time: instant(start),
        end_time: instant(start + lasts * 3_600_000),
        ...(entryUntil ? { entry_until_time: entryUntil } : {}),
      });
    },

    /** An event of the club on whose time members vote: by default it starts in one day or in two. */
    async poll(
      club: ClubHandle,
      host: Person,
      { at = [24, 48], ...fields }: { at?: number[] } & Omit<EventInput, 'startsIn' | 'lasts'> = {},
    ) {
      const start = Date.parse(now());
      const { entryUntil, ...input } = fields;
      const created = await host.api.events.create({
        club: club.id,
        name: 'Tuesday run',
        location_name: 'Pier 3',
        ...input,
        times: at.map((hours) => ({
          start_time: instant(start + hours * 3_600_000),
          end_time: instant(start + (hours + 1) * 3_600_000),
        })),
        ...(entryUntil && { entry_until_time: entryUntil }),
      });
      const { times } = await host.api.events.get({ event: created.id });
      return { ...created, times: times.map(({ id }) => id) as [string, string, ...string[]] };
    },

    async [Symbol.asyncDispose]() {
      const undeclared = testServer.undeclaredErrors.splice(0);
      await leave();
      expect(undeclared).toEqual([]);
    },
  };
}

export type World = ReturnType<typeof worldOf>;

const defaults = {
  HOST: '127.0.0.1',
  PORT: '0',
  PUBLIC_URL: 'http://muster.test',
  SECRET_KEY: 'a key that only the tests of this project use',
  LIMITS_PER_ADDRESS: 'off',
  // Many tests send hundreds of requests in a few seconds.
  REQUESTS_PER_MINUTE: '100000',
  MEGABYTES_PER_HOUR: '100000',
  LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
};

export type MemorySession = SessionStore & { lostTimes: number };

/** A session in memory, in place of the browser's local storage. */
export function memorySession(): MemorySession {
  let auth: AuthData | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    lostTimes: 0,
    read: () => auth,
    write: (next) => void (auth = next),
    lost() {
      auth = undefined;
      this.lostTimes++;
    },
    alone<T>(work: () => Promise<T>): Promise<T> {
      const turn = last.then(work, work);
      last = turn;
      return turn;
    },
  };
}

/** The code in the plain text of a login email. */
export const codeIn = (mail: Email): string => /^ {4}([A-Z0-9]{6})$/m.exec(mail.text ?? '')?.[1] ?? 'no code';

/** Waits for an email to an address in the outbox of a data directory, skipping `count` earlier ones. */
export async function emailIn(dataDir: string, to: string, count = 0): Promise<Email> {
  for (let tries = 0; tries < 800; tries++) {
    const arrived = await readOutbox(join(dataDir, 'outbox'));
    const mail = arrived.filter((mail) => mail.to?.some((receiver) => receiver.address === to))[count];
    if (mail) return mail;
    await sleep(25);
  }
  throw new Error(`No email to ${to} arrived`);
}

/** Parsed emails by path: waiting reads the same outbox many times. */
const emails = new Map<string, Promise<Email>>();

export async function readOutbox(folder: string): Promise<Email[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^[^.].*\.eml$/.test(name)).sort();
  return Promise.all(files.map((name) => emailAt(join(folder, name))));
}

function emailAt(path: string): Promise<Email> {
  const mail = emails.get(path) ?? readFile(path).then((file) => PostalMime.parse(file));
  emails.set(path, mail);
  return mail;
}

async function copyTemplate() {
  const server = inject('databaseServer');
  const name = `world_${randomUUID().replaceAll('-', '')}`;
  const url = databaseAt(server, name);
  await execute(server, `create database ${name} template ${template} strategy file_copy`);
  const standby = inject('standby');
  return {
    url,
    standby: standby ? { DATABASE_READ_URL: databaseAt(standby, name) } : {},
    clear: async (db: Db) => void (await sql.raw(clearing).execute(db)),
    drop: () => execute(server, `drop database ${name}`),
  };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/**
 * Deletes all rows, in passes, because triggers and foreign keys write to other tables. Truncating 43 tables takes ten
 * times as long and makes every connection plan its prepared statements again. A table without pages has no rows.
 */
const clearing = `
  do $$ declare name regclass; is_empty boolean; deleted int; begin
    loop
      is_empty := true;
      for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
          and relname <> 'schema_migrations' and pg_relation_size(oid) > 0 loop
        execute format('delete from %s', name);
        get diagnostics deleted = row_count;
        is_empty := is_empty and deleted = 0;
      end loop;
      exit when is_empty;
    end loop;
  end $$`;
