import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import PostalMime from 'postal-mime';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { migrate, newestMigration, lockMigrations } from '#platform/db/migrate.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { announceCopy, tablesOf } from '#platform/backup/tables.ts';
import { hmac } from '#platform/token.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { reconcileDeletions } from '#features/account/jobs.ts';
import { backup, restore, type Instance } from '#app/backups.ts';
import { prepareDatabase, startServer } from '#app/server.ts';
import { bareEnvironment } from '#test/bare-environment.ts';
import { bucketServer } from '#test/bucket.ts';
import { databaseAt } from '#test/database.ts';
import { directory, undo, undoAll, usedDirectory } from '#test/postgres.ts';
import {
  codeIn,
  emailIn,
  memorySession,
  isolatedWorld,
  world,
  type Person,
  type World,
} from '#test/world.ts';

const log = createLog('silent');
afterEach(undoAll);

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

const query = async <Row extends object>(url: string, text: string): Promise<Row[]> =>
  (await withClient(url, (client) => client.query<Row>(text))).rows;

/** An instance with an empty database and an empty data directory. */
async function emptyInstance({ DATA_DIR = '', ...settings }: Record<string, string> = {}): Promise<Instance> {
  const name = `archive_${randomUUID().replaceAll('-', '')}`;
  const server = inject('databaseServer');
  await query(server, `create database ${name}`);
  undo.push(() => query(server, `drop database ${name}`));
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: 'http://muster.test',
    SECRET_KEY: 'a key that only the tests of this project use',
    LIMITS_PER_ADDRESS: 'off',
    DATA_DIR: DATA_DIR || (await directory()),
    ...settings,
  });
  return { config, databaseUrl: databaseAt(server, name) };
}

/** The row count and a hash of the content per table. */
const contentHashes = (url: string) =>
  withClient(url, async (client) => {
    const content: Record<string, unknown> = {};
    for (const { name } of await tablesOf(client)) {
      // Ignore scheduled jobs, which have no payload: every start of the app adds them.
      const compared = name === 'jobs' ? `(select * from jobs where payload <> '{}') t` : `${name} t`;
      const { rows } = await client.query<{ print: string }>(
        `select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as print from ${compared}`,
      );
      content[name] = rows[0]?.print;
    }
    return content;
  });

/** Violations of invariants across tables. */
const violations = (url: string) =>
  query(
    url,
    `select 'no admin' from clubs c where not exists
       (select from members where club_id = c.id and club_role = 200)
     union all select 'no host' from events e where end_time > now() and not exists
       (select from answers where event_id = e.id and host_no = 1)
     union all select 'attends without being a member' from answers a join events e on e.id = a.event_id
       left join members m on m.club_id = e.owner_club_id and m.user_id = a.user_id
       where e.end_time > now() and m.user_id is null`,
  );

/** Starts the app on an instance until the test ends. */
async function serve({ config, databaseUrl }: Instance) {
  const server = await startServer({ config, databaseUrl, log });
  undo.push(() => server.close());
  return server;
}

const toInstance = ({ config, databaseUrl }: World): Instance => ({ config, databaseUrl });
const picture = () =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();

