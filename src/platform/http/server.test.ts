import { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { all, first, sql } from '#platform/db/client.ts';
import { openDatabaseSnapshot } from '#test/database-snapshot.ts';
import { rawExchange, expectError, expectSafe, parsed } from '#test/wire.ts';
import { codeIn, isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let club: ClubHandle;
let snapshot: Awaited<ReturnType<typeof openDatabaseSnapshot>>;
/** Opened before the other tests, because the server waits ten seconds before it closes an idle connection. */
let idleConnection: Promise<string>;

beforeAll(async () => {
  w = await world();
  idleConnection = rawExchange(w.origin, '');
  ada = await w.person('Ada');
  club = await w.club([ada]);
  snapshot = await openDatabaseSnapshot(w.db);
});
afterAll(() => w[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const bearer = () => ({ authorization: `Bearer ${ada.session.read()?.AccessToken.Token}` });

async function send(
  line: string,
  { headers = json, body }: { headers?: object; body?: string | Buffer<ArrayBuffer> } = {},
) {
  const [method, path] = line.split(' ') as [string, string];
  const response = await fetch(w.origin + path, {
    method,
    headers: { ...bearer(), ...headers },
    body: body ?? null,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('bad input: rejected with an error envelope, without a write [T34]', () => {
  const bodies: [what: string, body: string | Buffer<ArrayBuffer>, status: number][] = [
    ['a number for a string', '{"club_name": 5}', 400],
    ['null for a string', '{"club_name": null}', 400],
    ['an object for a string', '{"club_name": {"toString": "x"}}', 400],
    ['a missing field', '{}', 400],
    ['an empty string', '{"club_name": "  "}', 400],
    ['a string above the limit', JSON.stringify({ club_name: 'x'.repeat(81) }), 400],
    ['an array', '[{"club_name": "x"}]', 400],
    ['a bare string', '"x"', 400],
    ['a bare null', 'null', 400],
    ['broken JSON', '{"club_name": "x"', 400],
    ['no body at all', '', 400],
    ['a NUL character', '{"club_name": "a\\u0000b"}', 400],
    ['a lone surrogate', '{"club_name": "a\\ud800b"}', 400],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ['20,000 levels', `{"club_name": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400],
    ['33 levels', `{"club_name": "x", "more": ${'['.repeat(32)}${']'.repeat(32)}}`, 400],
    ['70 kB', JSON.stringify({ club_name: 'x', more: 'y'.repeat(70_000) }), 413],
  ];
  test.each(bodies)('%s in a body', async (_what, body, status) => {
    const before = await snapshot.state();
    const response = await send('POST /api/v1/clubs', { body });
    expectError(response);
    expect(response.status).toBe(status);
    expect(await snapshot.state()).toBe(before);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'a/b/c',
    '',
  ])('the content type "%s"', async (type) => {
    const before = await snapshot.state();
    const response = await send('POST /api/v1/clubs', {
      headers: { 'content-type': type },
      body: 'club_name=x',
    });
    expectError(response);
    expect([400, 415]).toContain(response.status);
    expect(await snapshot.state()).toBe(before);
  });

  const addresses: [line: string, status: number][] = [
    ['GET /api/v1/clubs/nobody-has-this', 404],
    ['GET /api/v1/clubs/5d0b7a52-4ad6-4a0c-9a37-60b6a3c9e111', 404],
    ['GET /api/v1/clubs/%00', 400],
    ['GET /api/v1/clubs/%ff', 400],
    ['GET /api/v1/clubs/%zz', 400],
    ['GET /%zz', 400],
    [`GET /api/v1/clubs/${'x'.repeat(600)}`, 404],
    [`GET /api/v1/users?${'x'.repeat(9000)}`, 200],
    ['GET /api/v1/events/__proto__', 404],
    ['GET /api/v1/nothing', 404],
    ['GET /api', 404],
    ['POST /', 404],
    ['GET /..%2f..%2fpackage.json', 404],
    ['GET /assets/../../package.json', 400],
    ['GET /api/v1/auth/login', 400],
    ['GET /api/v1/auth/login?email=a@example.org&email=b@example.org', 400],
    ['GET /api/v1/auth/login?email[]=a@example.org', 400],
    ['GET /api/v1/auth/refresh?token=------------------------------------', 401],
    ['GET /api/v1/auth/refresh?token=%00', 400],
    ['PUT /api/v1/clubs/x/eject/not-an-id', 400],
    ['TRACE /api/v1/users', 404],
    ['PROPFIND /api/v1/users', 404],
  ];
  test.each(addresses)('the request line $0', async (line, status) => {
    const before = await snapshot.state();
    const [method, path] = line.split(' ') as [string, string];
    const written = await rawExchange(
      w.origin,
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${bearer().authorization}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${method === 'GET' ? 0 : 2}\r\n\r\n${method === 'GET' ? '' : '{}'}`,
    );
    const response = parsed(written);
    expect(response.status, line).toBe(status);
    if (status >= 400) expectError(response);
    expect(await snapshot.state()).toBe(before);
  });

  test.each([
    ['malformed HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['a header of 20 kB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 413],
    ['a URL of 20 kB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 413],
    [
      'two Content-Length headers',
      'POST /api/v1/clubs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
    ],
    [
      'a Content-Type without a body',
      'POST /api/v1/clubs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n',
      400,
    ],
    [
      'Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      400,
    ],
  ])('%s', async (_what, bytes, status) => {
    const response = parsed(await rawExchange(w.origin, bytes));
    expect(response.status).toBe(status);
    expectError(response);
  });

  test.each([
    'Bearer',
    'Bearer a b',
    'Basic YTpi',
    `Bearer ${'x'.repeat(5000)}`,
    'Bearer ü',
    'bearer null',
    '',
  ])('the authorization "$0"', async (authorization) => {
    const response = await send('GET /api/v1/users', { headers: { authorization } });
    expect(response.status).toBe(401);
    expectError(response);
  });
});

test('read-only and prototype fields: ignored in the input of every writing endpoint [T14]', async () => {
  const [secret] = await all(w.db, sql<{ calendar_secret: string }>`select calendar_secret from users`);
  const id = '5d0b7a52-4ad6-4a0c-9a37-60b6a3c9e111';
  const privileged = `"id": "${id}", "role": 200, "club_role": 200, "is_admin": true, "slug": "mine", "user_id": "${id}",
    "ical_feed_url_id": "mine", "calendar_secret": "mine", "created_at": "2000-01-01T00:00:00Z", "deleted_at": "2000-01-01T00:00:00Z",
    "user_count": 99, "owner_club_id": "${id}", "creator_id": "${id}", "sequence": 9, "pending_email": "e@example.org",
    "__proto__": {"club_role": 200}, "constructor": {"prototype": {"club_role": 200}}`;
  const bob = await w.person('Bob');
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  const event = await w.event(club, ada);
  const asBob = { headers: { ...json, authorization: `Bearer ${bob.session.read()?.AccessToken.Token}` } };
  for (const [line, body, more] of [
    ['PATCH /api/v1/users', '"first_name": "Ada"', {}],
    ['POST /api/v1/clubs', '"club_name": "Chess"', {}],
    [`PATCH /api/v1/clubs/${club.id}`, '"club_name": "Harbour Rowers"', {}],
    [`POST /api/v1/invite-links/join/${invite_link}`, '"first_name": "Bob"', asBob],
    [`POST /api/v1/updates/${club.id}`, '"content": "News"', {}],
    [`POST /api/v1/events/${event.id}/attend`, '"attendee_role": "organiser"', asBob],
  ] as const) {
    const response = await send(line, { body: `{${body}, ${privileged}}`, ...more });
    expect({ line, ok: response.status < 300 }).toEqual({ line, ok: true });
  }
  const rows = sql<{ rows: string }>`
    select concat((select json_agg(t) from users t), (select json_agg(t) from clubs t), (select json_agg(t) from events t),
      (select json_agg(t) from club_updates t), (select json_agg(t) from members t), (select json_agg(t) from answers t)) as rows`;
  const stored = (await first(w.db, rows))?.rows ?? '';
  expect(stored).toContain(secret?.calendar_secret);
  expect(stored).not.toMatch(/"mine"|2000-01-01|5d0b7a52|"e@example\.org/);
  const roles = sql<{ club_role: number }>`select club_role from members where user_id = ${bob.id}`;
  expect(await all(w.db, roles)).toEqual([{ club_role: 0 }]);
  expect(({} as { club_role?: number }).club_role).toBeUndefined();
  expect((await snapshot.changedUsers()).filter((id) => id !== ada.id)).toEqual([]);
});

test('deeply nested body: bad_input, even with an Idempotency-Key [T35]', async () => {
  // Removes the pending emails of earlier tests, which jobs would otherwise send during this test.
  await snapshot.restore();
  const before = await snapshot.state();
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const body = `{"club_name": "x", "more": ${open.repeat(10_000)}1${close.repeat(10_000)}}`;
    const response = await send('POST /api/v1/clubs', {
      headers: { ...json, 'idempotency-key': 'deep' },
      body,
    });
    expect(expectError(response)).toMatchObject({ status: 400, error: 'bad_input' });
  }
  expect(await snapshot.state()).toBe(before);
  const allowed = `{"club_name": "Nest", "more": ${'['.repeat(31)}${']'.repeat(31)}}`;
  expect((await send('POST /api/v1/clubs', { body: allowed })).status).toBe(200);
});

test.each(['GET /api/v1/users', 'GET /api/openapi.json', 'POST /api/v1/clubs'])(
  'response to %s that cannot be written: 500, and the server keeps running [T35]',
  async (line) => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', record);
    const body = line.startsWith('POST') ? { body: '{"club_name": "Rowers"}' } : {};
    // Node throws this for an invalid header value.
    vi.spyOn(ServerResponse.prototype, 'writeHead').mockImplementationOnce(() => {
      throw new TypeError('Invalid character in header content');
    });
    const response = await Promise.race([send(line, body), sleep(2000)]);
    process.off('unhandledRejection', record);
    expect(unhandled).toEqual([]);
    expect(response && expectError(response).error).toBe('broken');
    expect((await send(line, body)).status).toBe(200);
  },
);

async function askAs(host: string, origin: string, path: string, more = '') {
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;
  return parsed(await rawExchange(origin, request));
}

describe('a request for another host', () => {
  const paths = [
    '/',
    '/app',
    '/icon.svg',
    '/api/v1/users',
    '/api/openapi.json',
    '/api/v1/ws/notifications',
    '/nothing',
  ];

  test('gets 421 when PUBLIC_URL is set, except for health checks [T26]', async () => {
    await using mine = await isolatedWorld({
      PUBLIC_URL: 'https://Muster.example',
      ALLOWED_HOSTS: 'old.example, 192.0.2.4,bücher.example',
    });
    const foreignHosts = [
      'evil.example',
      'muster.example.evil.example',
      'x@muster.example',
      '192.0.2.5',
      '[::2]',
      '',
    ];
    for (const host of foreignHosts) {
      for (const path of paths) {
        const response = await askAs(host, mine.origin, path, 'X-Forwarded-Host: muster.example\r\n');
        expect({ host, path, status: response.status }).toEqual({ host, path, status: 421 });
        expect(expectError(response).error).toBe('unknown_host');
      }
      for (const path of ['/healthz', '/readyz'])
        expect((await askAs(host, mine.origin, path)).status).toBe(200);
    }
    const own = ['muster.example', 'MUSTER.example:443', 'muster.example.', 'old.example:8080', '192.0.2.4'];
    for (const host of [...own, 'xn--bcher-kva.example', 'localhost:5173', '127.0.0.1', '[::1]:3000'])
      for (const path of paths) {
        const { status } = await askAs(host, mine.origin, path);
        expect({ host, path, isServed: status !== 421 }).toEqual({ host, path, isServed: true });
      }
  });

  test('is served when PUBLIC_URL is empty', async () => {
    await using mine = await isolatedWorld({ PUBLIC_URL: '' });
    expect((await askAs('anything.example', mine.origin, '/')).status).toBe(200);
  });
});

test('idle connection: closed without a 408, because browsers would take the 408 for the response to their next request [T34]', async () => {
  expect(await idleConnection).toBe('');
}, 40_000);

test('unsupported method: 405 with an Allow header', async () => {
  for (const [line, allow] of [
    ['DELETE /api/v1/clubs', 'POST'],
    ['POST /api/v1/users', 'GET, PATCH, DELETE'],
    ['OPTIONS /api/v1/auth/login', 'GET'],
    ['HEAD /api/v1/users', 'GET, PATCH, DELETE'],
  ] as const) {
    const response = await send(line, { headers: {} });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    if (!line.startsWith('HEAD')) expectError(response);
  }
});

test('HEAD: has no side effects and does not use up a login code [T6]', async () => {
  const email = 'head@example.org';
  await w.anyone.auth.login({ email });
  const code = codeIn(await w.mail(email));
  const before = await snapshot.state();
  expect((await send(`HEAD /api/v1/auth/confirm?email=${email}&code=${code}`)).status).toBe(405);
  expect((await send(`GET /confirm?email=${email}&code=${code}`)).status).toBeLessThan(500);
  expect((await send(`HEAD /confirm?email=${email}&code=${code}`)).status).toBeLessThan(500);
  expect(await snapshot.state()).toBe(before);
  await w.anyone.auth.confirm({ email, code });
});

test('HEAD of a document: sends the headers of GET without a body, and 304 when the ETag matches', async () => {
  const { ical_feed_url_id: secret } = await ada.api.users.me({});
  const path = `/api/v1/users/${secret}/ical/calendar.ics`;
  const of = ({ status, headers, text }: Awaited<ReturnType<typeof send>>) => {
    // Connection headers may differ.
    const { date: _, connection: _c, 'keep-alive': _k, ...head } = Object.fromEntries(headers);
    return { status, head, text };
  };
  const [get, head] = [of(await send(`GET ${path}`)), of(await send(`HEAD ${path}`))];
  expect(get.text).toContain('BEGIN:VCALENDAR');
  expect(head).toEqual({ ...get, text: '' });
  for (const method of ['GET', 'HEAD']) {
    const unmodified = await send(`${method} ${path}`, { headers: { 'if-none-match': get.head['etag'] } });
    expect([unmodified.status, unmodified.text, unmodified.headers.get('etag')]).toEqual([
      304,
      '',
      get.head['etag'],
    ]);
  }
});

test('JSON response: an envelope that repeats the HTTP status [API-02 API-03 CONST-14]', async () => {
  const ok = await send('GET /api/v1/users');
  expect(ok.status).toBe(200);
  expect(JSON.parse(ok.text)).toEqual({
    data: expect.objectContaining({ id: ada.id }),
    status: 200,
    error: null,
  });
  const made = await send(`POST /api/v1/updates/${club.id}`, { body: '{"content": "Hello"}' });
  expect(made.status).toBe(201);
  expect(JSON.parse(made.text)).toMatchObject({ status: 201, error: null });
});

test.each(['http://muster.test', 'https://muster.test'])(
  'responses of %s: all have the security headers [PRIV-19 T30]',
  async (PUBLIC_URL) => {
    await using mine = await isolatedWorld({ PUBLIC_URL });
    const eve = await mine.person('Eve');
    const token = { authorization: `Bearer ${eve.session.read()?.AccessToken.Token}` };
    const secret = (await eve.api.users.me({})).ical_feed_url_id;
    for (const path of [
      '/',
      '/app',
      '/confirm?email=a&code=b',
      '/no-such-page',
      '/icon.svg',
      '/assets/no-such-file.js',
      '/healthz',
      '/readyz',
      '/api/openapi.json',
      '/api/nothing',
      '/api/v1/users',
      '/api/v1/clubs/none',
      '/api/v1/auth/login?email=x@example.org',
      '/api/v1/auth/refresh?token=x',
      '/%zz',
      `/api/v1/users/${secret}/ical/calendar.ics`,
    ]) {
      for (const headers of [{}, token]) {
        const response = await fetch(mine.origin + path, { headers });
        expectSafe(response);
        expect(response.status).toBeLessThan(500);
        expect(response.headers.get('strict-transport-security')).toBe(
          PUBLIC_URL.startsWith('https') ? 'max-age=31536000' : null,
        );
        if (path.startsWith('/api/v1') && !path.endsWith('.ics'))
          expect(response.headers.get('cache-control')).toBe('no-store');
        if (path.endsWith('.ics')) expect(response.headers.get('cache-control')).toContain('private');
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
    }
  },
);

const max = 1200;

afterEach(() => void vi.useRealTimers());

/** Sends one request more than a network may send per minute and returns the distinct statuses. */
async function flood(origin: string, from: (n: number) => string): Promise<Set<number>> {
  const statuses: number[] = [];
  // Freeze the clock: on a busy machine the requests take longer than the window of a minute.
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let n = 0; n <= max; n += 100) {
    const requests = Array.from({ length: n < max ? 100 : 1 }, async (_, i) => {
      const response = await fetch(`${origin}/icon.svg`, {
        headers: { 'x-forwarded-for': from(n + i) },
      });
      return response.status;
    });
    statuses.push(...(await Promise.all(requests)));
  }
  return new Set(statuses);
}

test('rate limit: 429 with Retry-After per network, regardless of forged forwarding headers [T2]', async () => {
  await using mine = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on', TRUST_PROXY: 'on' });
  const limited = new Set([200, 429]);
  expect(await flood(mine.origin, (n) => `10.0.0.${n}, 192.0.2.1`)).toEqual(limited);
  expect(await flood(mine.origin, (n) => `2001:db8::${n}`)).toEqual(limited);
  expect(await flood(mine.origin, (n) => `2001:db8:1:0:${n}::`)).toEqual(limited);
  expect(await flood(mine.origin, (n) => `192.0.3.${n}`)).toEqual(new Set([200]));
  for (const from of ['1:2:3:4:5:6:7:8:9:10', ':::', '%', '::1%eth0', '[', '[]:1', '1:2']) {
    const response = await fetch(`${mine.origin}/icon.svg`, { headers: { 'x-forwarded-for': from } });
    expect(response.status).toBe(200);
  }
  const refused = await fetch(`${mine.origin}/icon.svg`, { headers: { 'x-forwarded-for': '192.0.2.1' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const { status, headers } = refused;
  expect(expectError({ status, headers, text: await refused.text() }).error).toBe('too_often');
});

test('rate limit: ports and IPv4-mapped IPv6 addresses count as the same network [T2]', async () => {
  await using mine = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on', TRUST_PROXY: 'on' });
  const notations: ((n: number) => string)[] = [
    () => '198.51.100.7',
    (n) => `198.51.100.7:${1024 + n}`,
    () => '::ffff:198.51.100.7',
    () => '::FFFF:c633:6407',
    (n) => `[::ffff:198.51.100.7]:${1024 + n}`,
    () => '0:0:0:0:0:ffff:c633:6407',
  ];
  const mixed = (n: number) => (notations[n % notations.length] as (n: number) => string)(n);
  expect(await flood(mine.origin, mixed)).toEqual(new Set([200, 429]));
  const ipv6 = ['2001:db8:0:5::1', '2001:0DB8:0000:0005::2', '[2001:db8::5:0:0:0:3]', '2001:db8:0:5::9%eth0'];
  expect(await flood(mine.origin, (n) => `${ipv6[n % ipv6.length]}`)).toEqual(new Set([200, 429]));
  for (const notation of [...notations, () => '[2001:db8:0:5::4]:443']) {
    const response = await fetch(`${mine.origin}/icon.svg`, { headers: { 'x-forwarded-for': notation(7) } });
    expect([notation(7), response.status]).toEqual([notation(7), 429]);
  }
});

test('rate limit: ignores X-Forwarded-For without a trusted proxy [T2]', async () => {
  await using mine = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
  expect(await flood(mine.origin, (n) => `10.0.0.${n}`)).toEqual(new Set([200, 429]));
});

test.each([
  // The request comes from 127.0.0.1. The last address is the one that the outermost proxy has added.
  ['2', (n: number) => `10.9.9.${n}, 192.0.2.1, 10.0.0.7`],
  ['127.0.0.1, 10.0.0.0/8', (n: number) => `10.9.9.${n}, 192.0.2.1, 10.0.0.7`],
  ['127.0.0.1, 10.0.0.0/8', (n: number) => `10.9.9.${n}, [2001:db8::${n}]:80, 10.0.0.7:443, ::ffff:10.0.0.8`],
  ['127.0.0.1, 10.0.0.0/8', (n: number) => `10.9.9.${n}, forged`],
  ['10.0.0.0/8', (n: number) => `192.0.2.${n}`],
])(
  'rate limit: with TRUST_PROXY=%s, an address that a client has forged is never counted [T2 OPER-14]',
  async (setting, forged) => {
    await using mine = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on', TRUST_PROXY: setting });
    expect(await flood(mine.origin, forged)).toEqual(new Set([200, 429]));
  },
);

test.each(['2', '127.0.0.1, 10.0.0.0/8'])(
  'rate limit: with TRUST_PROXY=%s, clients behind the same two proxies are counted separately [T2 OPER-14]',
  async (setting) => {
    await using mine = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on', TRUST_PROXY: setting });
    expect(await flood(mine.origin, (n) => `192.0.2.${n % 200}, 10.0.0.7`)).toEqual(new Set([200]));
  },
);
