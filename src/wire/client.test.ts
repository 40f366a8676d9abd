import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type AuthData, createClient, Failure, type SessionStore, type Wait } from './client.ts';
import { documentEndpoint, endpoint } from './endpoint.ts';

const clubs = {
  get: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club',
    input: z.object({ club: z.string(), q: z.string().optional() }),
    output: z.string(),
    summary: '',
  }),
  rename: endpoint({
    method: 'PATCH',
    path: '/v1/clubs/:club',
    input: z.object({ club: z.string(), name: z.string().optional() }),
    output: z.string(),
    summary: '',
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/clubs',
    input: z.object({ name: z.string() }),
    output: z.string(),
    creates: true,
    summary: '',
  }),
  peek: endpoint({
    method: 'GET',
    path: '/v1/peek',
    input: z.object({}),
    output: z.string(),
    who: 'anyone',
    summary: '',
  }),
  brief: endpoint({
    method: 'GET',
    path: '/v1/brief',
    input: z.object({}),
    output: z.string(),
    who: 'anyone',
    maxWait: 10,
    summary: '',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/clubs/:club',
    input: z.object({ club: z.string(), code: z.string().optional() }),
    output: z.string(),
    summary: '',
  }),
  attend: endpoint({
    method: 'POST',
    path: '/v1/events/:event/attend',
    input: z.object({ event: z.string() }),
    output: z.string(),
    only: 200,
    needsData: true,
    summary: '',
  }),
  leave: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/leave',
    input: z.object({ club: z.string() }),
    output: z.null(),
    only: 200,
    summary: '',
  }),
  feed: documentEndpoint({
    path: '/v1/feed.ics',
    input: z.object({}),
    document: 'text/calendar',
    summary: '',
  }),
};

interface SentRequest {
  method: string | undefined;
  url: string;
  authorization: string | undefined;
  key: string | undefined;
  body: string;
}
type Reply = (sent: SentRequest, response: ServerResponse) => unknown;

const authOf = (name: string): AuthData => ({
  AccessToken: { Token: `access-${name}` },
  RefreshToken: { Token: `refresh-${name}` },
});

const respond = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const ok = (response: ServerResponse, data: unknown) =>
  respond(response, 200, { data, status: 200, error: null });