/** A world whose users have used every feature that writes rows. */
async function populatedWorld() {
  const w = await world();
  const [ada, bob, cyd] = [await w.person('Ada', 'Byron'), await w.person('Bob'), await w.person('Cyd')];
  const rowers = await w.club([ada, bob, cyd]);
  const chess = await w.club([bob, ada], 'Chess „Ü“ \\ "quoted" 🏆');
  const race = await w.event(rowers, ada, { description: 'one\nline\r\nand\tanother \u2028 one' });
  await w.event(chess, bob);
  await bob.api.answers.attend({ event: race.slug });
  await cyd.api.answers.subscribe({ event: race.slug });
  await cyd.api.answers.favourite({ event: race.slug, favourite: true });
  const { name } = await ada.api.media.addToUpdate({ club: rowers.id, file: await picture() });
  await ada.api.updates.publish({ club: rowers.id, content: 'The boats are back', pictures: [name] });
  await cyd.api.notifications.saveSettings({ new_event: false });
  await bob.api.feedback.send({ feedback: 'It is fine' });
  await bob.api.calendar.replaceSecret({});
  const { url } = await ada.api.media.setOwn({ file: await picture() });
  await run(
    w.db,
    sql`select enqueue_job('send_email', '{ "to": "later@example.org", "until": "2000-01-01T00:00:00.000Z" }',
          run_at => now() + interval '1 hour', key => 'letter:1', priority => 1)`,
  );
  // A notification email without its job: restoring it must not enqueue the job again.
  await run(
    w.db,
    sql`insert into notice_emails (id, user_id, kind, key, facts, actor_id, created_at, send_at)
        values (gen_random_uuid(), ${bob.id}, 'club_update', 'update', '{}', ${ada.id}, now(), now() + interval '1 hour')`,
  );
  await run(w.db, sql`delete from jobs where name = 'send_notice'`);
  await inTransaction(w.db, async (db) => {
    await run(
      db,
      sql`insert into notice_fanouts values (gen_random_uuid(), 'club_update', gen_random_uuid(), 'update', '{}', '{}',
            ${ada.id}, array[${bob.id}, ${cyd.id}]::uuid[], '{}', 0, now())`,
    );
    await run(db, sql`delete from jobs where payload ->> 'fan_out' is not null`);
  });
  return { w, ada, bob, cyd, rowers, chess, race, url };
}

describe('archive', () => {
  test('restores rows, pending jobs, pictures, sessions and logins into another instance', async () => {
    const { w, ada, bob, race, url } = await populatedWorld();
    await using _ = w;
    const file = join(await directory(), 'all.backup');
    const summary = await backup(toInstance(w), file);
    const before = await contentHashes(w.databaseUrl);
    expect(Object.keys(before).length).toBeGreaterThan(18);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = gunzipSync(await readFile(file)).toString();
    expect(text).toContain(ada.email);
    expect(text).not.toContain(w.config.secretKey);

    const target = await emptyInstance();
    expect(await restore(target, file, { log })).toEqual({ ...summary, erased: 0 });
    // Three sizes of Ada's picture, two of the one in her update.
    expect(summary).toMatchObject({ files: 5 });
    expect(await contentHashes(target.databaseUrl)).toEqual(before);
    expect(await violations(target.databaseUrl)).toEqual([]);
    expect(await query(target.databaseUrl, `select from pg_trigger where tgenabled <> 'O'`)).toEqual([]);
    expect(await query(target.databaseUrl, `select from pg_sequences where schemaname = 'public'`)).toEqual(
      [],
    );

    const { origin } = await serve(target);
    const api = w.client(ada.session, origin);
    expect((await api.users.me({})).first_name).toBe('Ada');
    expect((await api.events.get({ event: race.slug })).user_count).toBe(2);
    const [there, here] = await Promise.all(
      [origin, w.origin].map(async (at) => (await fetch(at + url)).blob()),
    );
    expect(await there?.bytes()).toEqual(await here?.bytes());
    const session = memorySession();
    const again = w.client(session, origin);
    await again.auth.login({ email: bob.email });
    const code = codeIn(await emailIn(target.config.dataDir, bob.email));
    session.write(await again.auth.confirm({ email: bob.email, code }));
    expect((await again.users.me({})).id).toBe(bob.id);
  });

  test('is a consistent snapshot despite concurrent writes', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const club = await w.club([ada]);
    const rows = (text: string) => query(w.databaseUrl, text);
    await rows(`insert into login_codes select gen_random_uuid(), 'many@example.org', '', '', 0, now(), now()
                from generate_series(1, 20000)`);
    let written = 0;
    const over = new AbortController();
    const writing = (async () => {
      for (; !over.signal.aborted; written++) {
        await rows(`update clubs set club_description = '${written}' where id = '${club.id}'`);
        await rows(
          `insert into club_updates values (gen_random_uuid(), '${club.id}', null, '${written}', now())`,
        );
      }
    })();
    await expect.poll(() => written).toBeGreaterThan(5);
    const file = join(await directory(), 'busy.backup');
    const atFirst = written;
    await backup(toInstance(w), file);
    const meanwhile = written - atFirst;
    over.abort();
    await writing;
    expect(meanwhile).toBeGreaterThan(3);

    const target = await emptyInstance();
    await restore(target, file, { log });
    const [found] = await query<{ said: string; newest: number }>(
      target.databaseUrl,
      `select club_description as said, (select max(content::int) from club_updates) as newest from clubs`,
    );
    const last = Number(found?.said);
    expect([last, last - 1]).toContain(found?.newest);
    expect(last).toBeGreaterThanOrEqual(atFirst - 1);
    expect(last).toBeLessThan(written);
  });

  test('contains the files of the snapshot, because no file is deleted while the archive is written', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await ada.api.media.setOwn({ file: await picture() });
    const files = () => readdir(join(w.config.dataDir, 'media'));
    await withClient(w.databaseUrl, async (copying) => {
      await announceCopy(copying);
      await ada.api.media.removeOwn({});
      const swept = sql`select from jobs j where name = 'delete_unused_picture' and attempts = 0 and run_at > now() + interval '9 minutes'`;
      await expect.poll(async () => (await all(w.db, swept)).length).toBe(2);
      expect(await files()).toHaveLength(3);
    });
    await run(w.db, sql`update jobs set run_at = now()`);
    await expect.poll(files, { timeout: 5000 }).toEqual([]);
  });

  test('of an older version is restored and then migrated', async () => {
    const [old, target] = [await emptyInstance(), await emptyInstance()];
    await migrate(old.databaseUrl, { upTo: '0005_media_and_payments.sql' });
    await query(
      old.databaseUrl,
      `insert into users (id, email, calendar_secret, created_at)
      values (gen_random_uuid(), 'ada@example.org', 'secret', now())`,
    );
    const file = join(await directory(), 'old.backup');
    await backup(old, file);
    await restore(target, file, { log });
    expect(await query(target.databaseUrl, 'select email from users')).toEqual([
      { email: 'ada@example.org' },
    ]);
    const newest = await query<{ name: string }>(
      target.databaseUrl,
      'select max(name) as name from schema_migrations',
    );
    expect(newest).toEqual([{ name: await newestMigration() }]);

    const migrated = await emptyInstance();
    await migrate(migrated.databaseUrl);
    await expect(restore(migrated, file, { log })).rejects.toThrow('is empty, but ahead of the archive');
  });
});

