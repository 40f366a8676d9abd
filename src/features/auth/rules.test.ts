import { expect, test } from 'vitest';
import {
  codeStatus,
  deviceName,
  inviteIn,
  isPublicPath,
  localPath,
  mayRegister,
  secondsUntilSend,
} from './rules.ts';

test.each([
  ['open', undefined, true, true],
  ['open', ['example.org'], true, true],
  ['open', ['example.com', 'ample.org', 'x.example.org'], false, false],
  ['invited', undefined, true, false],
  ['invited', ['example.com'], false, false],
  ['closed', undefined, false, false],
] as const)(
  'mayRegister: with registration %s and the domains %j: %s if invited, %s if not [OPER-06 OPER-07]',
  (registration, allowedEmailDomains, invited, uninvited) => {
    const may = (isInvited: boolean) =>
      mayRegister({ registration, allowedEmailDomains }, { email: 'ada@example.org', isInvited });
    expect([may(true), may(false)]).toEqual([invited, uninvited]);
  },
);

test.each([
  ['/app/club/rowers/ab-C_1', 'ab-C_1'],
  ['/app/club/rowers/abc/?from=mail', 'abc'],
  ['/app/club/rowers/abc#top', 'abc'],
  ['/app/club/rowers', undefined],
  ['/app/club/rowers/abc/more', undefined],
  ['/app/clubs/rowers/abc', undefined],
  [undefined, undefined],
])('inviteIn: the invite of the path %s is %s [OPER-06]', (path, token) => {
  expect(inviteIn(path)).toBe(token);
});

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
  ['a path of 2 KiB', `/${'a'.repeat(2047)}`],
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
  guessed?: boolean;
  otherPurpose?: boolean;
}
const times = (count: number, code: (n: number) => Asked): Asked[] =>
  Array.from({ length: count }, (_, n) => code(n));

const now = '2026-06-21T12:00:00.000Z';
const secondsAgo = (seconds: number) => new Date(Date.parse(now) - seconds * 1000).toISOString();
const codesOf = (sent: Asked[]) =>
  sent.map(({ ago, used = true, elsewhere = false, guessed = false, otherPurpose = false }) => ({
    created_at: secondsAgo(ago),
    used_at: used ? secondsAgo(ago) : null,
    good_until: used || guessed ? null : secondsAgo(ago - 600),
    same_network: !elsewhere,
    same_purpose: !otherPurpose,
  }));

test.each<[string, Asked[], number]>([
  ['the first code', [], 0],
  ['a code within a minute of an unused code', [{ ago: 59, used: false }], 1],
  [
    'a code within a minute of an unused code that another network requested',
    [{ ago: 58.5, used: false, elsewhere: true }],
    2,
  ],
  ['a code a minute after an unused code', [{ ago: 60, used: false }], 0],
  ['a code right after a login', [{ ago: 1 }], 0],
  ['a code within a minute of one for another purpose', [{ ago: 1, used: false, otherPurpose: true }], 0],
  [
    'the seventh code of a network within an hour, even if all were for other purposes',
    times(6, (n) => ({ ago: n + 1, otherPurpose: true })),
    3594,
  ],
  ['a code after a login, with another code still unused', [{ ago: 1 }, { ago: 2, used: false }], 58],
  [
    'the seventh code of a network within an hour, even if all were used',
    times(6, (n) => ({ ago: n + 1 })),
    3594,
  ],
  [
    'the seventh code within an hour, if one was requested by another network',
    times(6, (n) => ({ ago: n + 1, elsewhere: n === 0 })),
    0,
  ],
  ['the twenty-first code of a network within a day', times(20, (n) => ({ ago: 4000 + 1000 * n })), 63_400],
  [
    'the twenty-first code within a day, if all others were requested by another network',
    times(20, (n) => ({ ago: 4000 + 1000 * n, elsewhere: true })),
    0,
  ],
  ['the fortieth code across all networks', times(39, (n) => ({ ago: 61 + 61 * n, elsewhere: true })), 0],
  [
    'the forty-first code across all networks, within 15 minutes of the last code',
    times(40, (n) => ({ ago: 899 + 61 * n, elsewhere: true })),
    1,
  ],
  [
    'the forty-first code across all networks, 15 minutes after the last code',
    times(40, (n) => ({ ago: 900 + 61 * n, elsewhere: true })),
    0,
  ],
])('secondsUntilSend: %s', (_, sent, seconds) => {
  expect(secondsUntilSend(codesOf(sent), now)).toBe(seconds);
});

test.each<[string, Asked[], [sentAgo: number, goodFor: number]]>([
  ['no code', [], [0, 0]],
  ['a code that was just sent', [{ ago: 0, used: false }], [0, 600]],
  ['a code that was sent half a minute ago', [{ ago: 30.5, used: false }], [30, 570]],
  ['a code that was sent by a request with a later clock', [{ ago: -0.5, used: false }], [0, 601]],
  ['the newest of three codes', [90, 10, 400].map((ago) => ({ ago, used: false })), [10, 590]],
  ['the newest code that is not used', [{ ago: 10 }, { ago: 90, used: false }], [90, 510]],
  ['a code after too many wrong guesses', [{ ago: 10, used: false, guessed: true }], [10, 0]],
  [
    'a code beside a newer one for another purpose',
    [
      { ago: 5, used: false, otherPurpose: true },
      { ago: 30, used: false },
    ],
    [30, 570],
  ],
  ['an expired code', [{ ago: 601, used: false }], [601, 0]],
])('codeStatus: %s [UX-19]', (_, sent, [sentAgo, goodFor]) => {
  expect(codeStatus(codesOf(sent), now)).toMatchObject({ sent_ago: sentAgo, good_for: goodFor });
});