/** Starts a server that responds with `reply`, and a client with the session `auth`. */
async function setUp(auth: AuthData | undefined, reply: Reply, wait?: Wait) {
  const requests: SentRequest[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method, url = '', headers } = request;
    const body = Buffer.concat(parts).toString();
    const key = headers['idempotency-key'] as string | undefined;
    const one = { method, url, authorization: headers.authorization, key, body };
    requests.push(one);
    await reply(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stored = { auth, lost: 0 };
  const session: SessionStore = {
    read: () => stored.auth,
    write: (next) => void (stored.auth = next),
    lost() {
      stored.auth = undefined;
      stored.lost += 1;
    },
    alone: (work) => work(),
  };
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sent: RequestInit[] = [];
  const spy: typeof fetch = (input, init = {}) => {
    sent.push(init);
    return fetch(input, init);
  };
  return {
    requests,
    sent,
    stored,
    session,
    origin,
    client: createClient({ clubs }, { origin, session, fetch: spy, ...(wait && { wait }) }).clubs,
    renewals: () => requests.filter(({ url }) => url.startsWith('/api/v1/auth/refresh')),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Replies of a server that accepts only the token of `good`, and refreshes any session to `good`. */
const renewing =
  (good: string, renew: Reply = (_, response) => ok(response, authOf(good))): Reply =>
  (sent, response) => {
    if (sent.url.startsWith('/api/v1/auth/refresh')) return renew(sent, response);
    if (sent.authorization === `Bearer access-${good}`) return ok(response, sent.url);
    return respond(response, 401, { data: null, status: 401, error: 'not_signed_in' });
  };

test('call: sends the access token if there is one, and no header otherwise [AUTH-05]', async () => {
  await using env = await setUp(authOf('a'), (_, response) => ok(response, 'Chess'));
  expect(await env.client.get({ club: 'chess' })).toBe('Chess');
  env.stored.auth = undefined;
  await env.client.peek({});
  expect(env.requests.map((one) => one.authorization)).toEqual(['Bearer access-a', undefined]);
});

test('call: input goes into path, query or body, without undefined fields', async () => {
  await using env = await setUp(authOf('a'), (_, response) => ok(response, ''));
  await env.client.get({ club: 'a/b ?', q: 'x&y' });
  await env.client.get({ club: 'a', q: undefined });
  await env.client.rename({ club: 'a', name: 'New' });
  await env.client.rename({ club: 'a', name: undefined });
  await env.client.remove({ club: 'a' });
  await env.client.remove({ club: 'a', code: 'x' });
  expect(env.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/v1/clubs/a%2Fb%20%3F?q=x%26y', ''],
    ['GET', '/api/v1/clubs/a', ''],
    ['PATCH', '/api/v1/clubs/a', '{"name":"New"}'],
    ['PATCH', '/api/v1/clubs/a', '{}'],
    ['DELETE', '/api/v1/clubs/a', ''],
    ['DELETE', '/api/v1/clubs/a', '{"code":"x"}'],
  ]);
});

test('call: returns a document as text', async () => {
  await using env = await setUp(authOf('a'), (_, response) => response.end('BEGIN:VCALENDAR'));
  expect(await env.client.feed({})).toBe('BEGIN:VCALENDAR');
});

test('refresh: twenty concurrent calls with a 401 share one refresh and are all repeated [AUTH-09 AUTH-10]', async () => {
  await using env = await setUp(authOf('stale'), renewing('new'));
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => env.client.get({ club: `club-${index}` })),
  );
  expect(responses).toEqual(Array.from({ length: 20 }, (_, index) => `/api/v1/clubs/club-${index}`));
  expect(env.renewals()).toHaveLength(1);
  expect(env.renewals()[0]?.url).toBe('/api/v1/auth/refresh?token=refresh-stale');
  expect(env.renewals()[0]?.authorization).toBeUndefined();
  expect(env.stored).toEqual({ auth: authOf('new'), lost: 0 });
});

test('refresh: a call that starts during a refresh waits for it and uses the new token [AUTH-10]', async () => {
  const renewal = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  await using env = await setUp(
    authOf('stale'),
    renewing('new', async (_, response) => {
      started.resolve();
      await renewal.promise;
      ok(response, authOf('new'));
    }),
  );
  const first = env.client.get({ club: 'first' });
  await started.promise;
  const second = env.client.get({ club: 'second' });
  await pause(50);
  expect(env.requests.some(({ url }) => url.endsWith('/second'))).toBe(false);
  renewal.resolve();
  await Promise.all([first, second]);
  const calls = env.requests.filter(({ url }) => url.endsWith('/second'));
  expect(calls.map((call) => call.authorization)).toEqual(['Bearer access-new']);
});

test('refresh: a session refreshed by another tab is used without another refresh', async () => {
  await using env = await setUp(authOf('stale'), renewing('new'));
  env.session.alone = (work) => {
    env.stored.auth = authOf('new');
    return work();
  };
  expect(await env.client.get({ club: 'chess' })).toBe('/api/v1/clubs/chess');
  expect(env.renewals()).toHaveLength(0);
});

test('refresh: a call with a second 401 fails without another refresh', async () => {
  await using env = await setUp(
    authOf('stale'),
    renewing('never', (_, r) => ok(r, authOf('new'))),
  );
  await expect(env.client.get({ club: 'chess' })).rejects.toMatchObject({ status: 401 });
  expect(env.renewals()).toHaveLength(1);
});

test.each([400, 401, 403, 404, 410])(
  'refresh: a response of %i ends the session once and fails every waiting call [AUTH-11]',
  async (status) => {
    await using env = await setUp(
      authOf('stale'),
      renewing('new', (_, r) => respond(r, status, { data: null, status, error: 'refused' })),
    );
    const outcomes = await Promise.allSettled([env.client.get({ club: 'a' }), env.client.get({ club: 'b' })]);
    expect(outcomes).toEqual(
      outcomes.map(() => ({ status: 'rejected', reason: expect.objectContaining({ status: 401 }) })),
    );
    expect(env.stored).toEqual({ auth: undefined, lost: 1 });
    expect(env.renewals()).toHaveLength(1);
  },
);