const packed = (...texts: string[]) => gzipSync(texts.map((line) => `${line}\n`).join(''));
/** Packs lines into an archive and adds a valid last line, signed only if a signature is given. */
const closed = (signature: ((lines: number, sha256: string) => string) | undefined, ...texts: string[]) => {
  const text = texts.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const end = { lines: texts.length, sha256, signature: signature?.(texts.length, sha256) };
  return gzipSync(`${text}end ${JSON.stringify(end)}\n`);
};
const unsigned = closed.bind(undefined, undefined);
/** Signed with the key of these tests. */
const signed = closed.bind(undefined, (lines, sha256) =>
  createHmac('sha256', hmac('a key that only the tests of this project use', 'archive signature'))
    .update(`${lines} ${sha256}`)
    .digest('base64url'),
);

describe('restore: refused without changes for an archive', () => {
  let file: string;
  let lines: string[];
  /** Shared by all tests, because every rejected archive leaves it empty. */
  let target: Instance;
  const folder = join(tmpdir(), `muster-refused-${randomUUID()}`);

  beforeAll(async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await w.club([ada]);
    await ada.api.media.setOwn({ file: await picture() });
    await mkdir(folder);
    file = join(folder, 'whole.backup');
    await backup(toInstance(w), file);
    lines = gunzipSync(await readFile(file))
      .toString()
      .split('\n')
      .slice(0, -1);
    target = await emptyInstance({ DATA_DIR: join(folder, 'data') });
    afterAllOfThem.push(...undo.splice(0));
  });
  const afterAllOfThem: (() => unknown)[] = [];
  afterAll(async () => {
    for (const step of afterAllOfThem) await step();
    await rm(folder, { recursive: true });
  });

  async function changed(how: (bytes: Buffer) => Buffer | Promise<Buffer>): Promise<string> {
    const other = join(folder, randomUUID());
    await writeFile(other, await how(await readFile(file)));
    return other;
  }
  const withHeader = (change: (head: Record<string, unknown>) => void) => {
    const head = JSON.parse((lines[0] ?? '').slice(7)) as Record<string, unknown>;
    change(head);
    return signed(`muster ${JSON.stringify(head)}`, ...lines.slice(1, -1));
  };

  const notWhole = /is no whole archive: it was cut off or changed\.$/;
  const cases: [string, (bytes: Buffer) => Buffer, RegExp][] = [
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length >> 1), notWhole],
    ['without its last byte', (bytes) => bytes.subarray(0, -1), notWhole],
    ['without its last line', () => packed(...lines.slice(0, -1)), notWhole],
    ['without one of its lines', () => packed(...lines.filter((_, at) => at !== 5)), notWhole],
    ['with data after its end', () => packed(...lines, 'row {}'), /goes on after its end/],
    [
      'with one changed word',
      () => packed(...lines.map((line) => line.replace('Harbour', 'Harbor'))),
      notWhole,
    ],
    ['that is not compressed', () => Buffer.from('hello'), notWhole],
    ['that is empty', () => gzipSync(''), notWhole],
    ['with unknown lines', () => signed('hello {}'), /is no archive of Muster/],
    [
      'of a newer version',
      () =>
        withHeader((head) => {
          head['version'] = '9.0.0';
          (head['migrations'] as object[]).push({ name: '9999_more.sql', hash: 'x' });
        }),
      /made by Muster 9\.0\.0, which is newer than this one \(it has 9999_more\.sql\): upgrade first/,
    ],
    [
      'of a newer format',
      () => withHeader((head) => (head['format'] = 2)),
      /newer than this one: upgrade first/,
    ],
    [
      'with fewer rows than its header counts',
      () => signed(...lines.slice(0, -1).filter((line) => !line.includes('Harbour'))),
      /violates foreign key|is not complete/,
    ],
  ];
  test.each(cases)('%s', async (_, how, why) => {
    await expect(restore(target, await changed(how), { log })).rejects.toThrow(why);
    const tables = await query<{ name: string }>(
      target.databaseUrl,
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    for (const { name } of tables.filter((each) => each.name !== 'schema_migrations'))
      expect(await query(target.databaseUrl, `select from ${name}`)).toEqual([]);
    if (why === notWhole) expect(tables).toEqual([]);
    expect(await readdir(join(target.config.dataDir, 'media')).catch(() => [])).toEqual([]);
  });

  /** All files except the archives themselves. */
  const files = async () => {
    const all = await readdir(folder, { recursive: true, withFileTypes: true });
    return all
      .filter((entry) => entry.isFile() && !/^(whole\.backup|[\da-f-]{36})$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
  };
  const body = () => lines.slice(0, -1);
  const end = () => JSON.parse((lines.at(-1) ?? '').slice(4)) as { signature: string };
  const renamed = (row: string) => body().map((line) => line.replace('Harbour', row));
  const swapped = () => {
    const at = body().findIndex(
      (line, nth) => line.startsWith('row') && body()[nth + 1]?.startsWith('table'),
    );
    return body().map((line, nth, all) => (nth === at ? all[at + 1] : nth === at + 1 ? all[at] : line) ?? '');
  };
  const foreign: [string, () => Buffer][] = [
    ['that is unsigned', () => unsigned(...body())],
    ['that is unsigned and changed', () => unsigned(...renamed('Harbor'))],
    [
      'that is changed but has the original signature',
      () => closed(() => end().signature, ...renamed('Harbor')),
    ],
    ['that is reordered but has the original signature', () => closed(() => end().signature, ...swapped())],
    [
      'that is shortened but has the original signature',
      () => closed(() => end().signature, ...body().slice(0, -1)),
    ],
    [
      'that is extended but has the original signature',
      () => closed(() => end().signature, ...body(), 'job {}'),
    ],
    ['with an empty signature', () => closed(() => '', ...body())],
    [
      'signed with the key name instead of the key',
      () =>
        closed(
          (n, sha256) =>
            createHmac('sha256', 'archive signature').update(`${n} ${sha256}`).digest('base64url'),
          ...body(),
        ),
    ],
  ];
  test.each(foreign)('%s, without --trust [T37]', async (_, made) => {
    await expect(restore(target, await changed(made), { log })).rejects.toThrow(
      'is not signed with this SECRET_KEY',
    );
    expect(await files()).toEqual([]);
  });

  const id = 'AbcdefghijklmnopqrstuV';
  test.each([
    '../escaped-256.webp',
    `../${id}-256.webp`,
    `../../${id}-256.webp`,
    `/tmp/${id}-256.webp`,
    `x/${id}-256.webp`,
    `${id}-256.webp/../../../${id}-256.webp`,
    `..\\${id}-256.webp`,
    `${id}-256.webp\n`,
    `${id}-256.webp\0`,
    `${id}-257.webp`,
    `${id}-0256.webp`,
    `.${id}-256.webp`,
    `${id}.webp`,
    '..',
    '',
    ['..'],
    null,
  ])('with a file named %j, even if signed or trusted; no file is written [T37]', async (name) => {
    const evil = `file ${JSON.stringify({ name, bytes: Buffer.from('evil').toString('base64') })}`;
    for (const close of [signed, unsigned])
      await expect(
        restore(target, await changed(() => close(...body(), evil)), { log, trust: true }),
      ).rejects.toThrow('has a file that Muster does not make');
    expect(await files()).toEqual([]);
  });

  test('with a bad file name in its last line, before any table or folder is created', async () => {
    const untouched = await emptyInstance();
    const evil = `file ${JSON.stringify({ name: `../${id}-256.webp`, bytes: '' })}`;
    const path = await changed(() => signed(...body(), evil));
    await expect(restore(untouched, path, { log })).rejects.toThrow('has a file that Muster does not make');
    expect(await query(untouched.databaseUrl, `select from pg_tables where schemaname = 'public'`)).toEqual(
      [],
    );
    expect(await readdir(untouched.config.dataDir)).toEqual([]);
  });

  test('that changed between the two reads [T37]', async () => {
    const path = await changed((bytes) => bytes);
    const other = signed(...renamed('Harbor'));
    const restoring = await withClient(target.databaseUrl, async (held) => {
      await lockMigrations(held);
      // Once the restore waits for the migration lock, it has read the archive for the first time.
      const attempt = restore(target, path, { log }).then(String, (error: Error) => error.message);
      const asking = `select from pg_stat_activity
        where datname = current_database() and query like 'select pg_try_advisory_lock(%'`;
      await expect.poll(() => query(target.databaseUrl, asking)).toHaveLength(2);
      await writeFile(path, other);
      return { attempt };
    });
    expect(await restoring.attempt).toMatch(/changed while it was read/);
    expect(await query(target.databaseUrl, 'select from users')).toEqual([]);
    expect(await files()).toEqual([]);
  });

  test('signed with another key or unsigned, unless --trust is given', async () => {
    const other = { ...target, config: { ...target.config, secretKey: 'another key' } };
    await expect(restore(other, file, { log })).rejects.toThrow('is not signed with this SECRET_KEY');
    await restore(other, file, { log, trust: true });
    expect(await query(target.databaseUrl, 'select from users')).toHaveLength(1);
  });

  test('if the target is not empty or is running', async () => {
    await using w = await world();
    await expect(restore(toInstance(w), file, { log })).rejects.toThrow('Muster is running on this database');
    const before = await contentHashes(target.databaseUrl);
    await expect(restore(target, file, { log })).rejects.toThrow('This database is not empty');
    expect(await contentHashes(target.databaseUrl)).toEqual(before);
  });

  test('with fewer rows than its header counts, while existing picture files are kept', async () => {
    const other = await emptyInstance({ DATA_DIR: target.config.dataDir });
    const [, how, why] = cases.at(-1) as (typeof cases)[number];
    await expect(restore(other, await changed(how), { log })).rejects.toThrow(why);
    expect(await readdir(join(target.config.dataDir, 'media'))).toHaveLength(3);
  });
});

