import { describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { randomFrom, hmac } from '#platform/token.ts';
import { contracts } from '#features/contracts.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import type { Purpose } from '#features/auth/contract.ts';
import { codeAlphabet, codeLength } from '#features/auth/rules.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { codeIn, memorySession, world, type Person, type World } from '#test/world.ts';

const next = 'new@example.org';

/** Inserts a code, as if it had been sent to this address. */
async function freshCode(
  { db, config, now }: World,
  email: string,
  purpose: Purpose = 'email_change',
): Promise<string> {
  const code = randomFrom(codeAlphabet, codeLength);
  await run(
    db,
    sql`insert into login_codes (id, email, purpose, short_hash, long_hash, created_at, expires_at)
        values (gen_random_uuid(), ${email}, ${purpose}, ${hmac(config.secretKey, 'code', email, code)}, ''::bytea, ${now()},
          ${now()}::timestamptz + interval '10 minutes')`,
  );
  return code;
}

/** Requests an email change with a fresh code that was sent to the current address. */
const request = async (w: World, { api }: Person, from: string, to: string) =>
  api.users.update({ email: to, code: await freshCode(w, from) });

const confirm = ({ api }: Person, code: string) => outcomeOf(api.users.confirmEmail({ code }));

/** Requests and confirms an email change. */
async function change(w: World, person: Person, from: string, to: string): Promise<void> {
  await request(w, person, from, to);
  expect(await confirm(person, await codeTo(w, to))).toBe('ok');
}

const emailsTo = async (w: World, address: string) =>
  (await w.outbox()).filter((mail) => mail.to?.[0]?.address === address);

const linkIn = (text: string | undefined) => new URL(/http\S+/.exec(text ?? '')?.[0] ?? 'none:');

/** Waits for `count` matching emails to an address and returns the newest. */
async function newest(w: World, address: string, pattern: RegExp, count = 1) {
  const matching = async () => (await emailsTo(w, address)).filter(({ text }) => pattern.test(text ?? ''));
  await expect.poll(async () => (await matching()).length, { timeout: 10_000 }).toBe(count);
  return (await matching()).at(-1);
}

/** The code that confirms a new address. */
async function codeTo(w: World, address: string, count = 1): Promise<string> {
  const link = linkIn((await newest(w, address, /email_code=/, count))?.text);
  expect(link.origin + link.pathname).toBe('http://muster.test/app/profile');
  return link.searchParams.get('email_code') ?? '';
}

/** The token of the newest revert link. Each change sends two links: at the request and when it takes effect. */
async function revertToken(w: World, address: string, count = 2): Promise<string> {
  const link = linkIn((await newest(w, address, /revert-email/, count))?.text);
  expect(link.origin + link.pathname).toBe('http://muster.test/revert-email');
  return link.searchParams.get('token') ?? '';
}

const revert = (w: World, token: string) => outcomeOf(w.anyone.users.revertEmail({ token }));

const statusOf = async (w: World, person: Person) =>
  (await ask(w.origin, contracts.users.me, {}, person.session.read()?.AccessToken.Token)).status;

/** Logs the person in from another browser. */
async function again(w: World, { id }: Person, email: string): Promise<Person> {
  const session = memorySession();
  const api = w.client(session);
  session.write(await api.auth.confirm({ email, code: await freshCode(w, email, 'login') }));
  expect((await api.users.me({})).id).toBe(id);
  return { id, email, api, session };
}

test('me: returns the user with their calendar secret [API-09 DATA-03]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada', 'Byron'), await w.person('Bob')];
  const me = await ada.api.users.me({});
  expect(me).toEqual({
    id: ada.id,
    email: ada.email,
    pending_email: null,
    user_name: '',
    first_name: 'Ada',
    last_name: 'Byron',
    phone: '',
    profile_picture_url: null,
    ical_feed_url_id: expect.stringMatching(/^[\w-]{22}$/),
    invites_by_mail: false,
    language: 'en',
    clock: 'auto',
    time_zone: null,
    device_zone: null,
    email_refused: false,
    clubs: [],
  });
  expect(me.ical_feed_url_id).not.toBe((await bob.api.users.me({})).ical_feed_url_id);
});

