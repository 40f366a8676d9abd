import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import { startSession } from '#features/auth/handlers.ts';
import { vapidKeys } from '#features/push/gateway.ts';
import { codeIn, isolatedWorld, memorySession, type Api, type Person, type World } from '#test/world.ts';
import { outcomeOf, send, whileHeld } from '#test/calls.ts';
import { openPushService, type PushService } from '#test/push-service.ts';
import type { AuthData } from '#wire/client.ts';

let service: PushService;
let w: World;
let ada: Person;
let lines = '';
beforeAll(async () => {
  service = await openPushService();
  const log = new PassThrough().on('data', (line: Buffer) => void (lines += line.toString()));
  w = await isolatedWorld({ PUSH_HOSTS: `${service.host},fcm.googleapis.com`, LOG_LEVEL: 'debug' }, log);
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(async () => {
  service.received.length = service.errors.length = 0;
  Object.assign(service.state, { requests: 0, closed: 0, respond: { status: 201 } });
  w.clockOffset.seconds = 0;
  ada = await w.person('Ada');
});

/** Another session of a person. */
async function anotherSession({ id }: Person): Promise<Api> {
  const session = memorySession();
  const context = { db: w.db, config: w.config, now: w.now(), record: () => {} };
  session.write((await startSession(context, id, 'Other')) as AuthData);
  return w.client(session);
}

const devices = () =>
  all(
    w.db,
    sql<{ user_id: string; endpoint: string | null }>`
      select user_id, endpoint from push_devices order by created_at, user_id`,
  );
const devicesOf = async (person: Person) =>
  (await devices()).filter(({ user_id }) => user_id === person.id).map(({ endpoint }) => endpoint);
const off = () => ({ public_key: vapidKeys(w.config).publicKey, is_on: false, is_lost: false });

describe('device of a session', () => {
  test('is off at first, stored with its keys, and removed again [PUSH-04]', async () => {
    expect(await ada.api.push.device({})).toEqual(off());
    const subscription = service.subscribe();
    expect(await ada.api.push.saveDevice(subscription)).toEqual({ ...off(), is_on: true });
    expect(await ada.api.push.device({})).toEqual({ ...off(), is_on: true });
    expect(await devicesOf(ada)).toEqual([subscription.endpoint]);
    for (let times = 0; times < 2; times++) expect(await ada.api.push.removeDevice({})).toEqual(off());
    expect(await ada.api.push.device({})).toEqual(off());
    expect(await devicesOf(ada)).toEqual([]);
  });

  test('stays the same if it is stored again, and is replaced by another subscription [PUSH-04]', async () => {
    const subscription = service.subscribe();
    const row = () => first(w.db, sql`select *, xmin::text from push_devices where user_id = ${ada.id}`);
    await ada.api.push.saveDevice(subscription);
    const before = await row();
    await ada.api.push.saveDevice(subscription);
    expect(await row()).toEqual(before);
    const next = service.subscribe();
    await ada.api.push.saveDevice(next);
    expect(await devicesOf(ada)).toEqual([next.endpoint]);
  });

  test('moves to the session that sent the same endpoint and keys last [PUSH-04]', async () => {
    const subscription = service.subscribe();
    const [laptop, bob] = [await anotherSession(ada), await w.person('Bob')];
    for (const api of [ada.api, laptop, bob.api]) await api.push.saveDevice(subscription);
    for (const api of [ada.api, laptop]) expect(await api.push.device({})).toEqual(off());
    expect(await bob.api.push.device({})).toEqual({ ...off(), is_on: true });
    expect([await devicesOf(ada), await devicesOf(bob)]).toEqual([[], [subscription.endpoint]]);
  });

  test('cannot be taken over with other keys [PUSH-04]', async () => {
    const subscription = service.subscribe();
    await ada.api.push.saveDevice(subscription);
    const bob = await w.person('Bob');
    const { p256dh, auth } = service.subscribe();
    for (const change of [{ p256dh }, { auth }, { p256dh, auth }])
      for (const { api } of [bob, ada])
        expect(await outcomeOf(api.push.saveDevice({ ...subscription, ...change }))).toBe('409 device_taken');
    expect([await devicesOf(ada), await devicesOf(bob)]).toEqual([[subscription.endpoint], []]);
  });

  test('belongs to one session when several send it at the same time [PUSH-04]', async () => {
    const subscription = service.subscribe();
    const sessions = await Promise.all([1, 2, 3, 4, 5].map(() => anotherSession(ada)));
    const outcomes = await Promise.all(sessions.map((api) => outcomeOf(api.push.saveDevice(subscription))));
    expect(outcomes).toEqual(sessions.map(() => 'ok'));
    expect(await devicesOf(ada)).toEqual([subscription.endpoint]);
  });

  test('is not stored if the session ends meanwhile [PUSH-12]', async () => {
    const subscription = service.subscribe();
    const outcome = await whileHeld(
      w,
      sql`select from sessions where user_id = ${ada.id} for update`,
      () => ada.api.push.saveDevice(subscription),
      (held) => run(held, sql`delete from sessions where user_id = ${ada.id}`),
    );
    expect([outcome, await devicesOf(ada)]).toEqual(['401 not_signed_in', []]);
  });

  test.each([
    ['another host', { endpoint: 'https://fcm.googleapis.com.evil.example/x' }],
    ['plain http', { endpoint: 'http://fcm.googleapis.com/x' }],
    ['another loopback port', { endpoint: 'http://127.0.0.1:1/x' }],
    ['too long an endpoint', { endpoint: `https://fcm.googleapis.com/${'x'.repeat(1000)}` }],
    ['an empty endpoint', { endpoint: '' }],
    ['a p256dh that is no point', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
    ['an auth of 15 bytes', { auth: Buffer.alloc(15).toString('base64url') }],
    ['an auth of 17 bytes', { auth: Buffer.alloc(17).toString('base64url') }],
  ])('is refused and not stored for %s [PUSH-05]', async (_, change) => {
    const sent = { ...service.subscribe(), ...change };
    expect(await outcomeOf(ada.api.push.saveDevice(sent))).toBe('400 bad_input');
    expect(await devicesOf(ada)).toEqual([]);
  });

  test('can be changed 30 times an hour; storing the same again does not count [PUSH-04]', async () => {
    const subscription = service.subscribe();
    for (let changes = 0; changes < 15; changes++) {
      await ada.api.push.saveDevice(subscription);
      await ada.api.push.saveDevice(subscription);
      await ada.api.push.removeDevice({});
    }
    const refused = await send(w, ada, 'PUT /v1/push/device', subscription);
    expect([refused.status, refused.error]).toEqual([429, 'too_often']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(await devicesOf(ada)).toEqual([]);
    w.later('1 hour');
    await ada.api.push.saveDevice(subscription);
  });
});

describe('end of a session', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a logout', () => ada.api.auth.logout({})],
    ['a logout everywhere', () => ada.api.auth.logout({ all: true })],
    [
      'the list of sessions',
      async () => {
        const laptop = await anotherSession(ada);
        const sessions = await laptop.auth.sessions({});
        expect(sessions.map(({ has_push, is_current }) => [has_push, is_current]).toSorted()).toEqual([
          [false, true],
          [true, false],
        ]);
        await laptop.auth.endSession({ session: sessions.find(({ has_push }) => has_push)?.id ?? '' });
      },
    ],
    [
      'a changed email',
      async () => {
        // The email is changed in another session, which stays.
        const laptop = await anotherSession(ada);
        const email = `new-${ada.email}`;
        await laptop.auth.sendCode({ purpose: 'email_change' });
        await laptop.users.update({ email, code: codeIn(await w.mail(ada.email)) });
        await laptop.users.confirmEmail({ code: codeIn(await w.mail(email)) });
        expect(await laptop.auth.sessions({})).toHaveLength(1);
      },
    ],
    [
      'its expiry',
      async () => {
        w.later('31 days');
        await inTransaction(w.db, (db) => deleteExpired(db, w.now()));
      },
    ],
    [
      'the deletion of the account',
      async () => {
        await ada.api.auth.sendCode({ purpose: 'deletion' });
        await ada.api.account.remove({ code: codeIn(await w.mail(ada.email)), choices: [] });
      },
    ],
  ])('by %s removes the device [PUSH-12]', async (_, end) => {
    await ada.api.push.saveDevice(service.subscribe());
    expect(await devicesOf(ada)).toHaveLength(1);
    await end();
    expect(await devicesOf(ada)).toEqual([]);
  });
});

const testDevice = () => ada.api.push.testDevice({});

describe('test', () => {
  test('sends one notification in the language of the user, without an address or a token [PUSH-07 PUSH-17]', async () => {
    const subscription = service.subscribe();
    await ada.api.push.saveDevice(subscription);
    await ada.api.users.update({ language: 'de' });
    const { id } = await testDevice();
    expect(service.errors).toEqual([]);
    expect(service.received).toEqual([
      expect.objectContaining({
        ttl: '60',
        topic: 'test',
        urgency: 'high',
        key: vapidKeys(w.config).publicKey,
      }),
    ]);
    expect(service.messagesFor(subscription)).toEqual([
      {
        title: 'Muster',
        body: 'Benachrichtigungen kommen auf diesem Gerät an.',
        path: '/app/settings/notifications',
        tag: 'test',
        language: 'de',
        test: id,
      },
    ]);
  });

  test('without a device is refused [PUSH-17]', async () => {
    expect(await outcomeOf(testDevice())).toBe('409 no_device');
    expect(service.state.requests).toBe(0);
  });

  test('is limited to five within 24 hours for each device [PUSH-17]', async () => {
    await ada.api.push.saveDevice(service.subscribe());
    for (let times = 0; times < 5; times++) await testDevice();
    w.later('23 hours');
    // Renews the access token.
    await ada.api.users.me({});
    const refused = await send(w, ada, 'POST /v1/push/device/test', {});
    expect([refused.status, refused.error]).toEqual([429, 'too_often']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(service.state.requests).toBe(5);
    w.later('1 hour');
    await testDevice();
  });

  test.each([404, 410, 401, 403])(
    'after %i the device is lost, and only its session can renew it [PUSH-10]',
    async (status) => {
      const laptop = await anotherSession(ada);
      await ada.api.push.saveDevice(service.subscribe());
      service.state.respond = { status };
      expect(await outcomeOf(testDevice())).toBe('409 no_device');
      expect(await ada.api.push.device({})).toEqual({ ...off(), is_lost: true });
      expect(await laptop.push.device({})).toEqual(off());
      expect((await ada.api.auth.sessions({})).map(({ has_push }) => has_push)).toEqual([false, false]);
      expect(await outcomeOf(testDevice())).toBe('409 no_device');
      expect(service.state.requests).toBe(1);
      expect(await ada.api.push.saveDevice(service.subscribe())).toEqual({ ...off(), is_on: true });
    },
  );

  test.each([
    ['429', { status: 429 }],
    ['503', { status: 503 }],
    ['a redirect', { status: 307, headers: { location: 'https://evil.example/' } }],
  ])(
    'says that the service does not respond after %s, and keeps the device [PUSH-10]',
    async (_, respond) => {
      await ada.api.push.saveDevice(service.subscribe());
      service.state.respond = respond;
      expect(await outcomeOf(testDevice())).toBe('503 unavailable');
      expect(await ada.api.push.device({})).toEqual({ ...off(), is_on: true });
    },
  );

  test('holds no database connection while the service does not answer', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => w.person('Slow')));
    for (const { api } of people) await api.push.saveDevice(service.subscribe());
    service.state.respond = 'nothing';
    const tests = people.map(({ api }) => outcomeOf(api.push.testDevice({})));
    await expect.poll(() => service.state.requests).toBe(12);
    const since = performance.now();
    await ada.api.users.update({ first_name: 'Ada' });
    expect(performance.now() - since).toBeLessThan(1000);
    expect(new Set(await Promise.all(tests))).toEqual(new Set(['503 unavailable']));
  });

  test('sends no request after the row was changed by hand to another host [PUSH-06]', async () => {
    await ada.api.push.saveDevice(service.subscribe());
    await using other = await openPushService();
    const { endpoint } = other.subscribe();
    await run(w.db, sql`update push_devices set endpoint = ${endpoint} where user_id = ${ada.id}`);
    expect(await outcomeOf(testDevice())).toBe('503 unavailable');
    expect([other.state.requests, service.state.requests]).toEqual([0, 0]);
  });
});