test('restore --trust: emails of a crafted archive contain no file of the server and fetch no URL [T48]', async () => {
  const requested: (string | undefined)[] = [];
  const trap = createServer((request, response) => {
    requested.push(request.url);
    response.end('fetched');
  }).listen(0, '127.0.0.1');
  await once(trap, 'listening');
  undo.push(() => new Promise((done) => trap.close(done)));
  const href = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/trap`;
  const target = await emptyInstance();
  const path = join(target.config.dataDir, 'private.txt');
  await writeFile(path, 'only for the server');

  await using w = await world();
  const parts = [{ path }, { href }, { raw: { path } }, { content: { path } }, { content: { href } }];
  const files = parts.map((part) => ({ filename: 'x.ics', contentType: 'text/plain', content: '', ...part }));
  const words = { subject: 'News', preview: '', paragraphs: ['News'], footer: '' };
  const crafted: object[] = [
    ...files.map((file) => ({ attachments: [file] })),
    ...files.map((file) => ({ attachments: [{ ...file, method: 'REQUEST' }] })),
    ...parts.map((part) => ({ words: { ...words, subject: part } })),
    ...parts.map((part) => ({ words: { ...words, paragraphs: [part] } })),
    ...parts.map((part) => ({ raw: part, html: part, text: part, alternatives: [part], icalEvent: part })),
    ...parts.map((part) => ({ headers: { 'List-Unsubscribe': part } })),
  ];
  for (const [nth, email] of crafted.entries())
    await enqueue(
      w.db,
      'send_email',
      { id: `crafted-${nth}`, to: 'eve@example.org', words, ...email },
      { delaySeconds: 600 },
    );
  await enqueueEmail(w.db, { to: 'last@example.org', words }, { delaySeconds: 600 });
  const file = join(await directory(), 'crafted.backup');
  await backup(toInstance(w), file);
  const lines = gunzipSync(await readFile(file))
    .toString()
    .split('\n')
    .slice(0, -2);
  await writeFile(file, unsigned(...lines));

  await restore(target, file, { log, trust: true });
  await query(target.databaseUrl, 'update jobs set run_at = created_at');
  await serve(target);
  await emailIn(target.config.dataDir, 'last@example.org');
  const left = `select from jobs where name = 'send_email' and last_error is null`;
  await expect.poll(() => query(target.databaseUrl, left)).toEqual([]);
  const outbox = join(target.config.dataDir, 'outbox');
  // Only the last email and the emails whose unknown fields were dropped are sent. Failed attempts are repeated.
  await expect.poll(async () => (await readdir(outbox)).length).toBeGreaterThan(5);
  const emails = await Promise.all((await readdir(outbox)).map((name) => readFile(join(outbox, name))));
  for (const email of emails) {
    const { attachments, text, html } = await PostalMime.parse(email);
    const contents = attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString());
    expect([text, html, ...contents].join()).not.toMatch(/only for the server|fetched/);
  }
  expect(requested).toEqual([]);
});

/** All rows that contain one of these words. */
async function findLeftovers(url: string, words: string[]): Promise<string[]> {
  const tables = await query<{ name: string }>(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'public'`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await query<{ row: string }>(url, `select t::text as row from ${name} t`);
      return rows.map(({ row }) => `${name} ${row}`);
    }),
  );
  return found.flat().filter((row) => words.some((word) => row.toLowerCase().includes(word.toLowerCase())));
}