test.each([
  ['no data', null],
  ['no refresh token', { AccessToken: { Token: 'x' } }],
  ['a token that is not a string', { AccessToken: { Token: 1 }, RefreshToken: { Token: 'x' } }],
])('refresh: a response with %s ends the session [AUTH-12]', async (_, data) => {
  await using env = await setUp(
    authOf('stale'),
    renewing('new', (_request, r) => ok(r, data)),
  );
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({ status: 401 });
  expect(env.stored).toEqual({ auth: undefined, lost: 1 });
});

test('refresh: a response that is not JSON ends the session [AUTH-12]', async () => {
  await using env = await setUp(
    authOf('stale'),
    renewing('new', (_, r) => r.writeHead(200).end('<html>')),
  );
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({ status: 401 });
  expect(env.stored.lost).toBe(1);
});

test('refresh: without a refresh token the session ends without a request [AUTH-13]', async () => {
  await using env = await setUp(undefined, renewing('new'));
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({ status: 401 });
  expect(env.renewals()).toHaveLength(0);
  expect(env.stored.lost).toBe(1);
});

/** A `wait` that returns immediately and records its arguments. */
function recordedWaits(shouldRetry = true) {
  const waits: [seconds: number, total: number][] = [];
  const wait: Wait = async (...args) => {
    waits.push(args);
    return shouldRetry;
  };
  return { waits, wait };
}

const failWith =
  (status: number, headers = {}): Reply =>
  (_, response) =>
    respond(response, status, { data: null, status, error: 'unavailable' }, headers);

describe.each<[string, Reply, seconds: number]>([
  ['a 429', failWith(429, { 'retry-after': '20' }), 20],
  ['a 500', failWith(500), 1],
  ['a 502 without JSON', (_, r) => r.writeHead(502).end('<h1>Bad Gateway</h1>'), 1],
  ['a 503', failWith(503, { 'retry-after': '7' }), 7],
  ['no response', (_, r) => r.destroy(), 1],
  [
    'an incomplete response',
    (_, r) => r.writeHead(200, { 'content-length': 99 }).write('{', () => r.destroy()),
    1,
  ],
])('refresh after %s', (_what, fail, seconds) => {
  test('is retried, and the call succeeds [AUTH-11]', async () => {
    const { waits, wait } = recordedWaits();
    const renew: Reply = (sent, r) => (env.renewals().length < 3 ? fail(sent, r) : ok(r, authOf('new')));
    await using env = await setUp(authOf('stale'), renewing('new', renew), wait);
    expect(await env.client.get({ club: 'chess' })).toBe('/api/v1/clubs/chess');
    expect(env.stored).toEqual({ auth: authOf('new'), lost: 0 });
    expect(waits).toEqual([
      [seconds, seconds],
      [seconds, 2 * seconds],
    ]);
  });

  test('fails the call after four attempts, and the session stays [AUTH-11]', async () => {
    const { waits, wait } = recordedWaits();
    await using env = await setUp(authOf('stale'), renewing('new', fail), wait);
    await expect(env.client.get({ club: 'a' })).rejects.toBeInstanceOf(Failure);
    expect([env.renewals().length, waits.length]).toEqual([4, 3]);
    expect(env.stored).toEqual({ auth: authOf('stale'), lost: 0 });
  });
});

test('refresh: another tab can refresh between two attempts, and its session is used [C6]', async () => {
  let isLocked = false;
  const wait: Wait = async () => {
    expect(isLocked).toBe(false);
    env.stored.auth = authOf('new');
    return true;
  };
  await using env = await setUp(authOf('stale'), renewing('new', failWith(503)), wait);
  env.session.alone = async (work) => {
    isLocked = true;
    return work().finally(() => (isLocked = false));
  };
  expect(await env.client.get({ club: 'chess' })).toBe('/api/v1/clubs/chess');
  expect(env.renewals()).toHaveLength(1);
});

