import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Email } from 'postal-mime';
import { WebSocket } from 'ws';
import { all, run, sql } from '#platform/db/client.ts';
import { createLog, errorFields } from '#platform/log.ts';
import { contracts } from '#features/contracts.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf } from '#test/calls.ts';
import { openStripe } from '#test/stripe.ts';
import { findLeftovers } from '#test/leftovers.ts';
import { rawExchange } from '#test/wire.ts';
import { codeIn, isolatedWorld, type World } from '#test/world.ts';

type Entry = Record<string, unknown>;

/** A world with log level debug that records its log lines. */
async function verboseWorld(settings: Record<string, string> = {}) {
  const lines: string[] = [];
  const w = await isolatedWorld(
    { ...settings, LOG_LEVEL: 'debug', TRUST_PROXY: 'on', LIMITS_PER_ADDRESS: 'on' },
    { write: (line) => void lines.push(line) },
  );
  const entries = () => lines.map((line) => JSON.parse(line) as Entry);
  return { w, lines, entries, [Symbol.asyncDispose]: () => w[Symbol.asyncDispose]() };
}

/** The client address, which must not be logged. */
const from = '203.0.113.77';
const get = (w: World, path: string, init: RequestInit = {}) =>
  fetch(w.origin + path, {
    redirect: 'manual',
    ...init,
    headers: { 'x-forwarded-for': from, 'user-agent': 'canaryagent', ...init.headers },
  });

const listen = (address: string, said?: string) =>
  new Promise<void>((resolve) => {
    const socket = new WebSocket(address.replace(/^http/, 'ws'));
    socket.on('open', () => (said ? socket.send(said) : socket.close()));
    socket.on('close', () => resolve()).on('error', () => resolve());
  });

