import { expect, test } from 'vitest';
import { addSeconds } from '#wire/instant.ts';
import {
  budgetKey,
  nextAttempt,
  planned,
  uselessFrom,
  allowedEndpoint,
  outcomeOf,
} from '#features/push/rules.ts';

const hosts = ['fcm.googleapis.com', '*.push.services.mozilla.com', '127.0.0.1:4000', '[::1]:4000'];

test.each([
  ['https://fcm.googleapis.com/fcm/send/abc:123'],
  ['https://updates.push.services.mozilla.com/wpush/v2/gAAA'],
  ['https://a.b.push.services.mozilla.com/x?token=%2b'],
  ['http://127.0.0.1:4000/test'],
  ['http://[::1]:4000/test'],
])('endpoint: %s may get pushes [PUSH-05]', (endpoint) => {
  expect(allowedEndpoint(endpoint, hosts)).toBe(endpoint);
});

test.each([
  ['another spelling of the host', 'https://FCM.googleapis.com/x', 'https://fcm.googleapis.com/x'],
  ['port 443', 'https://fcm.googleapis.com:443/x', 'https://fcm.googleapis.com/x'],
  ['full-width letters', 'https://ｆcm.googleapis.com/x', 'https://fcm.googleapis.com/x'],
  ['an ideographic full stop', 'https://fcm。googleapis.com/x', 'https://fcm.googleapis.com/x'],
  ['a tab and a line break', 'https://fcm.goo\tgle\napis.com/x', 'https://fcm.googleapis.com/x'],
  ['backslashes', String.raw`https:\\fcm.googleapis.com\x`, 'https://fcm.googleapis.com/x'],
  ['an escaped letter', 'https://fcm%2Egoogleapis.com/x', 'https://fcm.googleapis.com/x'],
])(
  'endpoint: %s is stored in the canonical form that is checked and requested [PUSH-05]',
  (_, sent, stored) => {
    expect(allowedEndpoint(sent, hosts)).toBe(stored);
  },
);

test.each([
  ['plain http', 'http://fcm.googleapis.com/x'],
  ['another scheme', 'ftp://fcm.googleapis.com/x'],
  ['a file', 'file:///etc/passwd'],
  ['data', 'data:text/plain,x'],
  ['no URL', 'fcm.googleapis.com/x'],
  ['an empty text', ''],
  ['another port', 'https://fcm.googleapis.com:8443/x'],
  ['port 80 over https', 'https://fcm.googleapis.com:80/x'],
  ['a user', 'https://user@fcm.googleapis.com/x'],
  ['a user and a password', 'https://user:secret@fcm.googleapis.com/x'],
  ['an empty user with a password', 'https://:secret@fcm.googleapis.com/x'],
  ['the allowed host as the user', 'https://fcm.googleapis.com@evil.example/x'],
  ['the allowed host as the user, escaped', 'https://fcm.googleapis.com%40evil.example/x'],
  ['the allowed host before a backslash', 'https://evil.example\\@fcm.googleapis.com/x'],
  ['a host that begins like the allowed one', 'https://fcm.googleapis.com.evil.example/x'],
  ['a host that ends like the allowed one', 'https://evilfcm.googleapis.com/x'],
  ['a host below one that has no wildcard', 'https://a.fcm.googleapis.com/x'],
  ['the parent of a host', 'https://googleapis.com/x'],
  ['the host of a wildcard itself', 'https://push.services.mozilla.com/x'],
  ['an empty label below a wildcard', 'https://.push.services.mozilla.com/x'],
  ['a host that ends like a wildcard without its dot', 'https://evilpush.services.mozilla.com/x'],
  ['an upper-case variant of another host', 'https://FCM.GOOGLEAPIS.COM.EVIL.EXAMPLE/x'],
  ['a dot after the host', 'https://fcm.googleapis.com./x'],
  ['look-alike letters', 'https://fcm.googleаpis.com/x'],
  ['their punycode', 'https://fcm.xn--googlepis-83i.com/x'],
  ['localhost', 'https://localhost/x'],
  ['localhost over http', 'http://localhost:4000/x'],
  ['a name below localhost', 'https://fcm.localhost/x'],
  ['a private address', 'https://10.0.0.1/x'],
  ['the address of cloud metadata', 'http://169.254.169.254/latest/meta-data'],
  ['an IPv6 address', 'https://[fd00::1]/x'],
  ['an IPv4 address in IPv6', 'http://[::ffff:127.0.0.1]:4000/x'],
  ['a public address', 'https://142.250.1.1/x'],
  ['another loopback address', 'http://127.0.0.2:4000/x'],
  ['another port of the loopback address', 'http://127.0.0.1:5432/x'],
  ['the loopback address without a port', 'http://127.0.0.1/x'],
  ['the loopback address over https', 'https://127.0.0.1:4000/x'],
  ['more than 1,000 characters', `https://fcm.googleapis.com/${'x'.repeat(1000)}`],
  ['more than 1,000 characters in the canonical form', `https://fcm.googleapis.com/${'ü'.repeat(400)}`],
])('endpoint: %s gets no pushes [PUSH-05]', (_, endpoint) => {
  expect(allowedEndpoint(endpoint, hosts)).toBeUndefined();
});