test("me: returns the user's clubs with role and member count, ordered by name [DATA-04]", async () => {
  await using w = await world();
  const [ada, bob, eve] = [await w.person('Ada'), await w.person('Bob'), await w.person('Eve')];
  const rowers = await w.club([ada, bob, eve], 'Rowers');
  const chess = await w.club([bob, ada], 'chess');
  await w.club([eve], 'Elsewhere');
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 100 });
  const line = (club: typeof chess, club_role: number, users: number) => ({
    id: club.id,
    slug: club.slug,
    club_name: club.club_name,
    profile_picture_url: null,
    club_role,
    is_planner: club_role === 200,
    users,
  });
  expect((await ada.api.users.me({})).clubs).toEqual([line(chess, 0, 2), line(rowers, 200, 3)]);
  expect((await bob.api.users.me({})).clubs).toEqual([line(chess, 200, 2), line(rowers, 100, 3)]);
});

test('update: changes the given fields only [API-10]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada', 'Byron'), await w.person('Bob')];
  const before = await bob.api.users.me({});
  const change = { user_name: 'countess', first_name: ' Augusta ', last_name: 'King' };
  const changed = await ada.api.users.update({ ...change, email: ada.email });
  expect(changed).toMatchObject({
    user_name: 'countess',
    first_name: 'Augusta',
    last_name: 'King',
    email: ada.email,
  });
  expect(await ada.api.users.update({ last_name: '' })).toEqual({ ...changed, last_name: '' });
  expect(await ada.api.users.update({})).toEqual({ ...changed, last_name: '' });
  expect(await bob.api.users.me({})).toEqual(before);
});

test('update: takes the language, the clock and the time zone, which null returns to the device [LANG-05]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const chosen = { language: 'de', clock: '24', time_zone: 'Europe/Berlin' } as const;
  expect(await ada.api.users.update({ ...chosen, device_zone: 'Pacific/Auckland' })).toMatchObject({
    ...chosen,
    device_zone: 'Pacific/Auckland',
  });
  expect(await ada.api.users.update({ time_zone: null })).toMatchObject({ ...chosen, time_zone: null });
  expect(await ada.api.users.me({})).toMatchObject({ ...chosen, time_zone: null });
});

test.each([
  { language: 'fr' },
  { language: 'DE' },
  { clock: '13' },
  { time_zone: 'Europe/Atlantis' },
  { time_zone: '+01:00' },
  { time_zone: '' },
  { device_zone: 'Mars/Base' },
])('update: %j is refused, and nothing changes [LANG-05 LANG-23]', async (patch) => {
  await using w = await world();
  const ada = await w.person('Ada');
  const before = await ada.api.users.me({});
  expect(await outcomeOf(ada.api.users.update({ first_name: 'Eve', ...(patch as object) }))).toBe(
    '400 bad_input',
  );
  expect(await ada.api.users.me({})).toEqual(before);
});

test.each([
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['US/Pacific', 'America/Los_Angeles'],
  ['europe/berlin', 'Europe/Berlin'],
  ['Europe/Kiev', 'Europe/Kyiv'],
])('update: stores the zone %s as %s [LANG-23]', async (time_zone, stored) => {
  await using w = await world();
  const ada = await w.person('Ada');
  expect((await ada.api.users.update({ time_zone })).time_zone).toBe(stored);
});

