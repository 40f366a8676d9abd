import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { all, openDatabase, sql } from '#platform/db/client.ts';
import { migrate } from '#platform/db/migrate.ts';
import { createClient } from '#wire/client.ts';
import { instant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';
import { bareEnvironment } from '#test/bare-environment.ts';
import { databaseAt } from '#test/database.ts';
import { broken } from '#test/races/people.ts';
import { releasedCode } from '#test/released.ts';
import { scratch } from '#test/scratch-directory.ts';
import { codeIn, emailIn, memorySession, readOutbox, type Api } from '#test/world.ts';

const today = fileURLToPath(new URL('..', import.meta.url));

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

const makeDirectory = () => mkdtemp(join(scratch, 'muster-upgrade-'));

async function directory(): Promise<string> {
  const made = await makeDirectory();
  undo.push(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** The folder with the code of the last release. */
let code: string;
beforeAll(async () => {
  code = await releasedCode(await makeDirectory());
});
afterAll(() => rm(code, { recursive: true, force: true }));

async function emptyDatabase(): Promise<string> {
  const name = `upgrade_${randomUUID().replaceAll('-', '')}`;
  const server = inject('databaseServer');
  await query(server, `create database ${name}`);
  undo.push(() => query(server, `drop database ${name}`));
  return databaseAt(server, name);
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query({ text, rowMode: 'array' })
    .then(({ rows }) => rows.flat() as unknown[])
    .finally(() => client.end());
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** What the processes of the current test have logged as errors. */
const errors: string[] = [];
afterEach(() => errors.splice(0));

/** Starts the app in its own process and resolves when it is ready. */
async function start(code: string, databaseUrl: string, dataDir: string): Promise<string> {
  const port = await freePort();
  const env = {
    ...bareEnvironment,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    LIMITS_PER_ADDRESS: 'off',
    REQUESTS_PER_MINUTE: '1000000',
    MEGABYTES_PER_HOUR: '100000',
    LOG_LEVEL: 'error',
  };
  const app = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: code,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  app.stdout.setEncoding('utf8').on('data', (lines: string) => errors.push(lines));
  const gone = once(app, 'exit');
  undo.push(() => app.kill('SIGINT') && gone);
  const origin = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 50_000, interval: 50 }).toBe(true);
  return origin;
}

/** Seconds of traffic on both releases. Set UPGRADE_SECONDS for a longer trial with more traffic, on an idle machine. */
const isTrial = process.env['UPGRADE_SECONDS'] !== undefined;
const seconds = Number(process.env['UPGRADE_SECONDS'] ?? 2);

/**
 * Milliseconds between two requests of a kind, and after how many of them users also plan an event, and join and leave.
 * Other tests keep the machine busy, and a busy server refuses requests after two seconds.
 */
const { pause, rare } = isTrial ? { pause: 200, rare: 15 } : { pause: 1000, rare: 3 };

/**
 * Starts users who send requests continuously, and counts the statuses. With `changing`, they also create events, and
 * join and leave the club.
 */
async function traffic(
  origin: string,
  dataDir: string,
  {
    names = ['ada', 'bob', 'cyd'],
    changing = false,
  }: { names?: [string, string, string]; changing?: boolean } = {},
) {
  const statuses = new Map<number, number>();
  /** Requests that got no response, or an error of the server. */
  const failures: string[] = [];
  const over = new AbortController();
  const counting: typeof fetch = async (...request) => {
    const response = await fetch(...request).catch(() => Response.error());
    const { status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 0 || status >= 500)
      failures.push(`${String(request[0])}: ${status} ${await response.clone().text()}`);
    return response;
  };
  const sessions = new Map<string, ReturnType<typeof memorySession>>();
  async function person(name: string): Promise<Api> {
    const session = memorySession();
    sessions.set(name, session);
    const api = createClient(contracts, { origin, session, fetch: counting });
    const email = `${name}@example.org`;
    await api.auth.login({ email });
    session.write(await api.auth.confirm({ email, code: codeIn(await emailIn(dataDir, email)) }));
    return api;
  }
  const [ada, bob] = [await person(names[0]), await person(names[1])];
  const club = await ada.clubs.create({ club_name: 'Rowers' });
  const { invite_link } = await ada.invites.create({ club_id: club.id });
  await bob.invites.join({ invite: invite_link });
  const times = { start_time: instant(Date.now() + 3_600_000), end_time: instant(Date.now() + 7_200_000) };
  const plan = (name: string) => ada.events.create({ club: club.id, name, location_name: 'Pier', ...times });
  const [event, attended] = [await plan('Race'), await plan('Regatta')];
  await bob.answers.attend({ event: attended.slug });
  // Several events, to stay within the limit of ten answers a minute to each.
  const others = await Promise.all(Array.from({ length: 12 }, (_, nth) => plan(`Row ${nth}`)));
  const calls: ((round: number) => Promise<unknown>)[] = [
    (round) => ada.users.update({ first_name: `Ada ${round}` }),
    () => bob.users.me({}),
    () => bob.clubs.get({ club: club.id }),
    (round) => ada.clubs.update({ club: club.id, club_description: String(round) }),
    () => bob.events.get({ event: event.slug }),
    (round) => ada.events.edit({ event: event.id, club: club.id, details: String(round) }),
    () => bob.events.ofMyClubs({}),
    (round) => bob.answers.favourite({ event: event.slug, favourite: round % 2 === 0 }),
    () => ada.updates.ofClub({ club: club.id }),
    () => bob.notifications.list({}),
    async (round) => {
      const other = others[round % others.length];
      if (other && round < 10 * others.length)
        await bob.answers[round % 2 ? 'unattend' : 'attend']({ event: other.slug });
    },
  ];
  if (changing) {
    const cyd = await person(names[2]);
    // Only in some rounds, to stay within the daily limits of new events and joins.
    calls.push(
      async (round) => void (round % rare === 0 && round < 300 && (await plan(`Extra ${round}`))),
      async (round) => {
        if (round % rare > 0 || round >= 150) return;
        await cyd.invites.join({ invite: invite_link });
        await cyd.answers.attend({ event: event.slug });
        await cyd.members.leave({ club: club.id });
      },
    );
  }
  const loops = calls.map(async (call) => {
    for (let round = 0; !over.signal.aborted; round++) {
      await call(round).catch(() => {});
      await sleep(pause);
    }
  });
  return {
    /** The number of responses per status; 0 stands for a failed request. */
    answers: statuses,
    failures,
    async atLeast(more: number): Promise<void> {
      const before = statuses.get(200) ?? 0;
      await expect
        .poll(() => (statuses.get(200) ?? 0) - before, { timeout: 40_000, interval: 20 })
        .toBeGreaterThan(more);
    },
    async stop() {
      over.abort();
      await Promise.all(loops);
    },
    /** The attendances as the process at `origin` shows them. */
    async attending(origin: string) {
      const session = sessions.get(names[1]);
      const api = createClient(contracts, { origin, session: session ?? memorySession() });
      const { ical_feed_url_id: secret } = await api.users.me({});
      const page = await api.clubs.get({ club: club.id });
      const { user_count, attendees, my_role } = await api.events.get({ event: attended.slug });
      const feeds = [
        await api.calendar.personalFeed({ secret }),
        await api.calendar.clubFeed({ club: club.id, secret: page.ical_feed_url_id }),
      ];
      return {
        // The last release does not list guests.
        event: {
          user_count,
          attendees: attendees.map((each) => [each.attendee_id, each.attendee_role]),
          my_role,
        },
        cards: page.events.map((card) => [card.slug, card.user_count, card.my_role, card.faces]),
        entries: feeds.map((feed) => feed.match(/^(UID|DTSTART|DTEND|SUMMARY|STATUS|TRANSP):.*/gm)),
        sequences: feeds.flatMap((feed) => [...feed.matchAll(/^SEQUENCE:(\d+)/gm)].map(([, n]) => Number(n))),
      };
    },
  };
}

/** Possible migrations of the next release, following the rules in docs/operations.md. */
const expansion = {
  '9991_more_of_people.sql': `alter table users add column nickname text not null default '';`,
  '9992_more_of_clubs.sql': `alter table clubs add column motto text not null default '' check (motto <> 'none');`,
  '9993_more_of_events.sql': `
    alter table events add column weather text;
    alter table events add constraint events_weather check (weather <> '') not valid;`,
  '9994_weather_is_something.sql': `alter table events validate constraint events_weather;`,
  '9995_events_by_weather.sql': `-- Statement by statement.
drop index concurrently if exists events_by_weather;
create index concurrently events_by_weather on events (weather);
`,
  '9996_trophies.sql': `create table trophies (
    id uuid primary key, club_id uuid not null references clubs on delete cascade);`,
};

/** The current migrations and those of a possible next release. */
async function nextMigrations(): Promise<URL> {
  const folder = await directory();
  await cp(join(today, 'migrations'), folder, { recursive: true });
  for (const [name, text] of Object.entries(expansion)) await writeFile(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}

// The timeout is long because two processes start, possibly on a busy machine.
test(
  'upgrade: the last release serves during the migration and starts on the migrated database, and both releases show the same attendances [MOVE-01]',
  { timeout: 120_000 },
  async () => {
    const [databaseUrl, dataDir] = [await emptyDatabase(), await directory()];
    const released = await start(code, databaseUrl, dataDir);
    const { answers: statuses, atLeast, stop, attending } = await traffic(released, dataDir);
    await atLeast(30);
    const applied = await migrate(databaseUrl, { folder: await nextMigrations() });
    expect(applied).toEqual(expect.arrayContaining(Object.keys(expansion)));
    await atLeast(60);
    await stop();
    expect([...statuses.keys()], errors.join('')).toEqual([200]);
    expect(await query(databaseUrl, 'select count(*)::int from events where weather is null')).toEqual([14]);

    // Start the last release as after a rollback or during a rolling upgrade, and the current code beside it.
    const origins = [];
    for (const each of [code, today]) origins.push(await start(each, databaseUrl, dataDir));
    const [before, after] = await Promise.all(origins.map(attending));
    expect(after).toMatchObject({ ...before, sequences: expect.any(Array) });
    expect(after?.event).toMatchObject({ user_count: 2, my_role: 'attendee' });
    expect(after?.sequences.every((sequence, n) => sequence >= (before?.sequences[n] ?? Infinity))).toBe(
      true,
    );
    const rows = await query(databaseUrl, 'select distinct answer, guests from answers');
    expect(rows.sort()).toEqual([0, 'going']);
  },
);

test.each(['the last release', 'the new one'])(
  'upgrade: both releases serve the same database, when %s starts first [MOVE-02]',
  { timeout: 120_000 + 1000 * seconds },
  async (first) => {
    const [databaseUrl, dataDir] = [await emptyDatabase(), await directory()];
    const order = first === 'the last release' ? [code, today] : [today, code];
    const running = [];
    for (const [n, each] of order.entries()) {
      const origin = await start(each, databaseUrl, dataDir);
      const names: [string, string, string] = [`ada-${n}`, `bob-${n}`, `cyd-${n}`];
      running.push(await traffic(origin, dataDir, { names, changing: true }));
    }
    await sleep(1000 * seconds);
    // On a busy machine it takes longer until all of these requests have succeeded.
    for (const { answers: statuses } of running)
      await expect.poll(() => statuses.get(200), { timeout: 40_000 }).toBeGreaterThan(30 * seconds);
    for (const { stop } of running) await stop();
    // 429 is accepted.
    expect(
      running.flatMap(({ failures }) => failures),
      errors.join(''),
    ).toEqual([]);
  },
);

const hoursFromNow = (hours: number) => instant(Date.now() + hours * 3_600_000);

test(
  'upgrade: the new release shows the notices and sends the emails of the last one, each once [MOVE-02]',
  { timeout: 120_000 },
  async () => {
    const [databaseUrl, dataDir] = [await emptyDatabase(), await directory()];
    const released = await start(code, databaseUrl, dataDir);
    const apis: Api[] = [];
    const sessions: ReturnType<typeof memorySession>[] = [];
    for (const name of ['ada', 'bob']) {
      const session = memorySession();
      const api = createClient(contracts, { origin: released, session });
      const email = `${name}@example.org`;
      await api.auth.login({ email });
      session.write(await api.auth.confirm({ email, code: codeIn(await emailIn(dataDir, email)) }));
      await api.users.update({ first_name: name });
      apis.push(api);
      sessions.push(session);
    }
    const [ada, bob] = apis as [Api, Api];
    const club = await ada.clubs.create({ club_name: 'Rowers' });
    const { invite_link } = await ada.invites.create({ club_id: club.id });
    await bob.invites.join({ invite: invite_link });
    const plan = (name: string) =>
      ada.events.create({
        club: club.id,
        name,
        location_name: 'Pier',
        start_time: hoursFromNow(72),
        end_time: hoursFromNow(73),
      });
    const [regatta, race] = [await plan('Regatta'), await plan('Race')];
    for (const { slug } of [regatta, race]) await bob.answers.attend({ event: slug });
    await ada.members.changeRole({ club: club.id, member: (await bob.users.me({})).id, role: 100 });
    await ada.events.edit({ event: regatta.id, club: club.id, location_name: 'Hall' });
    await ada.events.edit({ event: race.id, club: club.id, name: 'Sprint' });
    const shown = (await bob.notifications.list({})).map(({ message }) => message);
    const due = 'select 1 from jobs where run_at <= now()';
    await expect.poll(() => query(databaseUrl, due)).toEqual([]);
    const waiting = 'select kind from notification_emails where send_at > now() order by 1';
    expect(await query(databaseUrl, waiting)).toEqual(
      ['attending', 'attending', 'event_updated', 'event_updated', 'role_changed'].toSorted(),
    );
    await undo.pop()?.();

    const origin = await start(today, databaseUrl, dataDir);
    for (const table of ['notifications', 'notification_emails', 'notification_fanouts'])
      await expect.poll(() => query(databaseUrl, `select 1 from ${table}`)).toEqual([]);
    const again = createClient(contracts, {
      origin,
      session: sessions[1] as ReturnType<typeof memorySession>,
    });
    const messages = (await again.notifications.list({})).map(({ message }) => message);
    // Messages show the current names.
    expect(messages).toEqual(shown.map((message) => message.replace('Race', 'Sprint')));
    await query(databaseUrl, 'update notice_emails set send_at = now() where sent_at is null');
    await expect
      .poll(() => query(databaseUrl, 'select 1 from notice_emails where sent_at is null'))
      .toEqual([]);
    const received = async () =>
      (await readOutbox(join(dataDir, 'outbox')))
        .filter(({ to }) => to?.[0]?.address === 'bob@example.org')
        .map(({ subject = '' }) => subject.replace(/, \w{3} \d+ \w{3}( \d{4})?(, [\d:]+ [ap]m)?/, ''));
    const all = [
      "You're going: Regatta",
      "You're going: Sprint",
      'Moved: Regatta → Hall',
      'Renamed: Race → Sprint',
      'You are now an organiser of Rowers',
    ];
    await expect.poll(received).toEqual(expect.arrayContaining(all));
    for (const subject of all) expect((await received()).filter((each) => each === subject)).toHaveLength(1);
  },
);

test(
  'upgrade: the new release can restore a backup of the last one, and every invariant holds [MOVE-04]',
  {
    timeout: 120_000,
  },
  async () => {
    const [databaseUrl, dataDir] = [await emptyDatabase(), await directory()];
    const { atLeast, stop, attending } = await traffic(await start(code, databaseUrl, dataDir), dataDir, {
      changing: true,
    });
    await atLeast(120);
    await stop();
    const archive = join(await directory(), 'muster.backup');
    const run = (cwd: string, script: string, url: string, directory: string) =>
      promisify(execFile)(process.execPath, [`src/app/${script}.ts`, archive], {
        cwd,
        env: { ...bareEnvironment, DATABASE_URL: url, DATA_DIR: directory },
      });
    await run(code, 'backup', databaseUrl, dataDir);
    const [restored, newDataDir] = [await emptyDatabase(), await directory()];
    await cp(join(dataDir, 'secret.key'), join(newDataDir, 'secret.key'));
    await run(today, 'restore', restored, newDataDir);
    const { db, close } = openDatabase(restored, { size: 1, onError: () => {} });
    undo.push(close);
    expect(await broken({ db })).toEqual([]);
    expect((await all(db, sql`select from answers`)).length).toBeGreaterThan(14);
    const origins = [await start(code, databaseUrl, dataDir), await start(today, restored, newDataDir)];
    const [before, after] = await Promise.all(origins.map(attending));
    expect(after).toMatchObject({ ...before, sequences: expect.any(Array) });
  },
);
