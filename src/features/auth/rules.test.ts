import { expect, test } from 'vitest';
import { deviceName, isPublicPath, localPath, maySend } from './rules.ts';

test.each([
  '/',
  '/app',
  '/app/clubs/chess-club',
  '/app/events/run-abcdefghij?from=mail&next=//x',
  '/app/clubs/caf%C3%A9#new-update',
])('localPath: accepts %s', (path) => {
  expect(localPath(path)).toBe(path);
});

test.each([
  ['another host', '//e'],
  ['another host behind a backslash', '/\\e'],
  ['another host behind an encoded slash', '/%2fe'],
  ['another host behind an encoded backslash', '/%5ce'],
  ['a scheme without slashes', 'https:e'],
  ['a scheme', 'https://e/app'],
  ['a script', 'javascript:alert(1)'],
  ['an encoded tab', '/%09/e'],
  ['a raw tab', '/\t/e'],
  ['a line break', '/\n/e'],
  ['a leading blank', ' /app'],
  ['an empty segment after a step up', '/app/..//e'],
  ['a step up', '/app/../e'],
  ['an encoded step up', '/app/%2e%2e/e'],
  ['a relative path', 'app'],
  ['a broken escape', '/app/%zz'],
  ['an empty string', ''],
  ['2 KiB', `/${'a'.repeat(2047)}`],
  ['an object', { path: '/app' }],
  ['undefined', undefined],
])('localPath: rejects %s [T25]', (_, value) => {
  expect(localPath(value)).toBeUndefined();
});

test.each([
  '/',
  '/login',
  '/login/',
  '/privacy-policy',
  '/confirm',
  '/unsubscribe',
  '/revert-email',
  '/app/club/chess/abc',
])('isPublicPath: true for %s', (path) => {
  expect(isPublicPath(path)).toBe(true);
});

test.each(['/app', '/app/clubs/chess', '/app/club', '/app/profile', '/thankyou', '/logins', '/nowhere'])(
  'isPublicPath: false for %s',
  (path) => {
    expect(isPublicPath(path)).toBe(false);
  },
);

test.each([
  ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  [
    'Chrome on Android',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  ],
  [
    'Edge on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  ],
  [
    'Safari on Mac',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  ],
  [
    'Safari on iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  [
    'Chrome on Linux',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/153.0.0.0 Safari/537.36',
  ],
  ['Firefox', 'Firefox'],
  ['Unknown device', 'node'],
  ['Unknown device', ''],
])('deviceName: %s', (name, agent) => {
  expect(deviceName(agent)).toBe(name);
});

/** A code requested `ago` seconds ago, used by default. */
interface Asked {
  ago: number;
  used?: boolean;
  elsewhere?: boolean;
}
const times = (count: number, code: (n: number) => Asked): Asked[] =>
  Array.from({ length: count }, (_, n) => code(n));

test.each<[string, Asked[], boolean]>([
  ['the first', [], true],
  ['within a minute of an unused one', [{ ago: 59, used: false }], false],
  ['within a minute of an unused one of another network', [{ ago: 59, used: false, elsewhere: true }], false],
  ['a minute after an unused one', [{ ago: 60, used: false }], true],
  ['right after a login', [{ ago: 1 }], true],
  ['after a login, with another one still unused', [{ ago: 1 }, { ago: 2, used: false }], false],
  [
    'the seventh of a network within an hour, however many were used',
    times(6, (n) => ({ ago: n + 1 })),
    false,
  ],
  [
    'the seventh within an hour, one of another network',
    times(6, (n) => ({ ago: n + 1, elsewhere: n === 0 })),
    true,
  ],
  ['the twenty-first of a network within a day', times(20, (n) => ({ ago: 4000 + 1000 * n })), false],
  [
    'the twenty-first within a day, all of another network',
    times(20, (n) => ({ ago: 4000 + 1000 * n, elsewhere: true })),
    true,
  ],
  ['the fortieth of all networks', times(39, (n) => ({ ago: 61 + 61 * n, elsewhere: true })), true],
  [
    'the forty-first of all networks, within 15 minutes of the last',
    times(40, (n) => ({ ago: 899 + 61 * n, elsewhere: true })),
    false,
  ],
  [
    'the forty-first of all networks, 15 minutes after the last',
    times(40, (n) => ({ ago: 900 + 61 * n, elsewhere: true })),
    true,
  ],
])('maySend: %s', (_, sent, may) => {
  const now = '2026-06-21T12:00:00.000Z';
  const codes = sent.map(({ ago, used = true, elsewhere = false }) => {
    const created_at = new Date(Date.parse(now) - ago * 1000).toISOString();
    return { created_at, used_at: used ? created_at : null, same_network: !elsewhere };
  });
  expect(maySend(codes, now)).toBe(may);
});