/** Triggers errors whose messages quote user data, and sends malformed bodies. The log must contain neither. */
async function breakThings({ w }: { w: World }, token: string) {
  const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = (path: string, body: string, headers: Record<string, string> = json) =>
    get(w, path, { method: 'POST', headers, body });
  await run(
    w.db,
    sql`alter table feedback drop constraint feedback_feedback_check, alter column feedback type int using 0`,
  );
  const refused = await post('/api/v1/feedback', '{"feedback": "canarywords that no number can hold"}');
  expect(refused.status).toBe(400);
  await run(
    w.db,
    sql.raw(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not "%"', new.first_name; end $$;
      create trigger refuse before update on users for each row execute function refuse()`),
  );
  const name = { method: 'PATCH', headers: json, body: '{"first_name": "canarywords"}' };
  expect((await get(w, '/api/v1/users', name)).status).toBe(500);
  await run(w.db, sql`drop trigger refuse on users`);
  const statuses = [
    await post('/api/v1/clubs', '{"club_name": "canarybody'),
    await post('/api/v1/clubs', '{}'),
    await post('/api/v1/clubs', `{"club_name": "${'canary'.repeat(20_000)}"}`),
    await post('/api/v1/clubs', 'canarybody', { ...json, 'content-type': 'text/canary' }),
    await post('/api/v1/clubs', '{"club_name": "x"}', { ...json, authorization: 'Bearer canarytoken' }),
    await post('/api/v1/payments/webhook', 'canarybody', { 'stripe-signature': 't=1,v1=canary' }),
    await get(w, '/api/v1/clubs/canary-club', { headers: json }),
    await get(w, '/api/v1/clubs?canaryquery=1', { method: 'PUT' }),
    await get(w, '/api/v1/clubs/%canary'),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 400, 413, 415, 401, 400, 404, 405, 400]);
  await get(w, '/canarypath/nowhere?canaryquery=1');
  await rawExchange(w.origin, 'CANARY canary@example.org\r\n\r\n');
  await rawExchange(
    w.origin,
    `GET / HTTP/1.1\r\nHost: localhost\r\nCookie: ${'canary'.repeat(5000)}\r\nConnection: close\r\n\r\n`,
  );
}

test('log: contains no personal or secret data, even after errors [T20 CONTACT-04]', async () => {
  await using stripe = await openStripe();
  await using setting = await verboseWorld(stripe.settings);
  const { w, lines, entries } = setting;
  const email = 'canary@example.org';
  /** Waits for a number of matching emails to an address and returns the newest. */
  const mailed = async (address: string, pattern: RegExp, count: number) => {
    const found = async () =>
      (await w.outbox()).filter(({ to, text }) => to?.[0]?.address === address && pattern.test(text ?? ''));
    await expect.poll(async () => (await found()).length, { timeout: 10_000 }).toBe(count);
    return (await found()).at(-1);
  };
  await w.anyone.auth.login({ email, rUrl: '/app/canary-return' });
  const mail = await w.mail(email);
  const code = codeIn(mail);
  const long = /code=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? '';
  await outcomeOf(w.anyone.auth.confirm({ email, code: '222222' }));
  await w.anyone.auth.confirm({ email, code });
  const [ada, bob] = [await w.person('Canaryfirst', 'Canarylast'), await w.person('Bob')];
  const club = await w.club([ada, bob], 'Canary club {"level":"error"}');
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  await w.anyone.invites.get({ invite: invite_link });
  await get(w, `/app/club/${club.slug}/${invite_link}`);
  const event = await w.event(club, ada, {
    name: 'Canaryevent',
    details: 'canarydetails\r\n{"level":"error"}',
  });
  await bob.api.updates.publish({ club: club.id, content: 'canaryupdate' }).catch(() => {});
  await ada.api.updates.publish({ club: club.id, content: 'canaryupdate' });
  await ada.api.users.update({ phone: '+49 30 9182736' });
  await outcomeOf(ada.api.users.update({ phone: '+49 30 9182736 canary' }));
  await ada.api.members.setContact({ club: club.id, phone_for: 'members' });
  expect(await bob.api.members.phone({ club: club.id, user: ada.id })).toEqual({ phone: '+49 30 9182736' });
  await ada.api.auth.sendCode({ purpose: 'email_change' });
  const ownCode = codeIn((await mailed(ada.email, /^ {4}\w{6}$/m, 1)) as Email);
  await ada.api.users.update({ email: 'canary-next@example.org', code: ownCode });
  const emailCode = /email_code=([\w-]+)/.exec((await w.mail('canary-next@example.org')).text ?? '')?.[1];
  await ada.api.users.confirmEmail({ code: emailCode ?? '' });
  const revert =
    /revert-email\?token=([\w.-]+)/.exec((await mailed(ada.email, /revert-email/, 2))?.text ?? '')?.[1] ?? '';
  await w.anyone.users.emailChange({ token: revert });
  const me = await ada.api.users.me({});
  const first = ada.session.read();
  const { ical_feed_url_id: clubFeed } = await ada.api.clubs.get({ club: club.id });
  for (const path of [
    `/api/v1/users/${me.ical_feed_url_id}/ical/calendar.ics?canaryquery=1`,
    `/api/v1/clubs/${club.id}/ical/${clubFeed}/calendar.ics`,
  ])
    expect((await get(w, path)).status).toBe(200);
  await get(w, `/app/events/${event.slug}?canaryquery=1`);
  await get(w, '/confirm?email=canary@example.org&code=canarycode');
  const live = `${w.origin}/api/v1/ws/notifications`;
  await listen(`${live}?token=${first?.AccessToken.Token}`);
  await listen(`${live}?token=${first?.AccessToken.Token}`, 'canaryframe'.repeat(1000));
  await listen(`${live}?token=canarytoken`);
  const notice = (await w.mail(bob.email)).headers.find(({ key }) => key === 'list-unsubscribe')?.value;
  const unsubscribe = /unsubscribe\/([\w.-]+)/.exec(notice ?? '')?.[1] ?? '';
  await w.anyone.notifications.unsubscribe({ token: unsubscribe });
  const state = new URL((await ada.api.payments.authorise({})).url).searchParams.get('state') ?? '';
  for (const code of ['canary', 'ac_good']) await get(w, `/oauth/callback?state=${state}&code=${code}`);
  const tokens = [];
  for (let times = 0; times < 2; times++) {
    const auth = await w.anyone.auth.refresh({ token: ada.session.read()?.RefreshToken.Token ?? '' });
    ada.session.write(auth);
    tokens.push(auth);
  }
  await breakThings(setting, ada.session.read()?.AccessToken.Token ?? '');
  await rejectAnEmail(setting);

  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  const levels = new Set(entries().map(({ level }) => level));
  expect([...levels].toSorted()).toEqual(['error', 'info', 'warn']);
  const hashed = [code, long, ownCode, emailCode, state, ...[first, ...tokens].flatMap(secretsOf)].map(
    String,
  );
  const kept = [revert, invite_link, me.ical_feed_url_id, clubFeed, event.slug, club.slug];
  for (const secret of [...hashed, ...kept, unsubscribe]) expect(secret.length).toBeGreaterThan(5);
  // Ignore the line with the server's own listen address.
  const said = lines
    .filter((line) => !line.includes('"Server listening at '))
    .join('')
    .toLowerCase();
  for (const secret of [...hashed, ...kept, unsubscribe]) expect(said).not.toContain(secret.toLowerCase());
  expect(said).not.toMatch(/canary|9182736|example\.org|203\.0\.113|127\.0\.0\.1|[?&]\w+=/);
  expect(await findLeftovers(w.db, hashed)).toEqual([]);
}, 60_000);

const secretsOf = (auth?: { AccessToken: { Token: string }; RefreshToken: { Token: string } }) => [
  auth?.AccessToken.Token,
  // The first part of the token is the session id, which may be logged.
  auth?.RefreshToken.Token.split('.')[1],
];

/** Makes a job fail by replacing the outbox directory with a file. */
async function rejectAnEmail({ w, entries }: { w: World; entries(): Entry[] }) {
  const outbox = join(w.config.dataDir, 'outbox');
  await rename(outbox, `${outbox}.aside`);
  await writeFile(outbox, '');
  await w.anyone.auth.login({ email: 'canary-lost@example.org' });
  await expect
    .poll(() => entries().some(({ task }) => task === 'send_email'), { timeout: 10_000 })
    .toBe(true);
  await run(w.db, sql`delete from jobs`);
}

test('log: one line per request, with the route pattern [T20]', async () => {
  await using setting = await verboseWorld();
  const { w, entries } = setting;
  const ada = await w.person('Ada');
  const event = await w.event(await w.club([ada]), ada);
  await ada.api.events.get({ event: event.slug });
  const requests = entries().filter((entry) => 'method' in entry);
  expect(requests.length).toBe(new Set(requests.map(({ request }) => request)).size);
  expect(requests).toContainEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    request: expect.stringMatching(/^[0-9a-f-]{36}$/),
    method: 'GET',
    path: '/api/v1/events/:event',
    status: 200,
    ms: expect.any(Number),
    user: ada.id,
  });
});

function operationIn(entry: Entry) {
  return Object.fromEntries(
    Object.entries(entry).filter(([key]) => !['level', 'time', 'request'].includes(key)),
  );
}

test('audit log: records every security-relevant operation after its commit, and names users and objects only by id', async () => {
  await using stripe = await openStripe();
  await using setting = await verboseWorld({ ...stripe.settings, LIMITS_PER_ADDRESS: 'off' });
  const { w, entries } = setting;
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  await w.anyone.auth.login({ email: ada.email });
  await w.anyone.auth.confirm({ email: ada.email, code: codeIn(await w.mail(ada.email)) });
  const club = await w.club([ada, bob]);
  const link = (await ada.api.invites.ofClub({ club: club.id })).id;
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
  await outcomeOf(bob.api.members.eject({ club: club.id, member: ada.id }));
  await ada.api.members.eject({ club: club.id, member: bob.id });
  await get(w, '/api/v1/payments/webhook', { method: 'POST', body: '{}' });
  const session = (await bob.api.auth.sessions({}))[0]?.id;
  const token = bob.session.read()?.RefreshToken.Token ?? '';
  bob.session.write(await w.anyone.auth.refresh({ token }));
  bob.session.write(await w.anyone.auth.refresh({ token: bob.session.read()?.RefreshToken.Token ?? '' }));
  expect(await outcomeOf(w.anyone.auth.refresh({ token }))).toBe('401 not_signed_in');
  for (let guess = 0; guess < 25; guess++)
    await outcomeOf(w.anyone.auth.confirm({ email: 'nobody@example.org', code: `22222${guess % 10}` }));
  await ada.api.auth.sendCode({ purpose: 'deletion' });
  const codes = async () => {
    const emails = (await w.outbox()).filter(({ to }) => to?.[0]?.address === ada.email);
    return emails.map(codeIn).filter((code) => code.length === 6);
  };
  await expect.poll(async () => (await codes()).length).toBe(2);
  const code = (await codes())[1];
  expect(
    (await ask(w.origin, contracts.account.remove, { code }, ada.session.read()?.AccessToken.Token)).status,
  ).toBe(200);

  const audit = entries().filter(({ event }) => event !== undefined);
  const started = { event: 'session_started', session: expect.any(String) };
  expect(audit.map(operationIn)).toEqual([
    { event: 'code_sent' },
    { ...started, owner: ada.id },
    { event: 'invite_made', user: ada.id, club: club.id, link },
    { event: 'invite_used', user: bob.id, club: club.id, link },
    { event: 'role_changed', user: ada.id, club: club.id, member: bob.id, role: 100 },
    { event: 'member_ejected', user: ada.id, club: club.id, member: bob.id },
    { event: 'webhook_rejected' },
    { event: 'session_reused', session, owner: bob.id },
    ...Array.from({ length: 24 }, () => ({ event: 'code_refused' })),
    { event: 'login_shut' },
    { event: 'code_refused' },
    { event: 'code_sent', user: ada.id },
    { event: 'account_deleted', user: ada.id },
  ]);
  const requests = new Set(
    entries()
      .filter((entry) => 'method' in entry)
      .map(({ request }) => request),
  );
  expect(audit.every(({ request }) => requests.has(request))).toBe(true);
}, 30_000);

test('audit log: records request, completion and revert of an email change, and names users only by id', async () => {
  await using setting = await verboseWorld({ LIMITS_PER_ADDRESS: 'off' });
  const { w, entries } = setting;
  const ada = await w.person('Ada');
  w.later('1 minute');
  await ada.api.auth.sendCode({ purpose: 'email_change' });
  await ada.api.users.update({ email: 'next@example.org', code: codeIn(await w.mail(ada.email)) });
  const code = /email_code=([\w-]+)/.exec((await w.mail('next@example.org')).text ?? '')?.[1] ?? '';
  await ada.api.users.confirmEmail({ code });
  const token = /revert-email\?token=([\w.-]+)/.exec((await w.mail(ada.email, 1)).text ?? '')?.[1] ?? '';
  await w.anyone.users.revertEmail({ token });
  const audit = entries().filter(({ event }) => String(event).startsWith('email_'));
  expect(audit.map(operationIn)).toEqual([
    { event: 'email_requested', user: ada.id },
    { event: 'email_changed', user: ada.id },
    { event: 'email_reverted', owner: ada.id },
  ]);
});

test('audit log: records nothing when the transaction rolls back', async () => {
  await using setting = await verboseWorld();
  const { w, entries } = setting;
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  // A deferred trigger makes the commit fail, as it could if a lock were missing.
  await run(
    w.db,
    sql.raw(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create constraint trigger refuse after update on members deferrable initially deferred for each row execute function refuse()`),
  );
  const change = ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  expect(await outcomeOf(change)).toBe('500 broken');
  expect(
    await all(w.db, sql`select 1 from members where user_id = ${bob.id} and club_role = 0`),
  ).toHaveLength(1);
  expect(entries().filter(({ event }) => event === 'role_changed')).toEqual([]);
  expect(entries().filter(({ msg }) => msg === 'fault')).toHaveLength(1);
});

