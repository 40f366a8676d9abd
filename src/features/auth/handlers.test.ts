import { describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { contracts } from '#features/contracts.ts';
import { updateUser } from '#features/auth/store.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf } from '#test/calls.ts';
import { codeIn, memorySession, isolatedWorld, world, type World } from '#test/world.ts';

const count = async (w: World, table: string): Promise<number> =>
  (await first(w.db, sql<{ count: number }>`select count(*) from ${sql.table(table)}`))?.count ?? -1;

/** Requests a code and reads it from the email. */
async function codeFor(w: World, email: string, earlier = 0): Promise<string> {
  await w.anyone.auth.login({ email });
  return codeIn(await w.mail(email, earlier));
}

const linkIn = (text: string | undefined) => new URL(/http\S+/.exec(text ?? '')?.[0] ?? 'none:');
/** The outcome of a confirmation. Retries on 503, because a busy machine sheds load. */
async function confirm(w: World, email: string, code: string): Promise<string> {
  const outcome = await outcomeOf(w.anyone.auth.confirm({ email, code }));
  return outcome === '503 unavailable' ? confirm(w, email, code) : outcome;
}
const repeat = <T>(times: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, n) => work(n)));

/** Sends well-formed wrong codes sequentially. */
async function guess(w: World, email: string, times: number): Promise<string[]> {
  const outcomes: string[] = [];
  for (let n = 0; n < times; n++) outcomes.push(await confirm(w, email, '222222'));
  return outcomes;
}

const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length / 2] ?? Number.NaN;

const wrong = '400 wrong_code';
const email = 'ada@example.org';

