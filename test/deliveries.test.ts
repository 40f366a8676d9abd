import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { all, first, openDatabase, run, sql } from '#platform/db/client.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import { addDelivery, failLostEmails, settle } from '#platform/notices/deliveries.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import type { DocumentEndpoint, Endpoint } from '#wire/endpoint.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import { replaceEmail } from '#features/users/handlers.ts';
import { startProcess } from '#e2e/server.ts';
import { codeFor } from '#test/races/people.ts';
import { openMailServer, type Command, type Received } from '#test/mail-server.ts';
import { undoAll, usedDirectory } from '#test/postgres.ts';
import { codeIn, isolatedWorld, type ClubHandle, type Person, type World } from '#test/world.ts';

afterEach(undoAll);

/** The rejection of each command, or undefined to accept it. Tests replace it. */
let refuse: (command: Command, recipient?: string) => string | undefined | Promise<string | undefined>;
/** Called before the reply to an email. */
let onEmail: (email: Received) => unknown;
let disconnect: () => 'after the data' | undefined;
const received: Received[] = [];
const lines: string[] = [];

let smtp: Awaited<ReturnType<typeof openMailServer>>;
let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;

const openServer = () =>
  openMailServer(
    async (email) => {
      received.push(email);
      await onEmail(email);
    },
    { refuse: (command, recipient) => refuse(command, recipient), disconnect: () => disconnect() },
  );
const withLogin = (url: string) => url.replace('//', '//muster:secret@');

beforeAll(async () => {
  smtp = await openServer();
  w = await isolatedWorld(
    { SMTP_URL: withLogin(smtp.url), LOG_LEVEL: 'info' },
    { write: (line) => void lines.push(line) },
  );
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await smtp.close();
});

const acceptAll = () => {
  refuse = () => undefined;
  onEmail = () => {};
  disconnect = () => undefined;
};

beforeEach(async () => {
  acceptAll();
  w.clockOffset.seconds = 0;
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  await untilIdle();
  received.length = 0;
  lines.length = 0;
});

/** Jobs that send emails now, or will at once. */
const busy = sql`
  select from jobs where name in ('send_notice', 'send_email') and (run_at <= now() and attempts < max_attempts or locked_until > now())`;
const untilIdle = () => expect.poll(() => all(w.db, busy), { timeout: 20_000 }).toEqual([]);

const outcomesOf = ({ id }: Person, kind = 'new_event') =>
  all(
    w.db,
    sql<{ state: string; code: string | null; isSettled: boolean }>`
      select state, code, settled_at is not null as "isSettled" from deliveries
      where user_id = ${id} and channel = 'email' and kind = ${kind} order by created_at, id`,
  );
const pending = { state: 'pending', code: null, isSettled: false };
const settled = (state: string, code: string | null) => ({ state, code, isSettled: true });

/** An event of Ada's, about which Bob gets an email. */
const emailBob = (name = 'Regatta') => w.event(club, ada, { name });
const emailsTo = ({ email }: Person) => received.filter(({ to }) => to.includes(email));
const isRefused = async ({ api }: Person) => (await api.users.me({})).email_refused;

/** Makes emails that wait for their next attempt due. */
const retryNow = (attempts?: number) =>
  run(
    w.db,
    sql`with due as (
          update jobs set run_at = now(), attempts = coalesce(${attempts ?? null}, attempts)
          where name = 'send_notice' and locked_until is null)
        select pg_notify('jobs', '')`,
  );

/** Runs the job that the schedule adds each minute. */
async function failLost(): Promise<void> {
  await run(w.db, sql`select enqueue_job('fail_lost_emails', '{}')`);
  const waiting = sql`select from jobs where name = 'fail_lost_emails'`;
  await expect.poll(() => all(w.db, waiting)).toEqual([]);
}

/** Refuses a command to Bob with this reply, and counts how often. */
function refuseBob(stage: Command, reply: string) {
  let count = 0;
  refuse = (command, recipient = bob.email) => {
    if (command !== stage || recipient !== bob.email) return undefined;
    count++;
    return reply;
  };
  return () => count;
}

