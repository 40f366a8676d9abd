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
  found: endpoint({
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

interface Asked {
  method: string | undefined;
  url: string;
  authorization: string | undefined;
  key: string | undefined;
  body: string;
}
type Reply = (asked: Asked, response: ServerResponse) => unknown;

const authOf = (name: string): AuthData => ({
  AccessToken: { Token: `access-${name}` },
  RefreshToken: { Token: `refresh-${name}` },
});

const answer = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const ok = (response: ServerResponse, data: unknown) =>
  answer(response, 200, { data, status: 200, error: null });

/** A real server that answers with `reply`, and a client that talks to it with the session `auth`. */
async function meet(auth: AuthData | undefined, reply: Reply, wait?: Wait) {
  const asked: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method, url = '', headers } = request;
    const body = Buffer.concat(parts).toString();
    const key = headers['idempotency-key'] as string | undefined;
    const one = { method, url, authorization: headers.authorization, key, body };
    asked.push(one);
    await reply(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kept = { auth, lost: 0 };
  const session: SessionStore = {
    read: () => kept.auth,
    write: (next) => void (kept.auth = next),
    lost() {
      kept.auth = undefined;
      kept.lost += 1;
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
    asked,
    sent,
    kept,
    session,
    origin,
    client: createClient({ clubs }, { origin, session, fetch: spy, ...(wait && { wait }) }).clubs,
    renewals: () => asked.filter(({ url }) => url.startsWith('/api/v1/auth/refresh')),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Takes only the token of `good`, and renews `stale` to it. */
const renewing =
  (good: string, renew: Reply = (_, response) => ok(response, authOf(good))): Reply =>
  (asked, response) => {
    if (asked.url.startsWith('/api/v1/auth/refresh')) return renew(asked, response);
    if (asked.authorization === `Bearer access-${good}`) return ok(response, asked.url);
    return answer(response, 401, { data: null, status: 401, error: 'not_signed_in' });
  };

test('a call carries the access token when there is one, and no header when there is none [AUTH-05]', async () => {
  await using there = await meet(authOf('a'), (_, response) => ok(response, 'Chess'));
  expect(await there.client.get({ club: 'chess' })).toBe('Chess');
  there.kept.auth = undefined;
  await there.client.peek({});
  expect(there.asked.map((one) => one.authorization)).toEqual(['Bearer access-a', undefined]);
});

test('a placeholder is filled, the rest goes into the query or the body, and nothing undefined is sent', async () => {
  await using there = await meet(authOf('a'), (_, response) => ok(response, ''));
  await there.client.get({ club: 'a/b ?', q: 'x&y' });
  await there.client.get({ club: 'a', q: undefined });
  await there.client.rename({ club: 'a', name: 'New' });
  await there.client.rename({ club: 'a', name: undefined });
  await there.client.remove({ club: 'a' });
  await there.client.remove({ club: 'a', code: 'x' });
  expect(there.asked.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/v1/clubs/a%2Fb%20%3F?q=x%26y', ''],
    ['GET', '/api/v1/clubs/a', ''],
    ['PATCH', '/api/v1/clubs/a', '{"name":"New"}'],
    ['PATCH', '/api/v1/clubs/a', '{}'],
    ['DELETE', '/api/v1/clubs/a', ''],
    ['DELETE', '/api/v1/clubs/a', '{"code":"x"}'],
  ]);
});

test('a document is answered as it is', async () => {
  await using there = await meet(authOf('a'), (_, response) => response.end('BEGIN:VCALENDAR'));
  expect(await there.client.feed({})).toBe('BEGIN:VCALENDAR');
});

test('twenty calls that meet a 401 at once share one renewal, and are all sent again [AUTH-09 AUTH-10]', async () => {
  await using there = await meet(authOf('stale'), renewing('new'));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, place) => there.client.get({ club: `club-${place}` })),
  );
  expect(answers).toEqual(Array.from({ length: 20 }, (_, place) => `/api/v1/clubs/club-${place}`));
  expect(there.renewals()).toHaveLength(1);
  expect(there.renewals()[0]?.url).toBe('/api/v1/auth/refresh?token=refresh-stale');
  expect(there.renewals()[0]?.authorization).toBeUndefined();
  expect(there.kept).toEqual({ auth: authOf('new'), lost: 0 });
});

test('a call that starts during a renewal waits for it and goes out with the new token [AUTH-10]', async () => {
  const renewal = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  await using there = await meet(
    authOf('stale'),
    renewing('new', async (_, response) => {
      started.resolve();
      await renewal.promise;
      ok(response, authOf('new'));
    }),
  );
  const first = there.client.get({ club: 'first' });
  await started.promise;
  const second = there.client.get({ club: 'second' });
  await pause(50);
  expect(there.asked.some(({ url }) => url.endsWith('/second'))).toBe(false);
  renewal.resolve();
  await Promise.all([first, second]);
  const calls = there.asked.filter(({ url }) => url.endsWith('/second'));
  expect(calls.map((call) => call.authorization)).toEqual(['Bearer access-new']);
});

test('a renewal by another tab is taken over instead of asking for one more', async () => {
  await using there = await meet(authOf('stale'), renewing('new'));
  there.session.alone = (work) => {
    there.kept.auth = authOf('new');
    return work();
  };
  expect(await there.client.get({ club: 'chess' })).toBe('/api/v1/clubs/chess');
  expect(there.renewals()).toHaveLength(0);
});

test('a call that is refused again after the renewal fails, without a second renewal', async () => {
  await using there = await meet(
    authOf('stale'),
    renewing('never', (_, r) => ok(r, authOf('new'))),
  );
  await expect(there.client.get({ club: 'chess' })).rejects.toMatchObject({ status: 401 });
  expect(there.renewals()).toHaveLength(1);
});

test.each([400, 401, 403, 404, 410])(
  'refresh: an answer of %i ends the session once and fails every waiting call [AUTH-11]',
  async (status) => {
    await using there = await meet(
      authOf('stale'),
      renewing('new', (_, r) => answer(r, status, { data: null, status, error: 'refused' })),
    );
    const outcomes = await Promise.allSettled([
      there.client.get({ club: 'a' }),
      there.client.get({ club: 'b' }),
    ]);
    expect(outcomes).toEqual(
      outcomes.map(() => ({ status: 'rejected', reason: expect.objectContaining({ status: 401 }) })),
    );
    expect(there.kept).toEqual({ auth: undefined, lost: 1 });
    expect(there.renewals()).toHaveLength(1);
  },
);

test.each([
  ['no data', null],
  ['no refresh token', { AccessToken: { Token: 'x' } }],
  ['a token that is no text', { AccessToken: { Token: 1 }, RefreshToken: { Token: 'x' } }],
])('a renewal that answers %s ends the session [AUTH-12]', async (_, data) => {
  await using there = await meet(
    authOf('stale'),
    renewing('new', (_asked, r) => ok(r, data)),
  );
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({ status: 401 });
  expect(there.kept).toEqual({ auth: undefined, lost: 1 });
});

test('a renewal that answers no JSON ends the session [AUTH-12]', async () => {
  await using there = await meet(
    authOf('stale'),
    renewing('new', (_, r) => r.writeHead(200).end('<html>')),
  );
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({ status: 401 });
  expect(there.kept.lost).toBe(1);
});

test('without a refresh token nothing is renewed and the session ends [AUTH-13]', async () => {
  await using there = await meet(undefined, renewing('new'));
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({ status: 401 });
  expect(there.renewals()).toHaveLength(0);
  expect(there.kept.lost).toBe(1);
});

/** Waits that are over at once, and how long each would have been. */
function noting(isWanted = true) {
  const waits: [seconds: number, total: number][] = [];
  const wait: Wait = async (...asked) => {
    waits.push(asked);
    return isWanted;
  };
  return { waits, wait };
}

const failWith =
  (status: number, headers = {}): Reply =>
  (_, response) =>
    answer(response, status, { data: null, status, error: 'unavailable' }, headers);

describe.each<[string, Reply, seconds: number]>([
  ['a 429', failWith(429, { 'retry-after': '20' }), 20],
  ['a 500', failWith(500), 1],
  ['a 502 without JSON', (_, r) => r.writeHead(502).end('<h1>Bad Gateway</h1>'), 1],
  ['a 503', failWith(503, { 'retry-after': '7' }), 7],
  ['no answer', (_, r) => r.destroy(), 1],
  ['half an answer', (_, r) => r.writeHead(200, { 'content-length': 99 }).write('{', () => r.destroy()), 1],
])('a renewal that meets %s', (_what, fail, seconds) => {
  test('is tried again, and the call that needed it succeeds [AUTH-11]', async () => {
    const { waits, wait } = noting();
    const renew: Reply = (asked, r) => (there.renewals().length < 3 ? fail(asked, r) : ok(r, authOf('new')));
    await using there = await meet(authOf('stale'), renewing('new', renew), wait);
    expect(await there.client.get({ club: 'chess' })).toBe('/api/v1/clubs/chess');
    expect(there.kept).toEqual({ auth: authOf('new'), lost: 0 });
    expect(waits).toEqual([
      [seconds, seconds],
      [seconds, 2 * seconds],
    ]);
  });

  test('four times fails the call, and the session stays [AUTH-11]', async () => {
    const { waits, wait } = noting();
    await using there = await meet(authOf('stale'), renewing('new', fail), wait);
    await expect(there.client.get({ club: 'a' })).rejects.toBeInstanceOf(Failure);
    expect([there.renewals().length, waits.length]).toEqual([4, 3]);
    expect(there.kept).toEqual({ auth: authOf('stale'), lost: 0 });
  });
});

test('while a renewal waits to be tried again another tab may renew, and that session is used [C6]', async () => {
  let isLocked = false;
  const wait: Wait = async () => {
    expect(isLocked).toBe(false);
    there.kept.auth = authOf('new');
    return true;
  };
  await using there = await meet(authOf('stale'), renewing('new', failWith(503)), wait);
  there.session.alone = async (work) => {
    isLocked = true;
    return work().finally(() => (isLocked = false));
  };
  expect(await there.client.get({ club: 'chess' })).toBe('/api/v1/clubs/chess');
  expect(there.renewals()).toHaveLength(1);
});

test('a wait for the renewal that is stopped fails every call that needs it, and the session stays', async () => {
  const stopped = Promise.withResolvers<boolean>();
  const wait = vi.fn<Wait>(() => stopped.promise);
  await using there = await meet(authOf('stale'), renewing('new', failWith(429)), wait);
  const calls = ['a', 'b'].map((club) => there.client.get({ club }));
  const outcomes = Promise.allSettled([...calls, vi.waitFor(() => expect(wait).toHaveBeenCalled())]);
  await pause(100);
  const later = Promise.allSettled([there.client.get({ club: 'c' })]);
  stopped.resolve(false);
  const failures = [...(await outcomes).slice(0, 2), ...(await later)];
  for (const each of failures) expect(each).toMatchObject({ status: 'rejected', reason: { status: 429 } });
  expect([wait.mock.calls.length, there.renewals().length]).toEqual([1, 1]);
  expect(there.kept).toEqual({ auth: authOf('stale'), lost: 0 });
});

test('a 401 of a call that needs no session renews nothing', async () => {
  await using there = await meet(authOf('a'), (_, r) => answer(r, 401, { error: 'not_signed_in' }));
  await expect(there.client.peek({})).rejects.toMatchObject({ status: 401 });
  expect(there.asked).toHaveLength(1);
  expect(there.kept.lost).toBe(0);
});

test.each([
  ['the seconds of its retry-after [AUTH-14]', { 'retry-after': '2' }, 2000],
  ['one second when there is none [AUTH-15]', {}, 1000],
])('a call that meets a 429 is sent again after %s', async (_, headers, milliseconds) => {
  const times: number[] = [];
  await using there = await meet(authOf('a'), (_asked, response) => {
    times.push(performance.now());
    return times.length === 1 ? answer(response, 429, {}, headers) : ok(response, 'Chess');
  });
  expect(await there.client.get({ club: 'chess' })).toBe('Chess');
  const waited = (times[1] ?? 0) - (times[0] ?? 0);
  expect(waited).toBeGreaterThanOrEqual(milliseconds - 20);
  expect(waited).toBeLessThan(milliseconds + 900);
});

test('a 429 is waited for as long as it says, be it an hour, and with the session of afterwards [AUTH-14]', async () => {
  const { waits, wait } = noting();
  await using there = await meet(
    authOf('a'),
    (_, r) => {
      there.kept.auth = authOf('b');
      return there.asked.length === 1
        ? answer(r, 429, {}, { 'retry-after': '3600' })
        : ok(r, there.asked.at(-1)?.authorization);
    },
    wait,
  );
  expect(await there.client.get({ club: 'a' })).toBe('Bearer access-b');
  expect(waits).toEqual([[3600, 3600]]);
});

test('a 429 that does not end is given up after three waits', async () => {
  const { waits, wait } = noting();
  await using there = await meet(authOf('a'), failWith(429, { 'retry-after': '8' }), wait);
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({ status: 429, error: 'unavailable' });
  expect(there.asked).toHaveLength(4);
  expect(waits).toEqual([
    [8, 8],
    [8, 16],
    [8, 24],
  ]);
});

test('a wait that is stopped fails the call with the 429, which is not sent again', async () => {
  const { wait } = noting(false);
  await using there = await meet(authOf('a'), failWith(429, { 'retry-after': '60' }), wait);
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({ status: 429, retryAfter: 60 });
  expect(there.asked).toHaveLength(1);
});

test.each([201, 202, 204])(
  'a %i is no success for a call that names 200; for the others it is, with an envelope [API-30 API-31 API-34 CONST-14]',
  async (status) => {
    const body = { data: 'x', status, error: null };
    await using there = await meet(authOf('a'), (_, r) =>
      status === 204 ? r.writeHead(204).end() : answer(r, status, body),
    );
    const unexpected = { status, error: 'An unexpected error occurred' };
    await expect(there.client.attend({ event: 'a' })).rejects.toMatchObject(unexpected);
    await expect(there.client.leave({ club: 'a' })).rejects.toMatchObject(unexpected);
    const other = there.client.get({ club: 'a' });
    await (status === 204
      ? expect(other).rejects.toMatchObject(unexpected)
      : expect(other).resolves.toBe('x'));
  },
);

test('a 200 without data is no success for a call that needs data [API-30 API-31 API-34]', async () => {
  await using there = await meet(authOf('a'), (_, r) => ok(r, null));
  await expect(there.client.attend({ event: 'a' })).rejects.toBeInstanceOf(Failure);
  expect(await there.client.leave({ club: 'a' })).toBeNull();
});

test('a 404 is logged and leaves the session alone [AUTH-16]', async () => {
  const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
  await using there = await meet(authOf('a'), (_, r) => answer(r, 404, { error: 'not_found' }));
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({ status: 404, error: 'not_found' });
  expect(debug).toHaveBeenCalledWith('GET /v1/clubs/:club: nothing there');
  expect(there.asked).toHaveLength(1);
  expect(there.kept).toEqual({ auth: authOf('a'), lost: 0 });
});

test('a failure has the status and the code that the server gave [API-05]', async () => {
  await using there = await meet(authOf('a'), (_, response) =>
    answer(response, 409, { data: null, status: 409, error: 'event_closed', message: 'Too late.' }),
  );
  const failure = await there.client.get({ club: 'a' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ status: 409, error: 'event_closed', message: 'Too late.' });
});

test('a failure without a code says that it was unexpected [API-05]', async () => {
  await using there = await meet(authOf('a'), (_, r) => r.writeHead(502).end('<h1>Bad Gateway</h1>'));
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({
    status: 502,
    error: 'An unexpected error occurred',
  });
});

test('a call without any answer is a failure of status 500 [API-05]', async () => {
  await using there = await meet(authOf('a'), (_, response) => response.destroy());
  await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({
    status: 500,
    error: 'An unexpected error occurred',
  });
});

test('a slow call is waited for, and nothing could abort it [CONST-13]', async () => {
  await using there = await meet(authOf('a'), async (_, response) => {
    await pause(1500);
    ok(response, 'late');
  });
  expect(await there.client.get({ club: 'a' })).toBe('late');
  expect(there.sent.map((init) => init.signal)).toEqual([undefined]);
});

describe('C11: what creates something', () => {
  test('is sent once more under the same key when its answer got lost, and the next one under another', async () => {
    await using there = await meet(authOf('a'), (_, response) =>
      there.asked.length === 1 ? response.destroy() : ok(response, 'Chess'),
    );
    expect(await there.client.found({ name: 'Chess' })).toBe('Chess');
    await there.client.found({ name: 'Chess' });
    const keys = there.asked.map(({ key }) => key);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[\w-]{15,40}$/);
    expect([keys[1], new Set(keys).size]).toEqual([keys[0], 2]);
    expect(there.asked.map(({ body }) => body)).toEqual(Array.from(keys, () => '{"name":"Chess"}'));
  });

  test('is given up when the second answer gets lost as well', async () => {
    await using there = await meet(authOf('a'), (_, response) => response.destroy());
    await expect(there.client.found({ name: 'Chess' })).rejects.toMatchObject({ status: 500 });
    expect(there.asked).toHaveLength(2);
  });

  test('waits for its first attempt where that still runs; another 409 is final', async () => {
    const conflict = { data: null, status: 409, error: 'still_running' };
    await using there = await meet(authOf('a'), (_, r) => {
      if (there.asked.length === 1) return r.destroy();
      if (there.asked.length === 2) return answer(r, 409, conflict, { 'retry-after': '1' });
      return there.asked.length === 3 ? ok(r, 'Chess') : answer(r, 409, conflict);
    });
    expect(await there.client.found({ name: 'Chess' })).toBe('Chess');
    expect(new Set(there.asked.map(({ key }) => key)).size).toBe(1);
    await expect(there.client.found({ name: 'Chess' })).rejects.toMatchObject({ status: 409 });
    expect(there.asked).toHaveLength(4);
  });

  test('keeps its key when the session is renewed on the way', async () => {
    await using there = await meet(authOf('stale'), renewing('new'));
    await there.client.found({ name: 'Chess' });
    const keys = there.asked.filter(({ method }) => method === 'POST').map(({ key }) => key);
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toBeDefined();
  });

  test('is all that has a key and is sent again', async () => {
    await using there = await meet(authOf('a'), (_, response) => response.destroy());
    await expect(there.client.rename({ club: 'a', name: 'b' })).rejects.toMatchObject({ status: 500 });
    await expect(there.client.remove({ club: 'a' })).rejects.toMatchObject({ status: 500 });
    expect(there.asked.map(({ key }) => key)).toEqual([undefined, undefined]);
  });
});