describe('login code', () => {
  test('logs in once [LOGIN-01 AUTH-06 AUTH-07 API-06 API-07]', async () => {
    await using w = await world();
    const response = await w.anyone.auth.login({ email });
    expect(response.from).toContain('no-reply@muster.test');
    const code = codeIn(await w.mail(email));
    expect(code).toMatch(/^[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{6}$/);
    const session = memorySession();
    const api = w.client(session);
    session.write(
      await api.auth.confirm({ email, code: `${code.slice(0, 3)} ${code.slice(3)}`.toLowerCase() }),
    );
    expect((await api.users.me({})).email).toBe(email);
    const token = session.read()?.RefreshToken.Token ?? '';
    session.write(await w.anyone.auth.refresh({ token }));
    expect((await api.users.me({})).email).toBe(email);
    expect(await confirm(w, email, code)).toBe(wrong);
  });

  test('comes with a link that contains the address, a long code and the return path [LOGIN-33 API-06]', async () => {
    await using w = await world();
    await w.anyone.auth.login({ email, rUrl: '/app/clubs/rowers?a=1' });
    const mail = await w.mail(email);
    const link = linkIn(mail.text);
    expect(link.origin + link.pathname).toBe('http://muster.test/confirm');
    expect(link.searchParams.get('rUrl')).toBe('/app/clubs/rowers?a=1');
    expect(link.searchParams.get('email')).toBe(email);
    const long = link.searchParams.get('code') ?? '';
    expect(long.length).toBeGreaterThanOrEqual(32);
    expect(mail.html).toContain(link.href.replaceAll('&', '&amp;'));
    expect(await confirm(w, email, long)).toBe('ok');
    expect(await confirm(w, email, long)).toBe(wrong);
    expect(await confirm(w, email, codeIn(mail))).toBe(wrong);
  });

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/%09/evil.example',
  ])('omits the unsafe return path %s from the link', async (rUrl) => {
    await using w = await world();
    await w.anyone.auth.login({ email, rUrl });
    expect(linkIn((await w.mail(email)).text).searchParams.has('rUrl')).toBe(false);
  });

  test('expires after ten minutes', async () => {
    await using w = await world();
    const code = await codeFor(w, email);
    w.later('599 seconds');
    const second = await codeFor(w, email, 1);
    w.later('1 second');
    expect(await confirm(w, email, code)).toBe(wrong);
    expect(await confirm(w, email, second)).toBe('ok');
  });

  test('expires when three newer codes are live', async () => {
    await using w = await world();
    const codes: string[] = [];
    for (let n = 0; n < 4; n++) {
      codes.push(await codeFor(w, email, n));
      w.later('61 seconds');
    }
    expect(await confirm(w, email, codes[0] as string)).toBe(wrong);
    for (const code of codes.slice(1)) expect(await confirm(w, email, code)).toBe('ok');
  });

  test('expires at the fifth wrong guess; a wrong code is never a 401', async () => {
    await using w = await world();
    const code = await codeFor(w, email);
    expect(await guess(w, email, 4)).toEqual([wrong, wrong, wrong, wrong]);
    const other = 'bob@example.org';
    const bobs = await codeFor(w, other);
    expect(await guess(w, other, 5)).toEqual(Array(5).fill(wrong));
    expect(await confirm(w, other, bobs)).toBe(wrong);
    expect(await confirm(w, email, bobs)).toBe(wrong);
    expect(await confirm(w, 'nobody@example.org', code)).toBe(wrong);
    expect(await confirm(w, email, code)).toBe(wrong);
  });

  test('works after four wrong guesses and then resets the throttle', async () => {
    await using w = await world();
    const code = await codeFor(w, email);
    await guess(w, email, 4);
    expect(await confirm(w, email, code)).toBe('ok');
    expect(await count(w, 'login_throttles')).toBe(0);
  });

  test('appears only in the email, not in a response or a row of the database [T7]', async () => {
    await using w = await world();
    const response = await ask(w.origin, contracts.auth.login, { email });
    const mail = await w.mail(email);
    const [short, long] = [codeIn(mail), linkIn(mail.text).searchParams.get('code') ?? ''];
    const rows = await all(w.db, sql<{ row: string }>`select t::text as row from login_codes t`);
    for (const secret of [short, long]) {
      const seen = response.text + JSON.stringify([...response.headers]) + JSON.stringify(rows);
      expect(seen).not.toContain(secret);
    }
  });

  test('logs in one of fifty concurrent requests and starts one session', async () => {
    await using w = await world();
    const code = await codeFor(w, email);
    const outcomes = await repeat(50, () => confirm(w, email, code));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === wrong)).toHaveLength(49);
    expect(await count(w, 'sessions')).toBe(1);
    expect(await count(w, 'users')).toBe(1);
  });

  test('logs in to the same account with an internationalised domain and its ASCII form [ROBUST-12]', async () => {
    await using w = await world();
    const ascii = "o'brien+{x}@xn--mller-kva.de";
    const inWords = ["O'Brien+{x}@müller.de", "o'brien+{x}@MU\u0308LLER.de", ascii];
    for (const [nth, address] of inWords.entries()) {
      await w.anyone.auth.login({ email: address });
      expect(await confirm(w, address, codeIn(await w.mail(ascii, nth)))).toBe('ok');
      w.later('2 minutes');
    }
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: ascii }]);
  });

  test('is rejected for look-alikes of the address [C17]', async () => {
    await using w = await world();
    const code = await codeFor(w, 'kim.s@example.org');
    for (const alike of ['\u212Aim.s@example.org', 'kim.\u017F@example.org', 'kım.s@example.org'])
      expect(await confirm(w, alike, code)).toMatch(/^400 bad_input$/);
    // A Cyrillic letter makes another internationalised domain.
    expect(await confirm(w, 'kim.s@exаmple.org', code)).toBe(wrong);
    expect(await confirm(w, 'KIM.S@Example.ORG', code)).toBe('ok');
    expect(await count(w, 'users')).toBe(1);
  });
});