describe('outcome of an email about a notice', () => {
  test('is pending while the mail server has not replied, then accepted with time and code [KNOW-01]', async () => {
    const release = Promise.withResolvers<void>();
    onEmail = () => release.promise;
    await emailBob();
    await expect.poll(() => emailsTo(bob).length).toBe(1);
    expect(await outcomesOf(bob)).toEqual([pending]);
    await failLost();
    expect(await outcomesOf(bob)).toEqual([pending]);
    release.resolve();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('accepted', '250')]);
    const row = await first(
      w.db,
      sql<{ id: string; ordered: boolean }>`
        select id, created_at <= stated_at and stated_at <= settled_at as ordered from deliveries
        where user_id = ${bob.id} and kind = 'new_event'`,
    );
    expect(row?.ordered).toBe(true);
    expect(emailsTo(bob)[0]?.mail.messageId).toContain(row?.id);
  });

  test('does not exist for login codes and account emails [KNOW-01]', async () => {
    await w.anyone.auth.login({ email: bob.email });
    await expect.poll(() => emailsTo(bob).length).toBe(1);
    await untilIdle();
    expect(await all(w.db, sql`select from deliveries where user_id = ${bob.id}`)).toEqual([]);
  });

  test.each<[Command, string, string]>([
    ['RCPT', '550 5.1.1 Unknown', '550 5.1.1'],
    ['RCPT', '550 Unknown', '550'],
    ['RCPT', '552 5.2.2 Mailbox full', '552 5.2.2'],
    ['RCPT', '550 5.4.1 Not here', '550 5.4.1'],
    ['end of data', '554 5.6.0 Content', '554 5.6.0'],
    ['end of data', '550 5.7.1 Spam', '550 5.7.1'],
    ['end of data', '503 5.5.1 Sequence', '503 5.5.1'],
  ])('%s answered %s: one attempt, and the outcome is refused [KNOW-02]', async (stage, reply, code) => {
    const count = refuseBob(stage, reply);
    await emailBob();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('refused', code)]);
    await untilIdle();
    await retryNow();
    await untilIdle();
    expect(count()).toBe(1);
  });

  test.each<[Command, string]>([
    ['greeting', '554 5.7.1 Blocked'],
    ['greeting', '421 4.3.2 Busy'],
    ['AUTH', '535 5.7.8 Login'],
    ['MAIL', '550 5.1.8 Sender'],
    ['MAIL', '553 5.7.1 Sender'],
    ['MAIL', '451 4.3.0 Later'],
    ['RCPT', '550 5.7.1 Your server is blocked'],
    ['RCPT', '554 5.7.606 Banned'],
    ['RCPT', '450 4.2.1 Greylisted'],
    ['RCPT', '452 4.2.2 Mailbox full'],
    ['end of data', '451 4.7.1 Later'],
  ])('%s answered %s: pending, and tried again until it is accepted [KNOW-02]', async (stage, reply) => {
    // The next email opens a connection.
    smtp.disconnectAll();
    const count = refuseBob(stage, reply);
    await emailBob();
    await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(0);
    await untilIdle();
    await failLost();
    expect(await outcomesOf(bob)).toEqual([pending]);
    acceptAll();
    await expect
      .poll(async () => (await retryNow(), outcomesOf(bob)), { timeout: 10_000, interval: 200 })
      .toEqual([settled('accepted', '250')]);
  });

  test('after the last attempt is failed [KNOW-02]', async () => {
    const count = refuseBob('RCPT', '450 4.2.1 Greylisted');
    await emailBob();
    await expect.poll(count).toBe(1);
    await untilIdle();
    await retryNow(25);
    await expect.poll(count).toBe(2);
    await expect.poll(() => all(w.db, sql`select from jobs where locked_until > now()`)).toEqual([]);
    await failLost();
    expect(await outcomesOf(bob)).toEqual([settled('failed', null)]);
  });

  test('is failed if the connection breaks between the data and the reply, and the email is not repeated [KNOW-02]', async () => {
    disconnect = () => 'after the data';
    await emailBob();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('failed', null)]);
    disconnect = () => undefined;
    await untilIdle();
    expect(emailsTo(bob)).toHaveLength(1);
  });

  test('is failed if the email was dropped after an attempt, because it no longer applies [KNOW-01]', async () => {
    const count = refuseBob('RCPT', '450 4.2.1 Greylisted');
    const { id } = await emailBob();
    await expect.poll(count).toBe(1);
    await untilIdle();
    acceptAll();
    await bob.api.answers.attend({ event: id });
    await ada.api.events.cancel({ event: id });
    await w.hurry();
    await retryNow();
    await expect.poll(() => outcomesOf(bob, 'event_cancelled')).toHaveLength(1);
    await untilIdle();
    await failLost();
    expect(await outcomesOf(bob)).toEqual([settled('failed', null)]);
    expect(await outcomesOf(bob, 'event_cancelled')).toEqual([settled('accepted', '250')]);
  });

  test('has neither the address nor the sentence of the mail server, and neither has the log [KNOW-01]', async () => {
    refuseBob('RCPT', `550 5.1.1 <bob> Jetsam: ${bob.email} is unknown`);
    await emailBob();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('refused', '550 5.1.1')]);
    const rows = await all(
      w.db,
      sql<{ text: string }>`
        select to_jsonb(d) #>> '{}' as text from deliveries d union all select to_jsonb(r) #>> '{}' from email_rejections r`,
    );
    expect(rows.length).toBeGreaterThan(1);
    const stored = rows.map(({ text }) => text).join('\n');
    expect(stored).not.toMatch(/Jetsam|bob-|example\.org/);
    await expect.poll(() => lines.join('')).toContain('550 5.1.1');
    expect(lines.join('')).not.toMatch(/Jetsam|bob-|example\.org/);
  });

  test('accepted stays, whatever is noted later [KNOW-01]', async () => {
    await emailBob();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('accepted', '250')]);
    const { id } = (await first(
      w.db,
      sql<{ id: string }>`select id from deliveries where user_id = ${bob.id} and kind = 'new_event'`,
    )) as { id: string };
    await settle(w.db, { id, to: bob.email }, { state: 'failed' }, w.now());
    await settle(w.db, { id, to: bob.email }, { state: 'refused', code: '550' }, w.now());
    await addDelivery(w.db, { id, user_id: bob.id, kind: 'new_event', now: w.now() });
    expect(await outcomesOf(bob)).toEqual([settled('accepted', '250')]);
  });

  test('is in the data export, and is deleted after 30 days [KNOW-01]', async () => {
    refuseBob('RCPT', '550 5.1.1 Unknown');
    await emailBob();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('refused', '550 5.1.1')]);
    const data = await bob.api.account.export({ code: await codeFor(w, bob.email, 'ABCDEF', 'export') });
    expect(data.deliveries).toEqual([
      expect.objectContaining({ kind: 'new_event', channel: 'email', state: 'refused', code: '550 5.1.1' }),
    ]);
    expect(data.email_rejections).toMatchObject({ rejections: 1 });
    expect(data.profile.email_refused).toBe(false);

    w.later('29 days');
    await deleteExpired(w.db, w.now());
    expect(await outcomesOf(bob)).toHaveLength(1);
    w.later('2 days');
    await deleteExpired(w.db, w.now());
    expect(await outcomesOf(bob)).toEqual([]);
  });

  test('is deleted with the account, and so is the count of rejections [KNOW-01]', async () => {
    refuseBob('RCPT', '550 5.1.1 Unknown');
    await emailBob();
    await expect.poll(() => outcomesOf(bob)).toHaveLength(1);
    await untilIdle();
    acceptAll();
    await bob.api.account.remove({ code: await codeFor(w, bob.email, 'GHJKLM', 'deletion'), choices: [] });
    for (const table of ['deliveries', 'email_rejections'])
      expect(await all(w.db, sql`select from ${sql.table(table)} where user_id = ${bob.id}`)).toEqual([]);
  });
});