test.each([200, 201, 202, 203, 206, 226, 299])('an answer of %i is a success [CONST-14]', async (status) => {
  await using there = await meet(authOf('a'), (_, r) =>
    answer(r, status, { data: 'Chess', status, error: null }),
  );
  expect(await there.client.get({ club: 'a' })).toBe('Chess');
});

test.each([300, 304, 399, 400, 403, 409, 422, 500, 503, 599])(
  'an answer of %i is a failure, also when it carries data [CONST-14]',
  async (status) => {
    await using there = await meet(authOf('a'), (_, r) =>
      answer(r, status, { data: 'Chess', status, error: null }),
    );
    await expect(there.client.get({ club: 'a' })).rejects.toMatchObject({ name: 'Error', status });
  },
);

const tooOften = (seconds: number) =>
  Response.json({ error: 'too_often' }, { status: 429, headers: { 'retry-after': String(seconds) } });
const success = (data: unknown) => Response.json({ data, status: 200, error: null });

/** A client whose calls get these answers, one after the other, on a clock that runs as fast as the test needs. */
function withDatabaseTimeout(...answers: Response[]) {
  vi.useFakeTimers();
  const sent: { at: number; call: string }[] = [];
  const kept = { auth: authOf('a') as AuthData | undefined };
  const session: SessionStore = {
    read: () => kept.auth,
    write: (next) => void (kept.auth = next),
    lost: () => void (kept.auth = undefined),
    alone: (work) => work(),
  };
  const fetch = (url: unknown, init?: RequestInit) => {
    const call = [init?.method ?? 'GET', url, init?.body].filter(Boolean).join(' ');
    sent.push({ at: Date.now(), call });
    return Promise.resolve(answers[sent.length - 1] as Response);
  };
  const client = createClient({ clubs }, { origin: '', session, fetch }).clubs;
  /** How many whole seconds passed between one call and the next. */
  const waits = () => sent.slice(1).map(({ at }, place) => Math.floor((at - (sent[place]?.at ?? 0)) / 1000));
  return { sent, kept, client, waits };
}