describe('email change', () => {
  test('requires a fresh code sent to the old address; otherwise nothing is sent or changed [T41]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const attempt = (code?: string) =>
      outcomeOf(
        ada.api.users.update({ email: next, first_name: 'Eve', ...(code === undefined ? {} : { code }) }),
      );
    expect(await attempt()).toBe('400 code_missing');
    expect(await attempt('')).toBe('400 wrong_code');
    expect(await attempt('222222')).toBe('400 wrong_code');
    expect(await attempt(await freshCode(w, bob.email))).toBe('400 wrong_code');
    expect(await attempt(await freshCode(w, next))).toBe('400 wrong_code');
    expect(await ada.api.users.me({})).toMatchObject({
      email: ada.email,
      pending_email: null,
      first_name: 'Ada',
    });
    expect(await all(w.db, sql`select 1 from email_changes`)).toEqual([]);
    const guard = sql`select wrong_this_hour from login_throttles where email = ${ada.email}`;
    expect(await all(w.db, guard)).toEqual([{ wrong_this_hour: 4 }]);
    const code = await freshCode(w, ada.email);
    expect(await attempt(code)).toBe('ok');
    await codeTo(w, next);
    expect(await emailsTo(w, next)).toHaveLength(1);
    // Each code works once.
    expect(await outcomeOf(ada.api.users.update({ email: 'later@example.org', code }))).toBe(
      '400 wrong_code',
    );
  });

  test('takes effect when the new address confirms it; the old address is informed of the request and of the change [T4]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    expect(await request(w, ada, ada.email, 'New@Example.org')).toMatchObject({
      email: ada.email,
      pending_email: next,
    });
    const requested = await w.mail(ada.email);
    expect(requested.subject).toContain('asked to change');
    expect(requested.text).toContain(next);
    const code = await codeTo(w, next);
    expect((await ada.api.users.me({})).email).toBe(ada.email);

    expect(await ada.api.users.confirmEmail({ code })).toMatchObject({
      id: ada.id,
      email: next,
      pending_email: null,
    });
    const changed = await w.mail(ada.email, 1);
    expect(changed.subject).toContain('was changed');
    expect(changed.text).toContain(next);
    expect(await confirm(ada, code)).toBe('400 wrong_code');

    await w.anyone.auth.login({ email: next });
    await w.anyone.auth.confirm({ email: next, code: codeIn(await w.mail(next, 1)) });
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: next }]);
  });

  test('ends the other sessions of the account when it takes effect, and no session of other users [T41]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const other = await again(w, ada, ada.email);
    await request(w, ada, ada.email, next);
    expect(await statusOf(w, other)).toBe(200);
    expect(await confirm(ada, await codeTo(w, next))).toBe('ok');
    expect(await Promise.all([ada, other, bob].map((person) => statusOf(w, person)))).toEqual([
      200, 401, 200,
    ]);
    const token = other.session.read()?.RefreshToken.Token ?? '';
    expect(await outcomeOf(w.anyone.auth.refresh({ token }))).toBe('401 not_signed_in');
  });

  test('can also be confirmed with the short code in the email, in any letter case, once and only by its own account [UX-38]', async () => {
    await using w = await world();
    const [ada, eve] = [await w.person('Ada'), await w.person('Eve')];
    await request(w, ada, ada.email, next);
    const code = codeIn(await w.mail(next));
    expect(code).toMatch(new RegExp(`^[${codeAlphabet}]{6}$`));
    await request(w, eve, eve.email, 'eve-new@example.org');
    expect(await confirm(eve, code)).toBe('400 wrong_code');
    expect(await confirm(ada, ` ${code.toLowerCase()}`)).toBe('ok');
    expect(await ada.api.users.me({})).toMatchObject({ email: next, pending_email: null });
    expect(await confirm(ada, code)).toBe('400 wrong_code');
  });

  test('refuses the short code after five wrong codes, but still accepts the link and a later change [UX-38 T3]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await request(w, ada, ada.email, next);
    const [code, link] = [codeIn(await w.mail(next)), await codeTo(w, next)];
    const wrong = code.startsWith('A') ? 'BBBBBB' : 'AAAAAA';
    const guesses = await Promise.all(Array.from({ length: 5 }, () => confirm(ada, wrong)));
    expect(new Set([...guesses, await confirm(ada, code)])).toEqual(new Set(['400 wrong_code']));
    await request(w, ada, ada.email, 'later@example.org');
    expect(await confirm(ada, link)).toBe('400 wrong_code');
    expect(await confirm(ada, codeIn(await w.mail('later@example.org')))).toBe('ok');
    await request(w, ada, 'later@example.org', next);
    const again = await codeTo(w, next, 2);
    for (let guess = 0; guess < 6; guess++) expect(await confirm(ada, wrong)).toBe('400 wrong_code');
    expect(await confirm(ada, again)).toBe('ok');
  });

  test('cannot be confirmed by another user, with a guessed code, or after ten minutes', async () => {
    await using w = await world();
    const [ada, eve] = [await w.person('Ada'), await w.person('Eve')];
    await request(w, ada, ada.email, next);
    const code = await codeTo(w, next);
    expect(code.length).toBeGreaterThanOrEqual(43);
    for (const other of ['', 'x', code.toLowerCase(), code.slice(0, -1)])
      expect(await confirm(ada, other)).toBe('400 wrong_code');
    expect(await confirm(eve, code)).toBe('400 wrong_code');
    w.later('10 minutes');
    expect(await confirm(ada, code)).toBe('400 wrong_code');
    expect(await ada.api.users.me({})).toMatchObject({ email: ada.email, pending_email: null });
    expect(JSON.stringify(await all(w.db, sql`select t::text from email_changes t`))).not.toContain(code);
  });

  test('is replaced by a later request and stays pending when the profile is saved with the current email', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await request(w, ada, ada.email, next);
    const code = await codeTo(w, next);
    await request(w, ada, ada.email, 'later@example.org');
    const later = await codeTo(w, 'later@example.org');
    expect(await confirm(ada, code)).toBe('400 wrong_code');
    const saved = await ada.api.users.update({ email: ada.email, first_name: 'Augusta' });
    expect(saved.pending_email).toBe('later@example.org');
    expect(await confirm(ada, later)).toBe('ok');
  });

  test('to a taken address: gets the same response as for a free one, sends no email to the taken address and never takes effect [T5]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const attempt = async (email: string) =>
      ask(
        w.origin,
        contracts.users.update,
        { email, code: await freshCode(w, ada.email) },
        ada.session.read()?.AccessToken.Token,
      );
    const [taken, free] = [await attempt(bob.email), await attempt(next)];
    await codeTo(w, next);
    expect(taken.status).toBe(200);
    expect(taken.text.replace(bob.email, '')).toBe(free.text.replace(next, ''));
    // The current address gets the same emails: one per request.
    expect(await newest(w, ada.email, /revert-email/, 2)).toBeDefined();
    expect(await emailsTo(w, bob.email)).toEqual([]);
    expect((await bob.api.users.me({})).email).toBe(bob.email);
  });

  test('is refused if another user has taken the address since the request', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await request(w, ada, ada.email, next);
    const code = await codeTo(w, next);
    await w.anyone.auth.confirm({ email: next, code: await freshCode(w, next, 'login') });
    expect(await confirm(ada, code)).toBe('409 email_taken');
    expect((await ada.api.users.me({})).email).toBe(ada.email);
    // The one email is about the request.
    expect(await emailsTo(w, ada.email)).toHaveLength(1);
  });

  test('is limited to five requests an hour; other profile changes are not limited', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const outcomes: string[] = [];
    for (let n = 0; n < 6; n++) {
      const code = await freshCode(w, ada.email);
      const { status } = await send(w, ada, 'PATCH /v1/users', { email: `n${n}@example.org`, code });
      outcomes.push(String(status));
    }
    expect(outcomes).toEqual(['200', '200', '200', '200', '200', '429']);
    expect((await ada.api.users.update({ first_name: 'Augusta' })).first_name).toBe('Augusta');
  });

  test('sends at most three emails an hour and ten a day to one new address, across all users [T40]', async () => {
    await using w = await world();
    const people = await Promise.all(Array.from({ length: 4 }, (_, n) => w.person(`P${n}`)));
    const askAll = async () => {
      for (const person of people) {
        const response = await request(w, person, person.email, 'victim@example.org');
        expect(response.pending_email).toBe('victim@example.org');
      }
      await expect.poll(() => all(w.db, sql`select 1 from jobs j where j.name = 'send_email'`)).toEqual([]);
      return (await emailsTo(w, 'victim@example.org')).length;
    };
    expect(await askAll()).toBe(3);
    for (const expected of [6, 9, 10, 10]) {
      w.later('1 hour');
      expect(await askAll()).toBe(expected);
    }
    w.later('1 day');
    expect(await askAll()).toBe(13);
  });
});