describe('an email whose process is killed before it notes the outcome', () => {
  test('has failed once the lock of the process has expired, and is not sent again [KNOW-03]', async () => {
    await using undo = new AsyncDisposableStack();
    const dataDir = await usedDirectory();
    const postgres = await startPostgres({ dataDir, durable: false });
    undo.defer(postgres.stop);
    const settings = { SMTP_URL: smtp.url };

    // A process without the email of Cy, which waits for five minutes: see `roleChanged`.
    const before = await isolatedWorld(settings, undefined, postgres.url);
    const [eve, cy] = [await before.person('Eve'), await before.person('Cy')];
    const rowing = await before.club([eve, cy]);
    await eve.api.members.changeRole({ club: rowing.id, member: cy.id, role: 200 });
    await before[Symbol.asyncDispose]();

    const isSent = Promise.withResolvers<void>();
    onEmail = ({ to }) => {
      if (!to.includes(cy.email)) return undefined;
      isSent.resolve();
      return new Promise(() => {});
    };
    const killed = await startProcess({ ...settings, DATA_DIR: dataDir, DATABASE_URL: postgres.url });
    const { db, close } = openDatabase(postgres.url, { size: 1, onError: () => {} });
    undo.defer(close);
    await run(
      db,
      sql`with due as (update notice_emails set send_at = now() where user_id = ${cy.id} and sent_at is null)
          update jobs set run_at = now() where name = 'send_notice'`,
    );
    await isSent.promise;
    await killed.end('SIGKILL');
    onEmail = () => {};
    const outcome = sql<{ state: string }>`
      select state from deliveries where user_id = ${cy.id} and kind = 'role_changed'`;
    const left = sql<{ isShort: boolean }>`
      select locked_until between now() and now() + interval '61 seconds' as "isShort" from jobs where name = 'send_notice'`;

    // Other processes cannot know yet that it has died. They will within a minute.
    await failLostEmails(db, instant(Date.now()));
    expect(await all(db, outcome)).toEqual([{ state: 'pending' }]);
    expect(await all(db, left)).toEqual([{ isShort: true }]);

    await run(db, sql`update jobs set locked_until = now() where name = 'send_notice'`);
    // Its schedule looks for such emails at the start and each minute.
    await using _after = await isolatedWorld(settings, undefined, postgres.url);
    await expect.poll(() => all(db, outcome)).toEqual([{ state: 'failed' }]);
    await expect.poll(() => all(db, left)).toEqual([]);
    expect(received.filter(({ to }) => to.includes(cy.email))).toHaveLength(1);
  });

  test('a process that lives on after its lock has expired corrects the outcome when the reply arrives [KNOW-03]', async () => {
    const release = Promise.withResolvers<void>();
    onEmail = () => release.promise;
    await emailBob();
    await expect.poll(() => emailsTo(bob).length).toBe(1);
    await run(
      w.db,
      sql`with expired as (update jobs set locked_until = now(), locked_by = null where name = 'send_notice')
          select pg_notify('jobs', '')`,
    );
    await expect.poll(() => all(w.db, sql`select from jobs where name = 'send_notice'`)).toEqual([]);
    await failLost();
    expect(await outcomesOf(bob)).toEqual([settled('failed', null)]);
    release.resolve();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('accepted', '250')]);
    expect(emailsTo(bob)).toHaveLength(1);
  });
});