describe('a 429', () => {
  afterEach(() => void vi.useRealTimers());

  test.each([3, 7, 45])(
    'with a retry-after of %i seconds: the same call is sent again after them [AUTH-14]',
    async (seconds) => {
      const { sent, client, waits } = withDatabaseTimeout(tooOften(seconds), success('Chess'));
      const renamed = client.rename({ club: 'a', name: 'Chess' });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await renamed).toBe('Chess');
      expect(waits()).toEqual([seconds]);
      const call = 'PATCH /api/v1/clubs/a {"name":"Chess"}';
      expect(sent.map((one) => one.call)).toEqual([call, call]);
    },
  );

  test('that comes again is waited for again, each time as long as it says [AUTH-14]', async () => {
    const { client, waits } = withDatabaseTimeout(tooOften(2), tooOften(9), tooOften(4), success('Chess'));
    const got = client.get({ club: 'a' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await got).toBe('Chess');
    expect(waits()).toEqual([2, 9, 4]);
  });

  test('to the refresh is waited for as well, and ends no session [AUTH-14]', async () => {
    const refused = Response.json({ error: 'not_signed_in' }, { status: 401 });
    const { kept, client, waits } = withDatabaseTimeout(
      refused,
      tooOften(6),
      success(authOf('new')),
      success('Chess'),
    );
    const got = client.get({ club: 'a' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await got).toBe('Chess');
    expect(waits()).toEqual([0, 6, 0]);
    expect(kept.auth).toEqual(authOf('new'));
  });
});
