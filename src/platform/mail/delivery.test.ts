import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { cancelEmails, enqueueEmail } from '#platform/mail/mailer.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import { instant } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { openMailServer, type MailServerOptions, type Received } from '#test/mail-server.ts';
import { isolatedWorld, type World } from '#test/world.ts';

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** A mail server that records the emails that it has received completely, and calls `onEmail` before it replies. */
async function mailServer(options: MailServerOptions = {}, onEmail?: (email: Received) => unknown) {
  const received: Received[] = [];
  const server = await openMailServer(async (email) => {
    received.push(email);
    await onEmail?.(email);
  }, options);
  closings.push(server.close);
  const to = (address: string) => received.filter((email) => email.to.includes(address)).length;
  return { received, to, ...server };
}

/** A world that sends its emails to this server, and the log of the world. */
async function worldAt({ url }: { url: string }) {
  const lines: string[] = [];
  const w = await isolatedWorld(
    { SMTP_URL: url, LOG_LEVEL: 'info' },
    { write: (line) => void lines.push(line) },
  );
  const outcomes = () =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'email')
      .map(({ email, user, outcome, reason }) => ({ email, user, outcome, reason }));
  return { w, lines, outcomes, [Symbol.asyncDispose]: () => w[Symbol.asyncDispose]() };
}

const words: EmailContent = { subject: 'News', preview: '', paragraphs: ['News'], footer: '' };

const emailsLeft = (w: World) =>
  all(w.db, sql<{ to: string }>`select payload ->> 'to' as to from jobs where name = 'send_email'`);
const noEmailLeft = (w: World) => expect.poll(() => emailsLeft(w)).toEqual([]);

/** Makes delayed retries due, and wakes the workers. */
const retryNow = (w: World) =>
  run(
    w.db,
    sql`with due as (update jobs set run_at = now() where name = 'send_email' and locked_until is null)
        select pg_notify('jobs', '')`,
  );

test('email: an address with every unquoted character and an internationalised domain is delivered [ROBUST-12]', async () => {
  const smtp = await mailServer();
  await using app = await worldAt(smtp);
  await app.w.anyone.auth.login({ email: "a.!#$%&'*+-/=?^_`{|}~b@müller.de" });
  // The test server decodes the domain, which is sent in ASCII.
  await expect.poll(() => smtp.to("a.!#$%&'*+-/=?^_`{|}~b@müller.de")).toBe(1);
});

test('email: a notice and a login code are each sent once if the server replies only after 25 seconds [T46 OPER-15]', async () => {
  const smtp = await mailServer({ replyAfter: 25_000 });
  await using world = await worldAt(smtp);
  const { w } = world;
  const started = Date.now();
  await enqueueEmail(w.db, { to: 'notice@example.org', words, once: true }, { lowPriority: true });
  await w.anyone.auth.login({ email: 'code@example.org' });
  await expect.poll(() => emailsLeft(w), { timeout: 60_000 }).toEqual([]);
  expect(Date.now() - started).toBeGreaterThan(24_000);
  expect([smtp.to('notice@example.org'), smtp.to('code@example.org')]).toEqual([1, 1]);
  expect(world.outcomes()).toEqual([]);
});

test('email: login codes do not wait for notices to which the server replies slowly', async () => {
  const release = Promise.withResolvers<void>();
  const smtp = await mailServer({}, async ({ to }) => {
    if (to[0]?.startsWith('notice')) await release.promise;
  });
  await using world = await worldAt(smtp);
  const { w } = world;
  for (let nth = 0; nth < 10; nth++)
    await enqueueEmail(w.db, { to: `notice-${nth}@example.org`, words, once: true }, { lowPriority: true });
  await expect.poll(() => smtp.received.length).toBeGreaterThanOrEqual(2);
  for (const name of ['ada', 'bob']) {
    await w.anyone.auth.login({ email: `${name}@example.org` });
    await expect
      .poll(async () => (await emailsLeft(w)).map(({ to }) => to))
      .not.toContain(`${name}@example.org`);
    expect(smtp.to(`${name}@example.org`)).toBe(1);
  }
  // Other jobs have workers of their own.
  const ada = await w.person('Ada');
  await w.club([ada]);
  await expect
    .poll(async () => all(w.db, sql`select from jobs where name <> 'send_email' and run_at <= now()`))
    .toEqual([]);
  expect(smtp.received.length).toBeLessThan(10);
  release.resolve();
  await noEmailLeft(w);
  expect(smtp.received).toHaveLength(12);
});