/** Sends Bob this many emails, each of which the mail server refuses. */
async function refuseEmails(count: number, reply = '550 5.1.1 Unknown', stage: Command = 'RCPT') {
  const before = (await outcomesOf(bob)).length;
  refuseBob(stage, reply);
  for (let nth = 0; nth < count; nth++) await emailBob();
  await expect
    .poll(async () => (await outcomesOf(bob)).filter(({ state }) => state === 'refused').length)
    .toBe(before + count);
  await untilIdle();
  acceptAll();
}

/** An address that counts as refused. */
async function refuseAddress(): Promise<void> {
  await refuseEmails(3);
  w.later('25 hours');
  expect(await isRefused(bob)).toBe(true);
}

describe('an address', () => {
  test.each(['550 5.1.1', '550 5.1.2', '553 5.1.3', '551 5.1.6', '556 5.1.10', '550 5.2.1'])(
    'counts as refused 24 hours after the first of three replies %s to RCPT TO [KNOW-04]',
    async (reply) => {
      await refuseEmails(3, `${reply} Unknown`);
      expect(await isRefused(bob)).toBe(false);
      w.later('23 hours');
      expect(await isRefused(bob)).toBe(false);
      w.later('2 hours');
      expect(await isRefused(bob)).toBe(true);
      expect(await isRefused(ada)).toBe(false);
    },
  );

  test.each<[string, Command]>([
    ['552 5.2.2 Mailbox full', 'RCPT'],
    ['550 5.1.8 Sender', 'RCPT'],
    ['550 5.1.11 Unknown code', 'RCPT'],
    ['550 5.4.1 Not here', 'RCPT'],
    ['550 No user', 'RCPT'],
    ['550 5.1.1 Unknown', 'end of data'],
    ['554 5.7.1 Spam', 'end of data'],
  ])('does not count as refused after five replies %s at %s [KNOW-04]', async (reply, stage) => {
    await refuseEmails(5, reply, stage);
    w.later('25 hours');
    expect(await isRefused(bob)).toBe(false);
  });

  test('does not count as refused after blocks of our server, nor after two rejections [KNOW-04]', async () => {
    await refuseEmails(2);
    const count = refuseBob('RCPT', '550 5.7.1 Blocked');
    await emailBob();
    await expect.poll(count).toBe(1);
    await untilIdle();
    w.later('25 hours');
    expect(await isRefused(bob)).toBe(false);
  });

  test('counts as refused no longer after an accepted email, of whatever kind [KNOW-05]', async () => {
    await refuseAddress();
    await enqueueEmail(w.db, {
      to: bob.email,
      words: { subject: 'News', preview: '', paragraphs: ['News'], footer: '' },
    });
    await expect.poll(() => isRefused(bob)).toBe(false);
    // The count begins anew.
    await refuseEmails(2);
    w.later('25 hours');
    expect(await isRefused(bob)).toBe(false);
  });

  test('counts as refused no longer after a confirmed login code [KNOW-05]', async () => {
    await refuseAddress();
    const code = await codeFor(w, bob.email);
    const now = w.now();
    await run(
      w.db,
      sql`update login_codes set created_at = ${now}, expires_at = ${addSeconds(now, 60)} where email = ${bob.email}`,
    );
    await w.anyone.auth.confirm({ email: bob.email, code });
    expect(await isRefused(bob)).toBe(false);
  });

  test('a new address does not count as refused, and neither does the old one after the change was reverted [KNOW-05]', async () => {
    await refuseAddress();
    const to = (new_email: string) =>
      replaceEmail(
        { db: w.db, now: w.now(), config: w.config, record: () => {} },
        { user_id: bob.id, new_email },
      );
    const rejections = () => all(w.db, sql`select from email_rejections where user_id = ${bob.id}`);
    const old = bob.email;
    await to(`robert-${old}`);
    expect(await rejections()).toEqual([]);
    await to(old);
    expect(await rejections()).toEqual([]);
  });

  test('a rejection of the address that the account had when the email was sent does not count [KNOW-05]', async () => {
    const isAsked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    refuse = async (command, recipient) => {
      if (command !== 'RCPT' || recipient !== bob.email) return undefined;
      isAsked.resolve();
      await release.promise;
      return '550 5.1.1 Unknown';
    };
    await emailBob();
    await isAsked.promise;
    await run(w.db, sql`update users set email = ${`new-${bob.email}`} where id = ${bob.id}`);
    release.resolve();
    await expect.poll(() => outcomesOf(bob)).toEqual([settled('refused', '550 5.1.1')]);
    expect(await all(w.db, sql`select from email_rejections where user_id = ${bob.id}`)).toEqual([]);
  });
});

