import { createECDH } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { sendPush, subscriptionOf, vapidKeys, type Push } from '#features/push/gateway.ts';
import { decrypted, openPushService, type PushService } from '#test/push-service.ts';

let service: PushService;
beforeAll(async () => {
  service = await openPushService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  service.received.length = service.errors.length = 0;
  Object.assign(service.state, { requests: 0, closed: 0, respond: { status: 201 } });
});

const configWith = (env: Record<string, string> = {}) =>
  readConfig({
    SECRET_KEY: 'a key that only the tests of this project use',
    PUSH_HOSTS: service.host,
    ...env,
  });
const device = () => {
  const subscription = subscriptionOf(configWith(), service.subscribe());
  if (!subscription) throw new Error('The subscription was refused');
  return subscription;
};
const push: Push = {
  title: 'Harbour Rowers',
  body: 'Ada moved “Regatta” to Pier 4.',
  path: '/app/events/regatta',
  tag: 'bW92ZWQ',
  language: 'en',
  ttl: 3600,
  urgency: 'high',
};
const { ttl: _ttl, urgency: _urgency, ...message } = push;

describe('stand-in for push services', () => {
  /** The example of RFC 8291, appendix A. */
  const example = {
    privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  };
  const body = Buffer.from(example.body, 'base64url');

  test('decrypts the example of RFC 8291 [PUSH-07]', () => {
    expect(decrypted(body, example)).toBe('When I grow up, I want to be a watermelon');
  });

  test('refuses a second record and a changed byte [PUSH-07]', () => {
    const small = Buffer.from(body);
    small.writeUInt32BE(30, 16);
    expect(() => decrypted(small, example)).toThrow('There is a second record');
    const changed = Buffer.from(body);
    changed[100] = (changed[100] as number) ^ 1;
    expect(() => decrypted(changed, example)).toThrow();
  });

  test('refuses a request that is not signed for it [PUSH-07]', async () => {
    const { endpoint } = service.subscribe();
    expect((await fetch(endpoint, { method: 'POST', body: 'x' })).status).toBe(400);
    expect(service.errors).toEqual(['This is not a push']);
  });
});

test('push: the service decrypts exactly the message, in one record, with TTL, Topic and Urgency and a valid VAPID signature [PUSH-07]', async () => {
  const config = configWith();
  expect(await sendPush(config, device(), push)).toEqual({ state: 'accepted' });
  expect(service.errors).toEqual([]);
  expect(service.received).toEqual([
    expect.objectContaining({
      message,
      ttl: '3600',
      topic: 'bW92ZWQ',
      urgency: 'high',
      key: vapidKeys(config).publicKey,
    }),
  ]);
});

test.each([
  ['letters', 'x'.repeat(10_000)],
  ['emojis', '🚣'.repeat(5000)],
  ['letters that JSON escapes', '"'.repeat(10_000)],
])(
  'push: a text of too many %s is cut, so that it is one record of at most 4,096 bytes [PUSH-07]',
  async (_, body) => {
    expect(await sendPush(configWith(), device(), { ...push, body })).toEqual({ state: 'accepted' });
    expect(service.errors).toEqual([]);
    const [received] = service.received;
    expect(received?.bytes).toBeLessThan(4096);
    const { body: cut, ...rest } = received?.message ?? message;
    expect({ ...rest, body: '' }).toEqual({ ...message, body: '' });
    expect(cut.endsWith('…') && body.startsWith(cut.slice(0, -1))).toBe(true);
    // Not more than necessary is cut.
    expect(Buffer.byteLength(JSON.stringify(received?.message))).toBeGreaterThan(2900);
  },
);