test('endpoint: a number that stands for the loopback address counts as that address [PUSH-05]', () => {
  expect(allowedEndpoint('http://2130706433:4000/x', hosts)).toBe('http://127.0.0.1:4000/x');
  expect(allowedEndpoint('http://2130706433:4001/x', hosts)).toBeUndefined();
});

test('endpoint: without hosts nothing gets pushes [PUSH-03]', () => {
  expect(allowedEndpoint('https://fcm.googleapis.com/x', [])).toBeUndefined();
});

const now = Date.parse('2026-12-01T12:00:00Z');

test.each([
  [[200, 201, 202], { state: 'accepted' }],
  [[401, 403, 404, 410], { state: 'gone' }],
  [[204, 206, 301, 302, 307, 308, 400, 405, 413], { state: 'failed' }],
  [[429, 500, 502, 503, 504, 599], { state: 'retry', after: 0 }],
])('outcome: after %j it is %j [PUSH-10]', (statuses, outcome) => {
  for (const status of statuses) expect([status, outcomeOf(status, null, now)]).toEqual([status, outcome]);
});

test.each([
  ['120', 120],
  ['0', 0],
  ['Tue, 01 Dec 2026 12:05:00 GMT', 300],
  ['Tue, 01 Dec 2026 11:00:00 GMT', 0],
  ['999999999999', 86_400],
  ['soon', 0],
  ['-5', 0],
  ['', 0],
])('outcome: Retry-After %j is a wait of %i seconds [PUSH-10]', (retryAfter, after) => {
  expect(outcomeOf(429, retryAfter, now)).toEqual({ state: 'retry', after });
});

const start = '2026-12-01T18:00:00.000Z';
const minutes = (n: number) => addSeconds(start, n * 60);

test.each([
  [1, 0, 1],
  [2, 0, 5],
  [3, 0, 30],
  [4, 0, 120],
  [5, 0, undefined],
  [9, 0, undefined],
  [1, 90, 1.5],
  [4, 60, 120],
])(
  'retry: after attempt %i, with Retry-After %i, the next one is after %s minutes [PUSH-11]',
  (attempts, after, wait) => {
    const useless = addSeconds(start, 24 * 60 * 60);
    expect(nextAttempt({ attempts, after, useless }, start)).toBe(wait && minutes(wait));
  },
);

test('retry: is left out if the push is useless by then [PUSH-11]', () => {
  expect(nextAttempt({ attempts: 2, after: 0, useless: minutes(5) }, start)).toBeUndefined();
  expect(nextAttempt({ attempts: 2, after: 0, useless: addSeconds(minutes(5), 1) }, start)).toBe(minutes(5));
});

test('useless: after a day, or when the notice says so if that is earlier [PUSH-11]', () => {
  expect(uselessFrom(start)).toBe(minutes(24 * 60));
  expect(uselessFrom(start, minutes(7))).toBe(minutes(7));
  expect(uselessFrom(start, minutes(48 * 60))).toBe(minutes(24 * 60));
});

const due = (id: number, { user = 'ada', device = '', kind = 'news', isAlways = false } = {}) => ({
  notification_id: `notice ${id}`,
  session_id: device || `${user}'s phone`,
  user_id: user,
  kind,
  isAlways,
});
const inHour = (count: number, kind = 'news') =>
  new Map([
    [
      budgetKey({ user_id: 'ada', kind }),
      new Set(Array.from({ length: count }, (_, n) => `notice ${n + 1}`)),
    ],
  ]);
const planOf = (pushes: ReturnType<typeof due>[], sent = inHour(0)) =>
  planned(pushes, sent).map((each) => [each.pushes[0].session_id, each.pushes.length, each.n]);

test('plan: up to three pushes for a device are sent as they are, and more become one that counts them [PUSH-15]', () => {
  const three = [due(1), due(2), due(3)];
  const phone = "ada's phone";
  expect(planOf(three)).toEqual([1, 2, 3].map(() => [phone, 1, undefined]));
  expect(planOf([...three, due(4)])).toEqual([[phone, 4, 4]]);
  expect(planOf([...three, due(4, { user: 'bob' })])).toHaveLength(4);
});

test('plan: beyond six of one kind to one person in an hour, notices stay in the bell, and those that are always sent are counted [PUSH-15]', () => {
  const phone = "ada's phone";
  expect(planOf([due(6)], inHour(5))).toEqual([[phone, 1, undefined]]);
  expect(planOf([due(7)], inHour(6))).toEqual([]);
  expect(planOf([due(7, { isAlways: true })], inHour(6))).toEqual([[phone, 1, 1]]);
  expect(planOf([due(8, { isAlways: true }), due(9, { isAlways: true })], inHour(7))).toEqual([
    [phone, 2, 3],
  ]);
  expect(planOf([due(7, { kind: 'other' })], inHour(6))).toEqual([[phone, 1, undefined]]);
  // Another device of the same person, or another attempt.
  expect(planOf([due(6, { device: 'laptop' })], inHour(6))).toEqual([['laptop', 1, undefined]]);
});