describe('while an address is refused', () => {
  test('other notices make no attempt and stand in the bell, and those that are always sent are tried [KNOW-06]', async () => {
    await refuseAddress();
    const tried: string[] = [];
    refuse = (command, recipient = '') => {
      if (command === 'RCPT') tried.push(recipient);
      return command === 'RCPT' && recipient === bob.email ? '550 5.1.1 Unknown' : undefined;
    };
    const { id } = await emailBob('Picnic');
    await expect
      .poll(() => all(w.db, sql`select from notice_emails where sent_at is null and user_id = ${bob.id}`))
      .toEqual([]);
    await untilIdle();
    expect(tried).toEqual([]);
    expect(await outcomesOf(bob)).toHaveLength(3);
    const bell = await bob.api.notifications.list({});
    expect(bell.some(({ message }) => message.includes('Picnic'))).toBe(true);

    await bob.api.answers.attend({ event: id });
    await ada.api.events.cancel({ event: id });
    await w.hurry();
    await expect.poll(() => outcomesOf(bob, 'event_cancelled')).toEqual([settled('refused', '550 5.1.1')]);
    expect(tried).toEqual([bob.email]);
  });

  test('login codes and account emails are tried [KNOW-06]', async () => {
    await refuseAddress();
    await w.anyone.auth.login({ email: bob.email });
    await expect.poll(() => emailsTo(bob).length).toBe(1);
    expect(codeIn(emailsTo(bob)[0]?.mail as never)).toMatch(/^[A-Z0-9]{6}$/);

    await expect.poll(() => isRefused(bob)).toBe(false);
    await refuseAddress();
    await enqueueEmail(w.db, {
      to: bob.email,
      about: bob.id,
      words: { subject: 'Your account', preview: '', paragraphs: ['News'], footer: '' },
    });
    await expect.poll(() => emailsTo(bob).length).toBe(2);
  });
});