test('refresh: cancelling the wait fails every waiting call, and the session stays', async () => {
  const stopped = Promise.withResolvers<boolean>();
  const wait = vi.fn<Wait>(() => stopped.promise);
  await using env = await setUp(authOf('stale'), renewing('new', failWith(429)), wait);
  const calls = ['a', 'b'].map((club) => env.client.get({ club }));
  const outcomes = Promise.allSettled([...calls, vi.waitFor(() => expect(wait).toHaveBeenCalled())]);
  await pause(100);
  const later = Promise.allSettled([env.client.get({ club: 'c' })]);
  stopped.resolve(false);
  const failures = [...(await outcomes).slice(0, 2), ...(await later)];
  for (const each of failures) expect(each).toMatchObject({ status: 'rejected', reason: { status: 429 } });
  expect([wait.mock.calls.length, env.renewals().length]).toEqual([1, 1]);
  expect(env.stored).toEqual({ auth: authOf('stale'), lost: 0 });
});

test('refresh: not triggered by a 401 of a public endpoint', async () => {
  await using env = await setUp(authOf('a'), (_, r) => respond(r, 401, { error: 'not_signed_in' }));
  await expect(env.client.peek({})).rejects.toMatchObject({ status: 401 });
  expect(env.requests).toHaveLength(1);
  expect(env.stored.lost).toBe(0);
});

test.each([
  ['the seconds of Retry-After [AUTH-14]', { 'retry-after': '2' }, 2000],
  ['one second without Retry-After [AUTH-15]', {}, 1000],
])('429: the call is retried after %s', async (_, headers, milliseconds) => {
  const times: number[] = [];
  await using env = await setUp(authOf('a'), (_request, response) => {
    times.push(performance.now());
    return times.length === 1 ? respond(response, 429, {}, headers) : ok(response, 'Chess');
  });
  expect(await env.client.get({ club: 'chess' })).toBe('Chess');
  const waited = (times[1] ?? 0) - (times[0] ?? 0);
  expect(waited).toBeGreaterThanOrEqual(milliseconds - 20);
  expect(waited).toBeLessThan(milliseconds + 900);
});

test('429: waits up to an hour as Retry-After says, and retries with the current session [AUTH-14]', async () => {
  const { waits, wait } = recordedWaits();
  await using env = await setUp(
    authOf('a'),
    (_, r) => {
      env.stored.auth = authOf('b');
      return env.requests.length === 1
        ? respond(r, 429, {}, { 'retry-after': '3600' })
        : ok(r, env.requests.at(-1)?.authorization);
    },
    wait,
  );
  expect(await env.client.get({ club: 'a' })).toBe('Bearer access-b');
  expect(waits).toEqual([[3600, 3600]]);
});

test('429: a call that would wait longer than its endpoint allows fails at once', async () => {
  const { waits, wait } = recordedWaits();
  await using env = await setUp(undefined, (_, r) => respond(r, 429, {}, { 'retry-after': '6' }), wait);
  await expect(env.client.brief({})).rejects.toMatchObject({ status: 429, retryAfter: 6 });
  expect([env.requests.length, waits]).toEqual([2, [[6, 6]]]);
});

test('429: the call fails after three retries', async () => {
  const { waits, wait } = recordedWaits();
  await using env = await setUp(authOf('a'), failWith(429, { 'retry-after': '8' }), wait);
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({ status: 429, error: 'unavailable' });
  expect(env.requests).toHaveLength(4);
  expect(waits).toEqual([
    [8, 8],
    [8, 16],
    [8, 24],
  ]);
});

test('429: cancelling the wait fails the call without a retry', async () => {
  const { wait } = recordedWaits(false);
  await using env = await setUp(authOf('a'), failWith(429, { 'retry-after': '60' }), wait);
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({ status: 429, retryAfter: 60 });
  expect(env.requests).toHaveLength(1);
});

test.each([201, 202, 204])(
  'response of %i: a failure for a call that requires 200; for other calls, a success if it has an envelope [API-30 API-31 API-34 CONST-14]',
  async (status) => {
    const body = { data: 'x', status, error: null };
    await using env = await setUp(authOf('a'), (_, r) =>
      status === 204 ? r.writeHead(204).end() : respond(r, status, body),
    );
    const unexpected = { status, error: 'An unexpected error occurred' };
    await expect(env.client.attend({ event: 'a' })).rejects.toMatchObject(unexpected);
    await expect(env.client.leave({ club: 'a' })).rejects.toMatchObject(unexpected);
    const other = env.client.get({ club: 'a' });
    await (status === 204
      ? expect(other).rejects.toMatchObject(unexpected)
      : expect(other).resolves.toBe('x'));
  },
);