describe('revert link of an email change', () => {
  test('shows the change, and reverts it by POST only: GET and HEAD change nothing [T38]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await request(w, ada, ada.email, next);
    const token = await revertToken(w, ada.email, 1);
    const shown = { old_email: ada.email, new_email: next, is_changed: false, ends_at: expect.any(String) };
    expect(await w.anyone.users.emailChange({ token })).toEqual(shown);
    expect(await confirm(ada, await codeTo(w, next))).toBe('ok');
    expect(await revertToken(w, ada.email)).toBe(token);
    expect(await w.anyone.users.emailChange({ token })).toEqual({ ...shown, is_changed: true });
    const before = await all(w.db, sql`select * from users, email_changes, sessions`);
    for (const path of [`/revert-email?token=${token}`, `/api/v1/users/email/revert/${token}`])
      for (const method of ['GET', 'HEAD']) await fetch(w.origin + path, { method });
    expect(await all(w.db, sql`select * from users, email_changes, sessions`)).toEqual(before);
    expect(await revert(w, token)).toBe('ok');
  });

  test('stops a pending change and ends every session', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const other = await again(w, ada, ada.email);
    await request(w, ada, ada.email, next);
    const code = await codeTo(w, next);
    expect(await w.anyone.users.revertEmail({ token: await revertToken(w, ada.email, 1) })).toEqual({
      email: ada.email,
    });
    expect(await Promise.all([ada, other].map((person) => statusOf(w, person)))).toEqual([401, 401]);
    const back = await again(w, ada, ada.email);
    expect(await confirm(back, code)).toBe('400 wrong_code');
    expect(await back.api.users.me({})).toMatchObject({ email: ada.email, pending_email: null });
  });

  test('restores the old email, ends every session and informs the replaced address', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await change(w, ada, ada.email, next);
    const other = await again(w, ada, next);
    expect(await revert(w, await revertToken(w, ada.email))).toBe('ok');
    expect(await Promise.all([ada, other].map((person) => statusOf(w, person)))).toEqual([401, 401]);
    expect((await newest(w, next, /changed back to an earlier one/))?.text).not.toContain(ada.email);
    await again(w, ada, ada.email);
    // The new address is free again.
    const session = memorySession();
    const api = w.client(session);
    session.write(await api.auth.confirm({ email: next, code: await freshCode(w, next, 'login') }));
    expect((await api.users.me({})).id).not.toBe(ada.id);
  });

  test('of the first change: restores the first email even after further changes, and invalidates their links [T38]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const [b, c] = ['b@example.org', 'c@example.org'];
    await change(w, ada, ada.email, b);
    await change(w, ada, b, c);
    await request(w, ada, c, 'd@example.org');
    const [toA, toB] = [await revertToken(w, ada.email), await revertToken(w, b)];
    const pending = await codeTo(w, 'd@example.org');
    expect(await revert(w, toA)).toBe('ok');
    for (const token of [toA, toB, await revertToken(w, c, 1)])
      expect(await revert(w, token)).toBe('404 not_found');
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: ada.email }]);
    const back = await again(w, ada, ada.email);
    expect(await confirm(back, pending)).toBe('400 wrong_code');
    expect(await newest(w, c, /changed back/)).toBeDefined();
  });

  test('of the second change: restores the email from before that change, and keeps the first link valid', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await change(w, ada, ada.email, 'b@example.org');
    await change(w, ada, 'b@example.org', 'c@example.org');
    expect(await revert(w, await revertToken(w, 'b@example.org'))).toBe('ok');
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: 'b@example.org' }]);
    expect(await revert(w, await revertToken(w, ada.email))).toBe('ok');
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: ada.email }]);
  });

  test('works once, within seven days of the change, and only with a valid signature [T38]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await request(w, ada, ada.email, next);
    const token = await revertToken(w, ada.email, 1);
    const [id = '', proof = ''] = token.split('.');
    const forged = [
      'x',
      id,
      `${id}.`,
      `${id}.${proof.slice(0, -1)}`,
      `${token}x`,
      `${ada.id}.${proof}`,
      unsubscribeToken(w.config, id, 'new_event'),
    ];
    for (const other of forged) {
      expect(await revert(w, other)).toBe('404 not_found');
      expect(await outcomeOf(w.anyone.users.emailChange({ token: other }))).toBe('404 not_found');
    }
    w.later('9 minutes');
    expect(await confirm(ada, await codeTo(w, next))).toBe('ok');
    w.later('7 days');
    await deleteExpired(w.db, w.now());
    expect(await revert(w, token)).toBe('404 not_found');
    expect(await all(w.db, sql`select 1 from email_changes`)).toEqual([]);

    const bob = await w.person('Bob');
    await change(w, bob, bob.email, 'bob@example.org');
    w.later('167 hours');
    w.later('59 minutes');
    const bobs = await revertToken(w, bob.email);
    expect(await revert(w, bobs)).toBe('ok');
    expect(await revert(w, bobs)).toBe('404 not_found');
  });
});

