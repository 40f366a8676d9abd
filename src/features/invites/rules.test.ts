import { expect, test } from 'vitest';
import { inviteLinkLifetime, whyCannotJoin } from '#features/invites/rules.ts';

const link = { created_at: '2026-05-01T10:00:00.000Z' };

test.each([
  ['never removed', undefined, undefined],
  ['removed before the link was created', '2026-05-01T09:59:59.999Z', undefined],
  ['removed at the same time', '2026-05-01T10:00:00.000Z', 'ejected'],
  ['removed after', '2026-05-01T10:00:00.001Z', 'ejected'],
] as const)('whyCannotJoin: %s', (_, ejectedAt, error) => {
  expect(whyCannotJoin(link, ejectedAt)).toBe(error);
});

test('inviteLinkLifetime: one week', () => {
  expect(inviteLinkLifetime).toBe(604_800);
});