test('response of 200 without data: a failure for a call that needs data [API-30 API-31 API-34]', async () => {
  await using env = await setUp(authOf('a'), (_, r) => ok(r, null));
  await expect(env.client.attend({ event: 'a' })).rejects.toBeInstanceOf(Failure);
  expect(await env.client.leave({ club: 'a' })).toBeNull();
});

test('response of 404: logged, and the session stays [AUTH-16]', async () => {
  const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
  await using env = await setUp(authOf('a'), (_, r) => respond(r, 404, { error: 'not_found' }));
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({ status: 404, error: 'not_found' });
  expect(debug).toHaveBeenCalledWith('GET /v1/clubs/:club: nothing there');
  expect(env.requests).toHaveLength(1);
  expect(env.stored).toEqual({ auth: authOf('a'), lost: 0 });
});

test('failure: has the status, code and message of the server [API-05]', async () => {
  await using env = await setUp(authOf('a'), (_, response) =>
    respond(response, 409, { data: null, status: 409, error: 'event_closed', message: 'Too late.' }),
  );
  const failure = await env.client.get({ club: 'a' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ status: 409, error: 'event_closed', message: 'Too late.' });
});

test('failure: unexpected error when the response has no code [API-05]', async () => {
  await using env = await setUp(authOf('a'), (_, r) => r.writeHead(502).end('<h1>Bad Gateway</h1>'));
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({
    status: 502,
    error: 'An unexpected error occurred',
  });
});

test('failure: status 500 when there is no response [API-05]', async () => {
  await using env = await setUp(authOf('a'), (_, response) => response.destroy());
  await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({
    status: 500,
    error: 'An unexpected error occurred',
  });
});

test('call: has no timeout and no abort signal [CONST-13]', async () => {
  await using env = await setUp(authOf('a'), async (_, response) => {
    await pause(1500);
    ok(response, 'late');
  });
  expect(await env.client.get({ club: 'a' })).toBe('late');
  expect(env.sent.map((init) => init.signal)).toEqual([undefined]);
});

describe('C11: a call that creates something', () => {
  test('is repeated once with the same key when the response is lost; the next call has another key', async () => {
    await using env = await setUp(authOf('a'), (_, response) =>
      env.requests.length === 1 ? response.destroy() : ok(response, 'Chess'),
    );
    expect(await env.client.create({ name: 'Chess' })).toBe('Chess');
    await env.client.create({ name: 'Chess' });
    const keys = env.requests.map(({ key }) => key);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[\w-]{15,40}$/);
    expect([keys[1], new Set(keys).size]).toEqual([keys[0], 2]);
    expect(env.requests.map(({ body }) => body)).toEqual(Array.from(keys, () => '{"name":"Chess"}'));
  });

  test('fails when the second response is lost as well', async () => {
    await using env = await setUp(authOf('a'), (_, response) => response.destroy());
    await expect(env.client.create({ name: 'Chess' })).rejects.toMatchObject({ status: 500 });
    expect(env.requests).toHaveLength(2);
  });

  test('is repeated later if a 409 with Retry-After says that its first attempt is still running; any other 409 is final', async () => {
    const conflict = { data: null, status: 409, error: 'still_running' };
    await using env = await setUp(authOf('a'), (_, r) => {
      if (env.requests.length === 1) return r.destroy();
      if (env.requests.length === 2) return respond(r, 409, conflict, { 'retry-after': '1' });
      return env.requests.length === 3 ? ok(r, 'Chess') : respond(r, 409, conflict);
    });
    expect(await env.client.create({ name: 'Chess' })).toBe('Chess');
    expect(new Set(env.requests.map(({ key }) => key)).size).toBe(1);
    await expect(env.client.create({ name: 'Chess' })).rejects.toMatchObject({ status: 409 });
    expect(env.requests).toHaveLength(4);
  });

  test('keeps its key when the session is refreshed in between', async () => {
    await using env = await setUp(authOf('stale'), renewing('new'));
    await env.client.create({ name: 'Chess' });
    const keys = env.requests.filter(({ method }) => method === 'POST').map(({ key }) => key);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toBeDefined();
  });

  test('is the only kind that has a key and is repeated', async () => {
    await using env = await setUp(authOf('a'), (_, response) => response.destroy());
    await expect(env.client.rename({ club: 'a', name: 'b' })).rejects.toMatchObject({ status: 500 });
    await expect(env.client.remove({ club: 'a' })).rejects.toMatchObject({ status: 500 });
    expect(env.requests.map(({ key }) => key)).toEqual([undefined, undefined]);
  });
});