test.each(['22003', '22P02', '23514'])(
  'a value that the database refuses with %s: 400 and a warning in the log [T35 T44]',
  async (code) => {
    await using setting = await verboseWorld();
    const { w, entries } = setting;
    const ada = await w.person('Ada');
    await run(
      w.db,
      sql.raw(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = '${code}'; end $$;
        create trigger refuse before update on users for each row execute function refuse()`),
    );
    expect(await outcomeOf(ada.api.users.update({ first_name: 'Canary' }))).toBe('400 bad_input');
    expect(entries().filter(({ level }) => level === 'warn' || level === 'error')).toMatchObject([
      { level: 'warn', msg: 'input refused by the database', path: '/api/v1/users', error: { code } },
    ]);
    expect(JSON.stringify(entries())).not.toContain('Canary');
  },
);

test.each([
  [
    'invalid input syntax for type integer: "canary "quoted" words"',
    'invalid input syntax for type integer: "…"',
  ],
  [`Unexpected token 'c', "{"a": canary" is not valid JSON`, 'Unexpected token "…" is not valid JSON'],
  ['The value "canary\n    at once" cannot be converted', 'The value "…" cannot be converted'],
  ['nothing is quoted', 'nothing is quoted'],
])('log: an error is logged without the data that it quotes: %s', (message, logged) => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  log.error({ error: errorFields(new TypeError(message)) }, 'fault');
  const { error } = JSON.parse(lines.join('')) as { error: { name: string; message: string; stack: string } };
  expect(error).toMatchObject({ name: 'TypeError', message: logged });
  expect(error.stack).toMatch(/^ {4}at .*log\.test\.ts/);
  expect(lines.join('')).not.toContain('canary');
});