test.each([true, undefined])(
  'email: not repeated if the connection breaks after the data and before the reply (once: %s) [T46]',
  async (isOnce) => {
    const smtp = await mailServer({ disconnect: () => 'after the data' });
    await using world = await worldAt(smtp);
    const { w, lines, outcomes } = world;
    const userId = 'ab5d2c4e-1c1f-4a52-9d2c-0d9f0b8c7a61';
    await enqueueEmail(w.db, {
      id: 'the-id',
      to: 'ada@example.org',
      words,
      about: userId,
      ...(isOnce && { once: isOnce }),
    });
    await noEmailLeft(w);
    expect(smtp.to('ada@example.org')).toBe(1);
    expect(outcomes()).toEqual([
      { email: 'the-id', user: userId, outcome: 'unknown', reason: expect.stringContaining('ECONNECTION') },
    ]);
    expect(lines.join('')).not.toMatch(/ada@|example\.org/);
  },
);

test('email: repeated if the connection breaks in the middle of the data [T46]', async () => {
  let left = 1;
  const smtp = await mailServer({ disconnect: () => (left-- > 0 ? 'in the data' : undefined) });
  await using world = await worldAt(smtp);
  const { w } = world;
  // More than the buffers of both ends hold: an email that was written completely would not be repeated.
  const content = 'x'.repeat(8 * 1024 * 1024);
  const attachments = [{ filename: 'big.ics', contentType: 'text/calendar', content }];
  await enqueueEmail(w.db, { to: 'ada@example.org', words, attachments, once: true });
  await expect.poll(() => left, { timeout: 20_000 }).toBeLessThan(1);
  await expect.poll(() => emailsLeft(w), { timeout: 30_000 }).toEqual([]);
  expect(world.outcomes()).toEqual([]);
  expect(smtp.to('ada@example.org')).toBe(1);
});

test.each(['greeting', 'AUTH', 'MAIL', 'RCPT', 'end of data'] as const)(
  'email: repeated after a temporary rejection at %s, even with `once` [T46]',
  async (stage) => {
    let left = 1;
    const smtp = await mailServer({
      refuse: (command) => (command === stage && left-- > 0 ? (stage === 'AUTH' ? 454 : 451) : undefined),
    });
    await using world = await worldAt({ url: smtp.url.replace('//', '//muster:secret@') });
    await enqueueEmail(world.w.db, { to: 'ada@example.org', words, once: true });
    await expect.poll(() => emailsLeft(world.w), { timeout: 20_000 }).toEqual([]);
    expect(smtp.to('ada@example.org')).toBe(stage === 'end of data' ? 2 : 1);
    expect(left).toBeLessThan(1);
    expect(world.outcomes()).toEqual([]);
  },
);

test.each(['RCPT', 'end of data'] as const)(
  'email: a permanent rejection at %s is final, and logged only with ids [T46 OPER-15]',
  async (stage) => {
    let tries = 0;
    const smtp = await mailServer({
      refuse: (command) => (command === stage ? (tries++, 550) : undefined),
    });
    await using world = await worldAt(smtp);
    const { w, lines, outcomes } = world;
    const userId = 'ab5d2c4e-1c1f-4a52-9d2c-0d9f0b8c7a61';
    await enqueueEmail(w.db, { id: 'the-id', to: 'ada@example.org', words, about: userId });
    await noEmailLeft(w);
    await w.anyone.auth.login({ email: 'bob@example.org' });
    await noEmailLeft(w);
    expect(tries).toBe(2);
    expect(outcomes()).toEqual([
      { email: 'the-id', user: userId, outcome: 'rejected', reason: expect.stringContaining('response 550') },
      { email: expect.any(String), user: undefined, outcome: 'rejected', reason: expect.any(String) },
    ]);
    expect(lines.join('')).not.toMatch(/ada@|bob@|example\.org/);
  },
);

test.each([
  ['greeting', '554 5.7.1 Blocked'],
  ['AUTH', '535 5.7.8 Login'],
  ['MAIL', '550 5.1.8 Sender'],
  ['RCPT', '550 5.7.1 Blocked'],
] as const)(
  'email: repeated after a permanent rejection at %s (%s), which concerns our server and not the email [KNOW-02]',
  async (stage, reply) => {
    let left = 2;
    const smtp = await mailServer({
      refuse: (command) => (command === stage && left-- > 0 ? reply : undefined),
    });
    await using world = await worldAt({ url: smtp.url.replace('//', '//muster:secret@') });
    const { w } = world;
    await enqueueEmail(w.db, { to: 'ada@example.org', words });
    await expect.poll(() => left).toBeLessThan(2);
    await expect.poll(async () => (await retryNow(w), emailsLeft(w)), { timeout: 20_000 }).toEqual([]);
    expect(smtp.to('ada@example.org')).toBe(1);
    expect(world.outcomes()).toEqual([]);
  },
);

