import { expect, test } from 'vitest';
import { whyCannotChange } from '#features/updates/rules.ts';

test.each([
  ['an admin', 'their own', 200, 'me', undefined],
  ['an admin', "another user's", 200, 'you', undefined],
  ['an admin', 'an authorless', 200, null, undefined],
  ['an organiser', 'their own', 100, 'me', undefined],
  ['an organiser', "another user's", 100, 'you', 'not_author'],
  ['a member', 'their own', 0, 'me', undefined],
  ['a member', "another user's", 0, 'you', 'not_author'],
  ['a member', 'an authorless', 0, null, 'not_author'],
] as const)('whyCannotChange: %s and %s update [UX-29]', (_who, _what, club_role, creator_id, error) => {
  expect(whyCannotChange({ user_id: 'me', club_role }, { creator_id })).toBe(error);
});