test.each([200, 201, 202, 203, 206, 226, 299])('response of %i: a success [CONST-14]', async (status) => {
  await using env = await setUp(authOf('a'), (_, r) =>
    respond(r, status, { data: 'Chess', status, error: null }),
  );
  expect(await env.client.get({ club: 'a' })).toBe('Chess');
});

test.each([300, 304, 399, 400, 403, 409, 422, 500, 503, 599])(
  'response of %i: a failure, even with data [CONST-14]',
  async (status) => {
    await using env = await setUp(authOf('a'), (_, r) =>
      respond(r, status, { data: 'Chess', status, error: null }),
    );
    await expect(env.client.get({ club: 'a' })).rejects.toMatchObject({ name: 'Error', status });
  },
);

const tooOften = (seconds: number) =>
  Response.json({ error: 'too_often' }, { status: 429, headers: { 'retry-after': String(seconds) } });
const success = (data: unknown) => Response.json({ data, status: 200, error: null });

/** A client that gets these responses in order, with fake timers. */
function clientWithResponses(...responses: Response[]) {
  vi.useFakeTimers();
  const sent: { at: number; call: string }[] = [];
  const stored = { auth: authOf('a') as AuthData | undefined };
  const session: SessionStore = {
    read: () => stored.auth,
    write: (next) => void (stored.auth = next),
    lost: () => void (stored.auth = undefined),
    alone: (work) => work(),
  };
  const fetch = (url: unknown, init?: RequestInit) => {
    const call = [init?.method ?? 'GET', url, init?.body].filter(Boolean).join(' ');
    sent.push({ at: Date.now(), call });
    return Promise.resolve(responses[sent.length - 1] as Response);
  };
  const client = createClient({ clubs }, { origin: '', session, fetch }).clubs;
  /** Whole seconds between consecutive calls. */
  const waits = () => sent.slice(1).map(({ at }, index) => Math.floor((at - (sent[index]?.at ?? 0)) / 1000));
  return { sent, stored, client, waits };
}

describe('a 429', () => {
  afterEach(() => void vi.useRealTimers());

  test.each([3, 7, 45])(
    'with Retry-After of %i: the same call is repeated after as many seconds [AUTH-14]',
    async (seconds) => {
      const { sent, client, waits } = clientWithResponses(tooOften(seconds), success('Chess'));
      const renamed = client.rename({ club: 'a', name: 'Chess' });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await renamed).toBe('Chess');
      expect(waits()).toEqual([seconds]);
      const call = 'PATCH /api/v1/clubs/a {"name":"Chess"}';
      expect(sent.map((one) => one.call)).toEqual([call, call]);
    },
  );

  test('followed by more 429s: each Retry-After is observed [AUTH-14]', async () => {
    const { client, waits } = clientWithResponses(tooOften(2), tooOften(9), tooOften(4), success('Chess'));
    const got = client.get({ club: 'a' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await got).toBe('Chess');
    expect(waits()).toEqual([2, 9, 4]);
  });

  test('in response to a refresh: the refresh is retried after Retry-After, and the session stays [AUTH-14]', async () => {
    const refused = Response.json({ error: 'not_signed_in' }, { status: 401 });
    const { stored, client, waits } = clientWithResponses(
      refused,
      tooOften(6),
      success(authOf('new')),
      success('Chess'),
    );
    const got = client.get({ club: 'a' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await got).toBe('Chess');
    expect(waits()).toEqual([0, 6, 0]);
    expect(stored.auth).toEqual(authOf('new'));
  });
});