describe('response of a push service', () => {
  test.each([
    [201, {}, { state: 'accepted' }],
    [404, {}, { state: 'gone' }],
    [410, {}, { state: 'gone' }],
    [403, {}, { state: 'gone' }],
    [429, { 'retry-after': '90' }, { state: 'retry', after: 90 }],
    [503, {}, { state: 'retry', after: 0 }],
    [413, {}, { state: 'failed' }],
  ])('%i with %j gives %j [PUSH-10]', async (status, headers, outcome) => {
    service.state.respond = { status, headers: headers as Record<string, string> };
    expect(await sendPush(configWith(), device(), push)).toEqual(outcome);
    expect(service.state.requests).toBe(1);
  });

  test('a redirect is not followed [PUSH-06]', async () => {
    let followed = 0;
    await using target = await openPushService();
    for (const status of [301, 302, 303, 307, 308]) {
      service.state.respond = { status, headers: { location: target.subscribe().endpoint } };
      expect(await sendPush(configWith(), device(), push)).toEqual({ state: 'failed' });
      followed += target.state.requests;
    }
    expect([service.state.requests, followed]).toEqual([5, 0]);
  });

  test('an endless body is not read: the connection is closed [PUSH-06]', async () => {
    service.state.respond = { status: 201, endless: true };
    expect(await sendPush(configWith(), device(), push)).toEqual({ state: 'accepted' });
    await expect.poll(() => service.state.closed).toBe(1);
  });

  test('a service that does not answer is given up after 10 seconds [PUSH-06]', async () => {
    service.state.respond = 'nothing';
    const since = performance.now();
    expect(await sendPush(configWith(), device(), push)).toEqual({
      state: 'retry',
      after: 0,
      isSilent: true,
    });
    const waited = performance.now() - since;
    expect(waited).toBeGreaterThan(9_900);
    expect(waited).toBeLessThan(12_000);
    await expect.poll(() => service.state.closed).toBe(1);
  });

  test('no connection means a retry [PUSH-10]', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise((resolve) => server.close(resolve));
    const config = configWith({ PUSH_HOSTS: host });
    const closed = { ...device(), endpoint: `http://${host}/x` };
    expect(await sendPush(config, closed, push)).toEqual({ state: 'retry', after: 0 });
  });
});

test('push: a host that is not allowed any more gets no request [PUSH-03 PUSH-06]', async () => {
  for (const hosts of ['none', 'fcm.googleapis.com'])
    expect(await sendPush(configWith({ PUSH_HOSTS: hosts }), device(), push)).toEqual({ state: 'failed' });
  expect(service.state.requests).toBe(0);
});

const refused = (change: object) => subscriptionOf(configWith(), { ...service.subscribe(), ...change });
const point = () => {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair;
};

describe('subscription', () => {
  test('is accepted with and without padding [PUSH-05]', () => {
    const { auth, ...rest } = service.subscribe();
    for (const sent of [auth, `${auth}==`])
      expect(subscriptionOf(configWith(), { ...rest, auth: sent })?.auth.length).toBe(16);
  });

  test('is refused if p256dh is not a point of P-256 [PUSH-05]', () => {
    const bytes = point().getPublicKey();
    const offCurve = Buffer.from(bytes);
    offCurve[64] = (offCurve[64] as number) ^ 1;
    const hybrid = point().getPublicKey(undefined, 'hybrid');
    const wrong = [
      offCurve,
      hybrid,
      point().getPublicKey(undefined, 'compressed'),
      Buffer.alloc(65, 4),
      Buffer.concat([bytes, Buffer.from([0])]),
      bytes.subarray(0, 64),
      Buffer.alloc(0),
    ];
    for (const key of wrong) expect(refused({ p256dh: key.toString('base64url') })).toBeUndefined();
    expect(refused({ p256dh: '???' })).toBeUndefined();
  });

  test.each([0, 15, 17])('is refused if auth has %i bytes [PUSH-05]', (bytes) => {
    expect(refused({ auth: Buffer.alloc(bytes).toString('base64url') })).toBeUndefined();
  });
});

describe('VAPID key', () => {
  test('is the same for the same SECRET_KEY, and another for another one [PUSH-04]', () => {
    const [one, again, other] = ['a', 'a', 'b'].map((letter) => vapidKeys({ secretKey: letter.repeat(32) }));
    expect(one).toEqual(again);
    expect(other).not.toEqual(one);
    // Devices subscribe with this key, so another derivation would end all subscriptions.
    expect(one?.publicKey).toBe(
      'BIHHHNjGJQh0PhLfonCvmJr_ZjD_Vr1k9zYuhG7YYeTfU8be-BqqRiKtelH4dIrYMZliA8JLlZTcbAf9UlX40-k',
    );
  });

  test('is a pair of P-256 [PUSH-04]', () => {
    const { publicKey, privateKey } = vapidKeys({ secretKey: 'a'.repeat(32) });
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'));
    expect(pair.getPublicKey('base64url')).toBe(publicKey);
  });
});