test('email: repeated for four to five days after temporary rejections, with growing delays [OPER-15]', async () => {
  const smtp = await mailServer({ refuse: (command) => (command === 'RCPT' ? 450 : undefined) });
  await using world = await worldAt(smtp);
  const { w } = world;
  await enqueueEmail(w.db, { to: 'ada@example.org', words, once: true });
  const job = () =>
    first(
      w.db,
      sql<{ attempts: number; delay: number; over: boolean }>`
        select attempts, attempts >= max_attempts as over, extract(epoch from run_at - failed_at)::float as delay
        from jobs where name = 'send_email' and failed_at is not null and locked_until is null`,
    );
  const delays: number[] = [];
  for (let over = false; !over;) {
    await expect.poll(async () => (await job())?.attempts).toBe(delays.length + 1);
    const failed = await job();
    over = failed?.over ?? true;
    delays.push(failed?.delay ?? 0);
    await retryNow(w);
  }
  const days = delays.slice(0, -1).reduce((sum, delay) => sum + delay, 0) / 86_400;
  expect(days).toBeGreaterThan(4);
  expect(days).toBeLessThan(5);
  expect(delays.every((delay, nth) => nth === 0 || delay >= (delays[nth - 1] ?? 0) * 0.99)).toBe(true);
  // The first retry comes soon, for short outages. Later delays grow, but to less than seven hours.
  expect(delays[0]).toBeLessThan(60);
  expect(Math.max(...delays)).toBeLessThan(7 * 3600);
});

test('email: each email of a burst arrives once if the server accepts only one connection at a time', async () => {
  const smtp = await mailServer({ maxConnections: 1 });
  await using world = await worldAt(smtp);
  const { w } = world;
  const burst = Array.from({ length: 60 }, (_, nth) => `person-${nth}@example.org`);
  for (const to of burst) await enqueueEmail(w.db, { to, words, once: true }, { lowPriority: true });
  await expect
    .poll(async () => (await retryNow(w), emailsLeft(w)), { timeout: 60_000, interval: 500 })
    .toEqual([]);
  expect(smtp.received.map(({ to }) => to.join()).toSorted()).toEqual(burst.toSorted());
  expect(await outcomeOf(w.anyone.auth.login({ email: 'ada@example.org' }))).toBe('ok');
  expect(world.outcomes()).toEqual([]);
});

