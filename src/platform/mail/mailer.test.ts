import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { first, inTransaction, run, sql } from '#platform/db/client.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import { instant } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { openMailServer, type Received } from '#test/mail-server.ts';
import { rawExchange } from '#test/wire.ts';
import { codeIn, isolatedWorld, world, type World } from '#test/world.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** A mail server that temporarily rejects the first `rejections` emails. */
async function mailServer({ rejections = 0, at = 0 } = {}) {
  const received: Received[] = [];
  const tries: string[] = [];
  const server = await openMailServer(
    (email) => {
      tries.push(email.mail.messageId ?? 'none');
      if (tries.length <= rejections) throw new Error(`<${email.to.join()}> is greylisted`);
      received.push(email);
    },
    { port: at },
  );
  closings.push(server.close);
  return { received, tries, ...server };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await condition()) return;
    await sleep(25);
  }
  throw new Error('Condition not met in time');
}

const noJobLeft = async (w: World) => (await first(w.db, sql`select 1 from jobs`)) === undefined;

const words: EmailContent = {
  subject: 'Zoë’s club → 日本\r\nBcc: eve@example.org',
  preview: '<b>bold</b>',
  paragraphs: ['Zoë & <script>alert("1")</script> — 日本 🎉', 'A second\r\n.\r\nline'],
  action: { label: '"Open" <it>', url: 'http://muster.test/app?a=1&b="2"' },
  footer: "It's <i>over</i>",
};

test('email: subject, text, HTML and names in any script arrive unchanged [T23]', async () => {
  const smtp = await mailServer();
  await using w = await isolatedWorld({ SMTP_URL: smtp.url, MAIL_FROM: 'Zoë’s Müster <post@muster.test>' });
  expect(JSON.stringify(w.lines)).not.toContain('example.org');
  await enqueueEmail(w.db, { to: 'ada@example.org', words });
  await until(() => smtp.received.length === 1);
  const [{ from, to, raw, mail }] = smtp.received as [Received];
  expect([from, to]).toEqual(['post@muster.test', ['ada@example.org']]);
  expect(mail.from).toMatchObject({ name: 'Zoë’s Müster', address: 'post@muster.test' });
  expect(mail.to).toEqual([{ name: '', address: 'ada@example.org' }]);
  expect(mail.bcc).toBeUndefined();
  expect(raw).not.toMatch(/^Bcc:/im);
  expect(mail.subject).toContain('Zoë’s club → 日本');
  expect(mail.text).toContain('Zoë & <script>alert("1")</script> — 日本 🎉');
  expect(mail.text).toContain('A second\n.\nline');
  expect(mail.text).toContain('http://muster.test/app?a=1&b="2"');
  expect(mail.html).toContain('Zoë &amp; &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; — 日本 🎉');
  expect(mail.html).toContain('href="http://muster.test/app?a=1&amp;b=&quot;2&quot;"');
  expect(mail.html).not.toMatch(/<script|<b>|<i>|<it>/);
  expect(mail.messageId).toMatch(/^<[\w-]{36}@muster\.test>$/);
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
});

test('email: retried with the same id after a temporary rejection, without personal data in the log [C13]', async () => {
  const smtp = await mailServer({ rejections: 1 });
  const log: string[] = [];
  await using w = await isolatedWorld(
    { SMTP_URL: smtp.url, LOG_LEVEL: 'debug' },
    { write: (line) => void log.push(line) },
  );
  await w.anyone.auth.login({ email: 'ada@example.org' });
  await until(() => smtp.received.length === 1);
  await until(() => noJobLeft(w));
  expect(smtp.tries).toHaveLength(2);
  expect(smtp.tries[0]).toBe(smtp.tries[1]);
  const code = codeIn((smtp.received[0] as Received).mail);
  await w.anyone.auth.confirm({ email: 'ada@example.org', code });
  expect(log.join('')).toContain('451');
  expect(log.join('')).not.toMatch(/ada@|example\.org/);
  expect(log.join('')).not.toContain(code);
}, 40_000);

const invitation = (method: 'REQUEST' | 'CANCEL') => ({
  filename: 'run.ics',
  contentType: `text/calendar; charset=utf-8; method=${method}`,
  content: `BEGIN:VCALENDAR\r\nMETHOD:${method}\r\nEND:VCALENDAR\r\n`,
  method,
});

test('email: one invitation is sent as an alternative to the text, with its method; several invitations are attachments [RELAY-10]', async () => {
  const smtp = await mailServer();
  await using w = await isolatedWorld({ SMTP_URL: smtp.url });
  const rawOf = async (...attachments: ReturnType<typeof invitation>[]) => {
    const before = smtp.received.length;
    await enqueueEmail(w.db, { to: 'ada@example.org', words, attachments });
    await until(() => smtp.received.length === before + 1);
    return (smtp.received[before] as Received).raw;
  };
  for (const method of ['REQUEST', 'CANCEL'] as const) {
    const raw = await rawOf(invitation(method));
    const alternatives = /multipart\/alternative;\s+boundary="([^"]+)"/.exec(raw)?.[1] ?? '';
    const parts = raw.split(`--${alternatives}`).map((part) => /content-type: ([^\r]*)/i.exec(part)?.[1]);
    expect(parts).toContain(`text/calendar; charset=utf-8; method=${method}`);
  }
  const several = await rawOf(invitation('REQUEST'), invitation('CANCEL'));
  for (const method of ['REQUEST', 'CANCEL'])
    expect(several.replaceAll(/\r\n\s/g, ' ')).toMatch(
      new RegExp(`content-type: text/calendar; charset=utf-8; method=${method}; name=run.ics`, 'i'),
    );
});