async function remove(w: World, { api, email }: Person): Promise<void> {
  const earlier = (await w.outbox()).filter((mail) => mail.to?.[0]?.address === email).length;
  await api.auth.sendCode({ purpose: 'deletion' });
  await api.account.remove({ code: codeIn(await w.mail(email, earlier)), choices: [] });
}

/** A world in which Canary, who runs a club with Bob and Cyd, deletes their own account after the archive was made. */
async function worldWithDeletedUser() {
  const w = await world();
  const [canary, bob, cyd] = [await w.person('Canaryfirst'), await w.person('Bob'), await w.person('Cyd')];
  const club = await w.club([canary, bob, cyd]);
  const event = await w.event(club, canary);
  await canary.api.media.setOwn({ file: await picture() });
  await canary.api.members.changeRole({ club: club.id, member: cyd.id, role: 100 });
  // Send pending emails first: they contain the name.
  const emails = sql`select from jobs where name in ('send_notice', 'send_email')`;
  await w.hurry();
  await expect.poll(async () => (await all(w.db, emails)).length, { timeout: 10_000 }).toBe(0);
  const file = join(await directory(), 'yesterday.backup');
  await backup(toInstance(w), file);
  await canary.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  await remove(w, canary);
  const deletionsDir = join(w.config.dataDir, 'deletions');
  await expect.poll(() => readdir(deletionsDir).catch(() => [])).toHaveLength(1);
  return { w, canary, cyd, club, event, file, deletionsDir, words: [canary.id, canary.email, 'canaryfirst'] };
}

