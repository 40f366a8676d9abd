import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DestinationStream } from 'pino';
import PostalMime, { type Email } from 'postal-mime';
import { inject } from 'vitest';
import { readConfig } from '#platform/config.ts';
import type { Db } from '#platform/db.ts';
import { createLog } from '#platform/log.ts';
import { createClient, type AuthData, type Client, type SessionKeeper } from '#wire/client.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { contracts } from '#app/contracts.ts';
import { startServer } from '#app/server.ts';
import { databaseAt, template } from '#test/database.ts';

export type Api = Client<typeof contracts>;

/** Somebody with a browser of their own. */
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

interface EventWish {
  name?: string;
  description?: string;
  details?: string;
  location_name?: string;
  time_zone?: string;
  /** Hours from the server's now. */
  startsIn?: number;
  lasts?: number;
  entryUntil?: Instant;
}

/** A running Muster of its own on a database of its own, with the people that a test needs. */
export async function world(settings: Record<string, string> = {}, logTo?: DestinationStream) {
  const dataDir = await mkdtemp(join(tmpdir(), 'muster-world-'));
  const database = await copyTemplate();
  const ahead = { seconds: 0 };
  const lines: string[] = [];
  const config = readConfig({ ...defaults, DATA_DIR: dataDir, ...settings });
  const server = await startServer({
    config,
    databaseUrl: database.url,
    log: createLog(config.logLevel, logTo),
    print: (line) => lines.push(line),
    ahead,
  });
  const origin = server.origin;
  const client = (session: SessionKeeper, at = origin) => createClient(contracts, { origin: at, session });
  const now = () => instant(Date.now() + ahead.seconds * 1000);
  const outbox = () => readOutbox(join(dataDir, 'outbox'));

  return {
    origin,
    config,
    db: server.db as Db,
    databaseUrl: database.url,
    /** What the app printed for the one who started it. */
    lines,
    anyone: client(memorySession()),
    now,
    outbox,
    client,

    /** Moves the clock of the server forward: '11 minutes', '2 days'. */
    later(span: string): void {
      const [count, unit] = span.split(' ') as [string, string];
      const seconds = { second: 1, minute: 60, hour: 3600, day: 86_400 }[unit.replace(/s$/, '')];
      ahead.seconds += Number(count) * (seconds ?? Number.NaN);
    },

    /** Waits for the newest letter to an address (after `count` earlier ones). */
    letter: (to: string, count = 0) => letterIn(dataDir, to, count),

    /** Somebody who logged in with a mailed code and, unless `name` is empty, told their first name. */
    async person(name: string, last_name = ''): Promise<Person> {
      const email = `${name.toLowerCase() || 'nameless'}-${randomUUID().slice(0, 8)}@example.org`;
      const session = memorySession();
      const api = client(session);
      await api.auth.login({ email });
      session.write(await api.auth.confirm({ email, code: codeIn(await this.letter(email)) }));
      const me = name ? await api.users.update({ first_name: name, last_name }) : await api.users.me({});
      return { id: me.id, email, api, session };
    },

    /** A club of which the first person is admin and the others are members. */
    async club([admin, ...others]: [Person, ...Person[]], club_name = 'Harbour Rowers'): Promise<ClubHandle> {
      const club = await admin.api.clubs.create({ club_name });
      if (others.length === 0) return club;
      const { invite_link } = await admin.api.invites.create({ club_id: club.id });
      for (const other of others) await other.api.invites.join({ invite: invite_link });
      return club;
    },

    /** An event of the club, hosted by one of its admins; it starts in a day unless told otherwise. */
    async event(club: ClubHandle, host: Person, wish: EventWish = {}) {
      const { startsIn = 24, lasts = 1, entryUntil, ...words } = wish;
      const start = Date.parse(now()) + startsIn * 3_600_000;
      return host.api.events.create({
        club: club.id,
        name: 'Tuesday run',
        location_name: 'Pier 3',
        ...words,
        start_time: instant(start),
        end_time: instant(start + lasts * 3_600_000),
        ...(entryUntil ? { entry_until_time: entryUntil } : {}),
      });
    },

    async [Symbol.asyncDispose]() {
      await server.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof world>>;

const defaults = {
  HOST: '127.0.0.1',
  PORT: '0',
  PUBLIC_URL: 'http://muster.test',
  SECRET_KEY: 'a key that only the tests of this project use',
  LIMITS_PER_ADDRESS: 'off',
  // Hundreds of rounds in a few seconds are what many tests are made of.
  REQUESTS_PER_MINUTE: '100000',
  LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
};

export type MemorySession = SessionKeeper & { lostTimes: number };

/** A session kept in memory, as a browser keeps it in local storage. */
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

/** The code that a login letter carries in plain text. */
export const codeIn = (letter: Email): string =>
  /^ {4}([A-Z0-9]{6})$/m.exec(letter.text ?? '')?.[1] ?? 'no code';

/** Waits for the newest letter to an address (after `count` earlier ones) in the outbox of a data directory. */
export async function letterIn(dataDir: string, to: string, count = 0): Promise<Email> {
  for (let tries = 0; tries < 200; tries++) {
    const arrived = await readOutbox(join(dataDir, 'outbox'));
    const letter = arrived.filter((mail) => mail.to?.some((receiver) => receiver.address === to))[count];
    if (letter) return letter;
    await sleep(25);
  }
  throw new Error(`No letter for ${to} arrived`);
}

/** Every letter is parsed once: an outbox is looked into again and again until the one that is waited for is there. */
const letters = new Map<string, Promise<Email>>();

async function readOutbox(folder: string): Promise<Email[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => /^[^.].*\.eml$/.test(name)).sort();
  return Promise.all(files.map((name) => letterAt(join(folder, name))));
}

function letterAt(path: string): Promise<Email> {
  const letter = letters.get(path) ?? readFile(path).then((file) => PostalMime.parse(file));
  letters.set(path, letter);
  return letter;
}

async function copyTemplate() {
  const server = inject('databaseServer');
  const name = `world_${randomUUID().replaceAll('-', '')}`;
  const execute = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await execute(`create database ${name} template ${template}`);
  return { url: databaseAt(server, name), drop: () => execute(`drop database ${name}`) };
}