test('login: unavailable after 30 seconds in which the mail server accepts connections but does not reply', async () => {
  const silent = new Set<Socket>();
  const server = createServer((socket) => void silent.add(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  await using world = await worldAt({ url: `smtp://127.0.0.1:${port}` });
  const { w } = world;
  const login = (name: string) => outcomeOf(w.anyone.auth.login({ email: `${name}@example.org` }));
  expect(await login('ada')).toBe('ok');
  await expect.poll(() => silent.size).toBe(1);
  expect(await login('bob')).toBe('ok');
  await run(
    w.db,
    sql`update jobs set started_at = started_at - interval '31 seconds' where started_at is not null`,
  );
  expect(await login('cy')).toBe('503 unavailable');
  // Ends the attempt, so that the world closes at once.
  const closed = once(server.close(), 'close');
  for (const socket of silent) socket.destroy();
  await closed;
});

test('email: not sent if it is deleted from the queue before a slow server accepts it [T46]', async () => {
  const isAsked = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  const smtp = await mailServer({
    refuse: async (command) => {
      if (command !== 'RCPT') return undefined;
      isAsked.resolve();
      await proceed.promise;
      return undefined;
    },
  });
  await using world = await worldAt(smtp);
  const { w } = world;
  await enqueueEmail(w.db, { to: 'ada@example.org', words });
  await isAsked.promise;
  await cancelEmails(w.db, { address: 'ada@example.org', account: '' });
  proceed.resolve();
  await w.anyone.auth.login({ email: 'bob@example.org' });
  await expect.poll(() => smtp.to('bob@example.org')).toBe(1);
  expect(smtp.to('ada@example.org')).toBe(0);
  expect(world.outcomes()).toEqual([]);
});

test('email: not sent if the server accepts the recipient only after the `until` of the email [T46]', async () => {
  const smtp = await mailServer({
    refuse: async (command) => {
      if (command === 'RCPT') await sleep(1500);
      return undefined;
    },
  });
  await using world = await worldAt(smtp);
  const { w } = world;
  await enqueueEmail(w.db, { to: 'late@example.org', words, until: instant(Date.now() + 1000) });
  await enqueueEmail(w.db, { to: 'early@example.org', words, until: instant(Date.now() + 60_000) });
  await noEmailLeft(w);
  expect([smtp.to('late@example.org'), smtp.to('early@example.org')]).toEqual([0, 1]);
  expect(world.outcomes()).toEqual([]);
});

test('email: when the process stops, it waits for the reply of a slow server, but not for ever [T46]', async () => {
  const isSent = Promise.withResolvers<void>();
  const smtp = await mailServer({ replyAfter: 60_000 }, () => isSent.resolve());
  const world = await worldAt(smtp);
  await enqueueEmail(world.w.db, { id: 'the-id', to: 'ada@example.org', words });
  await isSent.promise;
  const started = Date.now();
  await world[Symbol.asyncDispose]();
  expect(Date.now() - started).toBeLessThan(30_000);
  expect(world.outcomes()).toMatchObject([{ email: 'the-id', outcome: 'unknown' }]);
});

/** A club of two, whose server for emails is away, and no email that waits. */
async function clubWithoutMailServer() {
  const { port = 0, close } = await openMailServer(() => {});
  await close();
  const world = await worldAt({ url: `smtp://127.0.0.1:${port}` });
  const { w } = world;
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  await run(w.db, sql`delete from notice_emails`);
  return { ...world, port, ada, bob, club };
}

const emailJobs = sql`name in ('send_email', 'send_notice')`;

/** Makes the waiting emails due that have had fewer attempts than this, and wakes the workers. */
const allDue = (w: World, attempts = 26) =>
  run(
    w.db,
    sql`with due as (
          update jobs set run_at = now() where ${emailJobs} and locked_until is null and attempts < ${attempts})
        select pg_notify('jobs', '')`,
  );

/** Lets three days pass, in which every attempt at the waiting emails fails, with the delays of the queue. */
async function threeDaysPass(w: World): Promise<void> {
  for (let [attempt, days] = [1, 0]; days < 3; attempt++) {
    const behind = sql`
      select from jobs where ${emailJobs} and (attempts < ${attempt} or locked_until is not null)`;
    await expect.poll(async () => (await allDue(w, attempt), all(w.db, behind))).toEqual([]);
    const next = await first(
      w.db,
      sql<{ delay: number }>`
        select extract(epoch from min(run_at - failed_at))::float as delay from jobs where ${emailJobs}`,
    );
    const delay = next?.delay ?? 0;
    expect(delay).toBeGreaterThan(0);
    days += delay / 86_400;
    w.later(`${delay} seconds`);
  }
}

test('email: after three days without a mail server, what still applies arrives once, and nothing else [OPER-15]', async () => {
  await using world = await clubWithoutMailServer();
  const { w, port, ada, bob, club, outcomes } = world;
  await w.event(club, ada, { name: 'Regatta', startsIn: 240 });
  await w.event(club, ada, { name: 'Picnic', startsIn: 48 });
  const race = await w.event(club, ada, { name: 'Race', startsIn: 240 });
  await enqueueEmail(w.db, { to: 'dee@example.org', words, once: true });
  await w.anyone.auth.login({ email: 'cy@example.org' });
  await threeDaysPass(w);
  await ada.api.events.cancel({ event: race.id });
  const smtp = await mailServer({ port });
  const left = sql`select from jobs where ${emailJobs}`;
  await expect.poll(async () => (await allDue(w), all(w.db, left)), { timeout: 30_000 }).toEqual([]);
  const arrived = smtp.received.map(({ to, mail }) => `${to.join()}: ${mail.subject?.split(',', 1)[0]}`);
  expect(arrived.filter((email) => !email.includes('Cancelled: Race')).toSorted()).toEqual([
    `${bob.email}: New event: Regatta`,
    'dee@example.org: News',
  ]);
  expect(outcomes()).toEqual([]);
});

test('email: a permanent rejection of the recipient of a notice is final, and logged only with ids [OPER-15]', async () => {
  let tries = 0;
  const smtp = await mailServer({ refuse: (command) => (command === 'RCPT' ? (tries++, 550) : undefined) });
  await using world = await worldAt(smtp);
  const { w, lines, outcomes } = world;
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  await w.event(club, ada, { name: 'Regatta' });
  const of = (user: string) => outcomes().filter((outcome) => outcome.user === user);
  await expect.poll(() => of(bob.id)).toHaveLength(1);
  const waiting = sql`select from notice_emails where sent_at is null and user_id = ${bob.id}`;
  await expect.poll(() => all(w.db, waiting)).toEqual([]);
  await expect.poll(() => all(w.db, sql`select from jobs where ${emailJobs} and attempts > 0`)).toEqual([]);
  expect(of(bob.id)).toEqual([
    {
      email: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user: bob.id,
      outcome: 'rejected',
      reason: expect.stringContaining('response 550'),
    },
  ]);
  expect(tries).toBe(outcomes().length);
  expect(lines.join('')).not.toMatch(/bob-|example\.org/);
});