/** The names of all fields of a schema, with the names that lead to them. */
function fieldsOf(schema: unknown, path: string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'email_refused' ? [path.join('.')] : fieldsOf(value, [...path, name]),
  );
}

const flags = (members: { id: string; email_refused: boolean }[]) =>
  Object.fromEntries(members.map(({ id, email_refused }) => [id, email_refused]));

describe('email_refused of another person', () => {
  test('is in the two responses for admins, and in no other [KNOW-07]', () => {
    const found = Object.values(contracts)

      .flatMap((contract) => Object.values<Endpoint | DocumentEndpoint>(contract))
      .filter((call) => 'output' in call)
      .flatMap(({ method, path, output }) =>
        fieldsOf(z.toJSONSchema(output, { unrepresentable: 'any', io: 'output' })).map((field) => [
          `${method} ${path}`,
          field,
        ]),
      );
    const own = new Set([
      'GET /v1/users',
      'PATCH /v1/users',
      'POST /v1/users/email',
      'POST /v1/users/export',
    ]);
    expect(
      [...new Set(found.filter(([call]) => !own.has(call ?? '')).map(([call]) => call))].toSorted(),
    ).toEqual(['GET /v1/clubs/admin/:club', 'GET /v1/clubs/admin/:club/members']);
    expect(found.length).toBeGreaterThan(5);
  });

  test('is true for exactly the members whose address is refused, and only admins read it [KNOW-07]', async () => {
    await refuseAddress();
    const expected = { [ada.id]: false, [bob.id]: true };
    const [list, page] = [
      await ada.api.members.forAdmin({ club: club.id }),
      await ada.api.clubs.getForAdmin({ club: club.id }),
    ];
    expect(flags(list.members)).toEqual(expected);
    expect(flags(page.members_for_admin)).toEqual(expected);
    expect(JSON.stringify(await ada.api.clubs.get({ club: club.id }))).not.toContain('email_refused');
    await expect(bob.api.members.forAdmin({ club: club.id })).rejects.toMatchObject({ error: 'not_admin' });
    // The page of the club is cached, and the flag is not: it changes at once.
    await run(w.db, sql`delete from email_rejections where user_id = ${bob.id}`);
    expect(flags((await ada.api.clubs.getForAdmin({ club: club.id })).members_for_admin)).toEqual({
      [ada.id]: false,
      [bob.id]: false,
    });
  });
});