test('email: an unreachable mail server does not delay a request', async () => {
  await using w = await isolatedWorld({ SMTP_URL: 'smtp://127.0.0.1:9' });
  const started = Date.now();
  await w.anyone.auth.login({ email: 'ada@example.org' });
  expect(Date.now() - started).toBeLessThan(2000);
});

/** Makes all jobs a minute older. */
const ageJobs = (w: World) => run(w.db, sql`update jobs set created_at = created_at - interval '1 minute'`);

const failedOnce = (w: World) => async () =>
  (await first(w.db, sql`select 1 from jobs where last_error is not null`)) !== undefined;

test('login: unavailable while the mail server is unreachable', async () => {
  const gone = await mailServer();
  await gone.close();
  await using w = await isolatedWorld({ SMTP_URL: gone.url });
  const login = (name: string) => outcomeOf(w.anyone.auth.login({ email: `${name}@example.org` }));
  expect(await login('ada')).toBe('ok');
  await until(failedOnce(w));
  expect(await login('bob')).toBe('ok');
  await ageJobs(w);
  expect(await login('cy')).toBe('503 unavailable');
  const { headers } = await fetch(`${w.origin}/api/v1/auth/login?email=cy@example.org`);
  expect(headers.get('retry-after')).toBe('30');

  const back = await mailServer({ at: gone.port });
  await run(w.db, sql`update jobs set run_at = now()`);
  await until(() => noJobLeft(w));
  expect(back.received.map(({ to }) => to.join()).toSorted()).toEqual(['ada@example.org', 'bob@example.org']);
  expect(await login('cy')).toBe('ok');
}, 20_000);

test('login: still available after a temporary rejection of one email', async () => {
  const smtp = await mailServer({ rejections: 1 });
  await using w = await isolatedWorld({ SMTP_URL: smtp.url });
  await w.anyone.auth.login({ email: 'ada@example.org' });
  await until(failedOnce(w));
  await ageJobs(w);
  expect(await outcomeOf(w.anyone.auth.login({ email: 'bob@example.org' }))).toBe('ok');
});

test('email: not sent after its `until`', async () => {
  await using w = await world();
  await enqueueEmail(w.db, { to: 'late@example.org', words, until: instant(Date.now() - 1) });
  await enqueueEmail(w.db, { to: 'early@example.org', words, until: instant(Date.now() + 60_000) });
  await w.mail('early@example.org');
  await until(() => noJobLeft(w));
  expect((await w.outbox()).map((mail) => mail.to?.[0]?.address)).toEqual(['early@example.org']);
});

test('email: enqueued only if the transaction commits [C13]', async () => {
  await using w = await world();
  const given = inTransaction(w.db, async (db) => {
    await enqueueEmail(db, { to: 'never@example.org', words });
    await run(db, sql`select 1 / 0`);
  });
  await expect(given).rejects.toThrow('division');
  await inTransaction(w.db, (db) => enqueueEmail(db, { to: 'ever@example.org', words }));
  await w.mail('ever@example.org');
  await until(() => noJobLeft(w));
  expect(await w.outbox()).toHaveLength(1);
});

test('outbox: files are private, and the login code is printed', async () => {
  await using w = await world();
  await w.anyone.auth.login({ email: 'ada@example.org' });
  const code = codeIn(await w.mail('ada@example.org'));
  const folder = join(w.config.dataDir, 'outbox');
  const files = await readdir(folder);
  expect(files).toEqual([expect.stringMatching(/^\d{4}-.*\.eml$/)]);
  const [file = ''] = files;
  expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, file), 'utf8')).toMatch(/\r\n/);
  expect(w.lines.join('\n')).toContain(code);
});

test('email: request headers do not change links [T26]', async () => {
  // Without ALLOWED_HOSTS the request would be rejected.
  await using w = await isolatedWorld({ TRUST_PROXY: 'on', ALLOWED_HOSTS: 'evil.example' });
  const evil = ['Host', 'X-Forwarded-Host', 'Origin', 'Referer']
    .map((name) => `${name}: evil.example\r\n`)
    .join('');
  const line = 'GET /api/v1/auth/login?email=ada@example.org HTTP/1.1';
  await rawExchange(w.origin, `${line}\r\n${evil}Connection: close\r\n\r\n`);
  const mail = await w.mail('ada@example.org');
  expect(mail.text).toContain('http://muster.test/confirm?');
  expect(mail.text + (mail.html ?? '')).not.toContain('evil');
});