const digestOf = (mail: string) => mail.repeat(43);

describe('deleted user', () => {
  test('stays deleted when an older archive is restored: no row, no job, no file', async () => {
    const { w, cyd, club, event, file, deletionsDir, words } = await worldWithDeletedUser();
    await using _ = w;
    const target = await emptyInstance();
    await cp(deletionsDir, join(target.config.dataDir, 'deletions'), { recursive: true });
    const deletionFiles = await readdir(deletionsDir);
    expect(deletionFiles.join()).not.toContain(words[0]);
    expect(await restore(target, file, { log })).toMatchObject({ erased: 1 });
    expect(await findLeftovers(target.databaseUrl, words)).toEqual([]);
    expect(await violations(target.databaseUrl)).toEqual([]);
    // The original choice of a successor is lost, so the longest-standing organiser takes over.
    expect(
      await query(
        target.databaseUrl,
        `select (select user_id from members where club_id = '${club.id}' and club_role = 200) as admin,
           (select user_id from answers where event_id = '${event.id}' and host_no = 1) as host`,
      ),
    ).toEqual([{ admin: cyd.id, host: cyd.id }]);
    await serve(target);
    await expect.poll(() => readdir(join(target.config.dataDir, 'media')), { timeout: 5000 }).toEqual([]);
  });

  test('is deleted again as soon as the app finds the deletion record', async () => {
    const { w, file, deletionsDir, words } = await worldWithDeletedUser();
    await using _ = w;
    const target = await emptyInstance();
    expect(await restore(target, file, { log })).toMatchObject({ erased: 0 });
    expect((await findLeftovers(target.databaseUrl, words)).length).toBeGreaterThan(3);
    await cp(deletionsDir, join(target.config.dataDir, 'deletions'), { recursive: true });
    await serve(target);
    // Includes the start of a server, which takes seconds on a busy machine.
    await expect.poll(() => findLeftovers(target.databaseUrl, words), { timeout: 20_000 }).toEqual([]);
  });

  test('is also recorded in a bucket, and backups copy pictures from and to buckets', async () => {
    await using from = await bucketServer();
    await using to = await bucketServer();
    await using w = await isolatedWorld(from.settings);
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    await ada.api.media.setOwn({ file: await picture() });
    const pictures = [...from.kept.keys()].toSorted();
    const file = join(await directory(), 'yesterday.backup');
    expect(await backup(toInstance(w), file)).toMatchObject({ files: 3 });
    await remove(w, bob);
    const deletionFiles = () => [...from.kept.entries()].filter(([key]) => key.includes('/deletions/'));
    await expect.poll(() => deletionFiles().length, { timeout: 5000 }).toBe(1);
    for (const [key, bytes] of deletionFiles()) to.kept.set(key, bytes);
    const target = await emptyInstance(to.settings);
    expect(await restore(target, file, { log })).toMatchObject({ erased: 1, files: 3 });
    expect([...to.kept.keys()].toSorted()).toEqual(
      [...pictures, ...deletionFiles().map(([key]) => key)].toSorted(),
    );
    expect(await query(target.databaseUrl, 'select email from users')).toEqual([{ email: ada.email }]);
  });

  test('is recorded for 35 days, in the database and in the storage', async () => {
    await using w = await world();
    const deletionsDir = join(w.config.dataDir, 'deletions');
    await run(
      w.db,
      sql`insert into deletions values (${digestOf('a')}, now() - interval '36 days'),
      (${digestOf('b')}, now() - interval '34 days')`,
    );
    const now = instant(Date.now());
    const day = (ago: number) => addSeconds(now, -ago * 86_400).slice(0, 10);
    await mkdir(deletionsDir, { recursive: true });
    for (const name of [`${day(36)}.${digestOf('c')}`, `${day(34)}.${digestOf('d')}`, 'notes.txt'])
      await writeFile(join(deletionsDir, name), '');
    expect(await reconcileDeletions(w.db, w.config, now)).toBe(0);
    const kept = [`${day(34)}.${digestOf('b')}`, `${day(34)}.${digestOf('d')}`];
    expect((await readdir(deletionsDir)).toSorted()).toEqual([...kept, 'notes.txt']);
    expect(await all(w.db, sql`select digest from deletions order by digest`)).toEqual([
      { digest: digestOf('b') },
      { digest: digestOf('d') },
    ]);
  });
});