describe('wrong guesses', () => {
  test('lock short codes, including new ones, after 25 per hour; the link still works [T1]', async () => {
    await using w = await world();
    await codeFor(w, email);
    expect(await guess(w, email, 25)).toEqual(Array(25).fill(wrong));
    w.later('61 seconds');
    const fresh = await codeFor(w, email, 1);
    const refused = await ask(w.origin, contracts.auth.confirm, { email, code: fresh });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3500);
    expect(wait).toBeLessThanOrEqual(3539);
    const capitals = await ask(w.origin, contracts.auth.confirm, { email: 'ADA@example.org', code: fresh });
    expect(capitals.status).toBe(429);
    expect(
      (await ask(w.origin, contracts.auth.confirm, { email: 'bob@example.org', code: fresh })).status,
    ).toBe(400);

    const long = linkIn((await w.mail(email, 1)).text).searchParams.get('code') ?? '';
    expect(await confirm(w, email, long)).toBe('ok');
    expect(await confirm(w, email, fresh)).toBe(wrong);
  });

  test('are counted per target address across all networks [T1]', async () => {
    await using w = await isolatedWorld({ TRUST_PROXY: 'on', LIMITS_PER_ADDRESS: 'on' });
    const code = await codeFor(w, email);
    const from = async (network: number, guessed: string) => {
      const address = network % 2 ? `198.51.100.${network}` : `2001:db8:${network}::1`;
      const written = network % 3 ? email : email.toUpperCase();
      const query = new URLSearchParams({ email: written, code: guessed });
      const response = await fetch(`${w.origin}/api/v1/auth/confirm?${query}`, {
        headers: { 'x-forwarded-for': `203.0.113.${network}, ${address}` },
      });
      return response.status;
    };
    for (let network = 0; network < 25; network++) expect(await from(network, '222222')).toBe(400);
    expect(await from(25, '222222')).toBe(429);
    expect(await from(26, code)).toBe(429);
  });

  test('are allowed again after the hour', async () => {
    await using w = await world();
    await guess(w, email, 25);
    w.later('1 hour');
    expect(await confirm(w, email, await codeFor(w, email))).toBe('ok');
  });

  test('are counted exactly when sent concurrently', async () => {
    await using w = await world();
    await codeFor(w, email);
    const attempt = async (): Promise<number> => {
      const { status } = await ask(w.origin, contracts.auth.confirm, { email, code: '222222' });
      return status === 503 ? attempt() : status;
    };
    const statuses = await repeat(50, attempt);
    expect(statuses.filter((status) => status === 400)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(25);
    const guard = sql<{
      wrong_this_hour: number;
    }>`select wrong_this_hour from login_throttles where email = ${email}`;
    expect(await first(w.db, guard)).toEqual({ wrong_this_hour: 25 });
  });

  test('lock short codes for a day after a hundred in a row; the link still works', async () => {
    await using w = await world();
    for (let hour = 0; hour < 4; hour++) {
      await guess(w, email, 25);
      w.later('61 minutes');
    }
    const code = await codeFor(w, email);
    const refused = await ask(w.origin, contracts.auth.confirm, { email, code });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(22 * 3600);
    const long = linkIn((await w.mail(email)).text).searchParams.get('code') ?? '';
    expect(await confirm(w, email, long)).toBe('ok');
  });
});

const sent = (w: World) => count(w, 'login_codes');

/**
 * Requests a code as if through a proxy, from this client address, and returns the status. Waits until the email has
 * been sent: if a test advanced the clock earlier, the code would expire and its email would be dropped.
 */
const loginFrom = async (w: World, address: string): Promise<number> => {
  const headers = { 'x-forwarded-for': `203.0.113.250, ${address}` };
  const { status } = await ask(w.origin, contracts.auth.login, { email }, undefined, headers);
  await expect.poll(() => all(w.db, sql`select from jobs where name = 'send_email'`)).toEqual([]);
  return status;
};

