import { expect, test } from 'vitest';
import { inviteLinkLifetime, isIntended, whyCannotJoin } from '#features/invites/rules.ts';

const link = { created_at: '2026-05-01T10:00:00.000Z' };

test.each([
  ['never removed', undefined, undefined],
  ['removed before the link was created', '2026-05-01T09:59:59.999Z', undefined],
  ['removed when the link was created', '2026-05-01T10:00:00.000Z', 'ejected'],
  ['removed after the link was created', '2026-05-01T10:00:00.001Z', 'ejected'],
] as const)('whyCannotJoin: %s', (_, ejectedAt, error) => {
  expect(whyCannotJoin(link, ejectedAt)).toBe(error);
});

test('inviteLinkLifetime: one week', () => {
  expect(inviteLinkLifetime).toBe(604_800);
});

const at = Date.parse('2026-05-01T10:00:00.000Z');
const minutes = 60_000;
const intent = { token: 'token', email: 'Bob@example.org', at };
const login = { token: 'token', email: 'bob@example.org', now: at };

test.each([
  ['pressed just now', {}, {}, true],
  ['pressed 29 minutes ago', {}, { now: at + 29 * minutes }, true],
  ['pressed 30 minutes ago', {}, { now: at + 30 * minutes }, false],
  ['the clock was set back', {}, { now: at - 1 }, false],
  ['another invite', { token: 'other' }, {}, false],
  ['another email entered', { email: 'eve@example.org' }, {}, false],
  ['no email entered', { email: undefined }, {}, false],
  ['nobody logged in', {}, { email: undefined }, false],
  ['no email entered and nobody logged in', { email: undefined }, { email: undefined }, false],
  ['nothing pressed', { token: undefined, email: undefined, at: undefined }, {}, false],
])('isIntended: %s [UX-23]', (_, stored, given, expected) => {
  expect(isIntended({ ...intent, ...stored }, { ...login, ...given })).toBe(expected);
});