/** Runs the program; resolves with its output and rejects with its error message. */
const type = (program: string, DATA_DIR: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [`src/app/${program}.ts`, ...args], {
    env: { ...bareEnvironment, DATA_DIR },
  });

describe('npm run backup and npm run restore', () => {
  // Long timeout: the cluster is created with durable writes.
  test('use the bundled PostgreSQL, running or stopped', { timeout: 120_000 }, async () => {
    const [from, to] = [await usedDirectory(), await directory()];
    const first = join(from, 'first.backup');
    const running = await startPostgres({ dataDir: from, durable: false });
    undo.push(running.stop);
    await prepareDatabase(running.url, log);
    await query(
      running.url,
      `insert into users (id, email, calendar_secret, created_at)
      values (gen_random_uuid(), 'ada@example.org', 'secret', now())`,
    );
    expect((await type('backup', from, first)).stdout).toMatch(/first\.backup: 1 rows and 0 files/);
    await expect(type('backup', from, first)).rejects.toThrow('is there already');
    await expect(type('restore', from, first)).rejects.toThrow('Another Muster is already running');
    const before = await contentHashes(running.url);
    await running.stop();

    const second = join(from, 'second.backup');
    await type('backup', from, second);
    await expect(type('restore', to, second)).rejects.toThrow('is not signed with this SECRET_KEY');
    await cp(join(from, 'secret.key'), join(to, 'secret.key'));
    expect((await type('restore', to, second)).stdout).toMatch(/^Restored as of 20.*: 1 rows/);
    const restored = await startPostgres({ dataDir: to, durable: false });
    undo.push(restored.stop);
    expect(await contentHashes(restored.url)).toEqual(before);
  });

  test('report missing arguments and files', async () => {
    const nothing = await directory();
    await expect(type('backup', nothing)).rejects.toThrow('There is no Muster in');
    await expect(type('restore', nothing)).rejects.toThrow('Say which archive');
    const missing = join(nothing, 'missing');
    await expect(type('restore', nothing, missing)).rejects.toThrow(`There is no ${missing}`);
    await expect(type('restore', nothing, '--trust', missing)).rejects.toThrow(`There is no ${missing}`);
    await expect(type('restore', nothing, '--trust')).rejects.toThrow('Say which archive');
  });
});