describe('code request', () => {
  test('sends at most six codes an hour and twenty a day per network [T9]', async () => {
    await using w = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
    const askAgain = async (times: number, span: string) => {
      for (let n = 0; n < times; n++) {
        await w.anyone.auth.login({ email });
        w.later(span);
      }
    };
    await askAgain(2, '29 seconds');
    expect(await sent(w)).toBe(1);
    await askAgain(10, '61 seconds');
    expect(await sent(w)).toBe(6);
    w.later('1 hour');
    for (let hour = 0; hour < 4; hour++) {
      await askAgain(6, '61 seconds');
      w.later('1 hour');
    }
    expect(await sent(w)).toBe(20);
    w.later('1 day');
    await askAgain(1, '1 second');
    expect(await sent(w)).toBe(21);
  });

  test('keeps the limits of networks separate [T9]', async () => {
    await using w = await isolatedWorld({ TRUST_PROXY: 'on', LIMITS_PER_ADDRESS: 'on' });
    // Addresses of one IPv6 /64 count as one network, and client-supplied proxy headers are ignored.
    for (let hour = 0; hour < 5; hour++)
      for (let n = 0; n < 8; n++) {
        expect(await loginFrom(w, `2001:db8:0:1::${n + 1}`)).toBe(200);
        w.later(n < 7 ? '61 seconds' : '1 hour');
      }
    expect(await sent(w)).toBe(20);
    await loginFrom(w, '2001:db8:0:1::99');
    expect(await sent(w)).toBe(20);
    await loginFrom(w, '198.51.100.7');
    expect(await confirm(w, email, codeIn(await w.mail(email, 20)))).toBe('ok');
    const rows = await all(w.db, sql<{ row: string }>`select t::text as row from login_codes t`);
    expect(JSON.stringify(rows)).not.toMatch(/2001:db8|198\.51|127\.0/);
  });

  test('sends forty codes a day across all networks, then one every 15 minutes [T9]', async () => {
    await using w = await isolatedWorld({ TRUST_PROXY: 'on', LIMITS_PER_ADDRESS: 'on' });
    let network = 0;
    const askAgain = async (times: number, span: string) => {
      for (let n = 0; n < times; n++) {
        expect(await loginFrom(w, `198.51.100.${network++}`)).toBe(200);
        w.later(span);
      }
    };
    await askAgain(60, '61 seconds');
    // The 41st is sent once the 40th is 15 minutes old.
    expect(await sent(w)).toBe(41);
    w.later('15 minutes');
    await askAgain(14, '61 seconds');
    expect(await sent(w)).toBe(42);
    w.later('1 minute');
    await loginFrom(w, '203.0.113.1');
    expect(await confirm(w, email, codeIn(await w.mail(email, 42)))).toBe('ok');
    w.later('1 day');
    await askAgain(3, '61 seconds');
    expect(await sent(w)).toBe(46);
  });

  test('sends forty codes a day, then one every 15 minutes, if the limits per network are off', async () => {
    await using w = await world();
    for (let n = 0; n < 56; n++) {
      await w.anyone.auth.login({ email });
      w.later('61 seconds');
    }
    expect(await sent(w)).toBe(41);
  });

  test('sends one email for twenty concurrent requests', async () => {
    await using w = await world();
    await repeat(20, () => w.anyone.auth.login({ email }));
    expect(await sent(w)).toBe(1);
  });

  test('returns when the code was sent, when the next code can be sent and how long the code is valid [UX-19]', async () => {
    await using w = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
    const status = () => w.anyone.auth.login({ email });
    expect(await status()).toMatchObject({ sent_ago: 0, next_in: 60, good_for: 600 });
    w.later('20 seconds');
    const { from, ...again } = await status();
    expect(from).toContain('no-reply@muster.test');
    for (const [key, seconds] of [
      ['sent_ago', 20],
      ['next_in', 40],
      ['good_for', 580],
    ] as const)
      expect(Math.abs(again[key] - seconds), key).toBeLessThanOrEqual(5);
    expect(await sent(w)).toBe(1);
    await guess(w, email, 5);
    expect(await status()).toMatchObject({ good_for: 0 });
    expect(await sent(w)).toBe(1);
    w.later('1 minute');
    expect(await status()).toMatchObject({ sent_ago: 0, next_in: 60, good_for: 600 });
    expect(await confirm(w, email, codeIn(await w.mail(email, 1)))).toBe('ok');
    for (let n = 0; n < 4; n++) {
      w.later('61 seconds');
      await status();
    }
    // The seventh code of the hour is not sent.
    w.later('11 minutes');
    const refused = await status();
    expect([await sent(w), refused.good_for]).toEqual([6, 0]);
    expect(refused.sent_ago).toBeGreaterThanOrEqual(660);
    expect(refused.next_in).toBeGreaterThan(2000);
  });

  test('gets the same response for known and unknown addresses, whatever their languages are [T8 LANG-08]', async () => {
    await using w = await world();
    const { id, email: registered } = await w.person('Ada');
    await updateUser(w.db, id, { language: 'de' });
    w.later('2 minutes');
    const responses = await Promise.all(
      [registered, 'nobody@example.org', registered, 'nobody@example.org'].map(async (email) => {
        const { status, headers, text } = await ask(w.origin, contracts.auth.login, { email }, undefined, {
          'accept-language': 'en',
        });
        const kept = [...headers].filter(([name]) => name !== 'date');
        // The seconds depend on when each request was handled, so they are compared with a tolerance.
        const [sentAgo, nextIn, goodFor] = (text.match(/\d+(?=[,}])/g) ?? []).map(Number);
        for (const [seconds = -1, expected] of [
          [sentAgo, 0],
          [nextIn, 60],
          [goodFor, 600],
        ] as const)
          expect(Math.abs(seconds - expected)).toBeLessThanOrEqual(3);
        return { status, text: text.replaceAll(/(_ago|_in|_for)":\d+/g, '$1'), headers: kept };
      }),
    );
    for (const response of responses) expect(response).toEqual(responses[0]);
  });

  test('takes the same time for known and unknown addresses, whatever their languages are [T8 LANG-08]', async () => {
    await using w = await world();
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let nth = 0; nth < 60; nth++)
      await run(
        w.db,
        sql`insert into users (id, email, language, calendar_secret, created_at)
            values (gen_random_uuid(), ${`known-${nth}@example.org`}, 'de', ${`secret-${nth}`}, now())`,
      );
    // Two requests per address, because the second one finds a recent code. Known and unknown addresses alternate, so
    // that other load on the machine affects both equally.
    for (let nth = 0; nth < 120; nth++)
      for (const kind of ['known', 'unknown'] as const) {
        const started = performance.now();
        await ask(w.origin, contracts.auth.login, { email: `${kind}-${nth % 60}@example.org` });
        times[kind].push(performance.now() - started);
      }
    expect(Math.abs(median(times.known) - median(times.unknown))).toBeLessThan(10);
    expect(await sent(w)).toBe(120);
  });

  test('creates no account; the first confirmed code creates it [T4]', async () => {
    await using w = await world();
    const code = await codeFor(w, email);
    await guess(w, email, 1);
    for (const table of ['users', 'sessions', 'members']) expect(await count(w, table)).toBe(0);
    expect(await confirm(w, email, code)).toBe('ok');
    expect(await count(w, 'users')).toBe(1);
  });

  test('is limited to thirty an hour per network [T2]', async () => {
    await using w = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
    const login = (n: number) => ask(w.origin, contracts.auth.login, { email: `n${n}@example.org` });
    const statuses = (await repeat(32, login)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(await sent(w)).toBe(30);
    const refused = await login(99);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
  });

  test('is refused for an invalid address', async () => {
    await using w = await world();
    for (const email of [
      '',
      'ada',
      'ada@',
      '@example.org',
      'ada@example',
      'a b@example.org',
      'a\r\nBcc: b@example.org',
      `${'a'.repeat(250)}@example.org`,
    ])
      expect((await ask(w.origin, contracts.auth.login, { email })).status).toBe(400);
    expect(await count(w, 'login_throttles')).toBe(0);
  });
});

test('confirm: changes no other user and takes over no existing account [T5]', async () => {
  await using w = await world();
  const ada = await w.person('Ada', 'Byron');
  const before = await all(w.db, sql`select * from users`);
  expect(await confirm(w, ada.email.toUpperCase(), await codeFor(w, ada.email))).toBe('ok');
  expect(await all(w.db, sql`select * from users`)).toEqual(before);
});

test('confirm: fifty concurrent first logins with three codes create one account', async () => {
  await using w = await world();
  const codes: string[] = [];
  for (let n = 0; n < 3; n++) {
    codes.push(await codeFor(w, email, n));
    w.later('61 seconds');
  }
  const outcomes = await repeat(50, (n) => confirm(w, email, codes[n % 3] as string));
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(3);
  expect(await count(w, 'users')).toBe(1);
});