test('push: neither endpoints nor keys nor texts are logged, whatever the service responds [PUSH-07]', async () => {
  const subscription = service.subscribe();
  await ada.api.push.saveDevice(subscription);
  for (const status of [201, 500, 400, 410]) {
    service.state.respond = { status };
    await outcomeOf(ada.api.push.testDevice({}));
  }
  await outcomeOf(ada.api.push.saveDevice({ ...subscription, auth: 'wrong' }));
  expect(lines).toContain('/api/v1/push/device');
  const path = new URL(subscription.endpoint).pathname;
  for (const secret of [path, subscription.p256dh, subscription.auth, vapidKeys(w.config).privateKey])
    expect(lines).not.toContain(secret);
  expect(lines).not.toContain('Notifications work on this device.');
});

test('PUSH_HOSTS=none: there is no key, nothing is stored and no request leaves [PUSH-03]', async () => {
  await using world = await isolatedWorld({ PUSH_HOSTS: 'none' });
  const { api, id } = await world.person('Ada');
  const none = { public_key: null, is_on: false, is_lost: false };
  expect(await api.push.device({})).toEqual(none);
  const subscription = service.subscribe();
  expect(await outcomeOf(api.push.saveDevice(subscription))).toBe('409 push_off');
  // A row from before the operator switched push off.
  await run(
    world.db,
    sql`insert into push_devices (session_id, user_id, endpoint, p256dh, auth, created_at)
        select id, user_id, ${subscription.endpoint}, ${Buffer.from(subscription.p256dh, 'base64url')},
          ${Buffer.from(subscription.auth, 'base64url')}, now() from sessions where user_id = ${id}`,
  );
  expect(await api.push.device({})).toEqual(none);
  expect(await outcomeOf(api.push.testDevice({}))).toBe('409 no_device');
  expect(service.state.requests).toBe(0);
  expect(await api.push.removeDevice({})).toEqual(none);
});