describe('former email of an account [T39]', () => {
  test('is reserved for seven days: no login creates an account with it, and no code is sent to it', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const early = await freshCode(w, ada.email, 'login');
    await change(w, ada, ada.email, next);
    expect(await outcomeOf(w.anyone.auth.confirm({ email: ada.email, code: early }))).toBe('409 email_taken');

    w.later('2 minutes');
    await w.anyone.auth.login({ email: ada.email });
    const emailText = await newest(w, ada.email, /no longer|different email/);
    expect(codeIn(emailText as NonNullable<typeof emailText>)).toBe('no code');
    expect(linkIn(emailText?.text).searchParams.get('token')).toBe(await revertToken(w, ada.email, 3));
    const other = 'nobody@example.org';
    w.later('2 minutes');
    const responses = await Promise.all(
      [ada.email, other].map((email) => ask(w.origin, contracts.auth.login, { email })),
    );
    expect(responses[0]?.text).toBe(responses[1]?.text);
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: next }]);

    w.later('7 days');
    await w.anyone.auth.confirm({ email: ada.email, code: await freshCode(w, ada.email, 'login') });
    expect(await all(w.db, sql`select 1 from users`)).toHaveLength(2);
  });

  test('is reserved for seven days: only the account that gave it up can change back to it', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    await change(w, ada, ada.email, next);
    const requestedChange = await request(w, bob, bob.email, ada.email);
    expect(requestedChange.pending_email).toBe(ada.email);
    await newest(w, bob.email, /revert-email/);
    expect((await emailsTo(w, ada.email)).filter(({ text }) => text?.includes('email_code'))).toEqual([]);

    await change(w, ada, next, ada.email);
    expect((await ada.api.users.me({})).email).toBe(ada.email);
    await again(w, ada, ada.email);
  });

  test('is reserved for seven days: another account that requested it earlier cannot confirm the change [T39]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    await request(w, bob, bob.email, next);
    const bobs = await codeTo(w, next);
    await change(w, ada, ada.email, 'b@example.org');
    // Ada's account uses the address briefly, which reserves it for her.
    await request(w, ada, 'b@example.org', next);
    expect(await confirm(ada, await codeTo(w, next, 2))).toBe('ok');
    await change(w, ada, next, 'c@example.org');
    expect(await confirm(bob, bobs)).toBe('409 email_taken');
    expect((await bob.api.users.me({})).email).toBe(bob.email);
    expect(await revert(w, await revertToken(w, next))).toBe('ok');
  });

  test('is released when the account is deleted, which also invalidates the link', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await change(w, ada, ada.email, next);
    const token = await revertToken(w, ada.email);
    await ada.api.account.remove({ code: await freshCode(w, next, 'deletion') });
    for (const table of ['users', 'email_changes', 'login_codes', 'login_throttles'])
      expect(await all(w.db, sql`select * from ${sql.table(table)}`)).toEqual([]);
    expect(await revert(w, token)).toBe('404 not_found');
    expect(
      await outcomeOf(
        w.anyone.auth.confirm({ email: ada.email, code: await freshCode(w, ada.email, 'login') }),
      ),
    ).toBe('ok');
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: ada.email }]);
  });

  test('cannot be used to delete or export the account: a code sent to it before the change is refused', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const code = await freshCode(w, ada.email);
    await change(w, ada, ada.email, next);
    expect(await outcomeOf(ada.api.account.export({ code }))).toBe('400 wrong_code');
    expect(await outcomeOf(ada.api.account.remove({ code }))).toBe('400 wrong_code');
  });
});
