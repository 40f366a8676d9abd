import { expect, test } from 'vitest';
import { deletionIn, fateOf, fileOf, successorOf } from '#features/account/rules.ts';
import type { Membership } from '#features/members/rules.ts';

const membership = (user_id: string, club_role: Membership['club_role']): Membership => ({
  user_id,
  club_role,
});
const club = 'the club';
const alone = [membership('ada', 200)];
const onlyAdmin = [membership('ada', 200), membership('bob', 100), membership('cyd', 0)];
const twoAdmins = [membership('ada', 200), membership('bob', 200), membership('cyd', 0)];

test.each([
  ['a member goes', onlyAdmin, 'cyd', undefined, 'stays'],
  ['one of two admins goes', twoAdmins, 'ada', undefined, 'stays'],
  ['one of two admins wants to delete it', twoAdmins, 'ada', { club, delete: true }, 'stays'],
  ['the last one goes', alone, 'ada', undefined, 'goes'],
  ['the last one names who has left', alone, 'ada', { club, successor: 'bob' }, 'goes'],
  ['the only admin says nothing', onlyAdmin, 'ada', undefined, 'undecided'],
  ['the only admin deletes it', onlyAdmin, 'ada', { club, delete: true }, 'goes'],
  ['the only admin names a member', onlyAdmin, 'ada', { club, successor: 'cyd' }, { successor: 'cyd' }],
  ['the only admin names a stranger', onlyAdmin, 'ada', { club, successor: 'eve' }, 'undecided'],
  ['the only admin names themselves', onlyAdmin, 'ada', { club, successor: 'ada' }, 'undecided'],
] as const)('%s', (_, memberships, user, choice, fate) => {
  expect(fateOf(memberships, user, choice)).toEqual(fate);
});

test.each([
  ['the organiser, though later', [...alone, membership('cyd', 0), membership('bob', 100)], 'bob'],
  ['who is longest there', [membership('bob', 0), membership('cyd', 0), ...alone], 'bob'],
  ['nobody', alone, undefined],
] as const)('of a club whose admin cannot be asked any more, %s takes over', (_, memberships, successor) => {
  expect(successorOf(memberships, 'ada')).toBe(successor);
});

test('the mark of a deletion is found again in the name of its file, and in no other name', () => {
  const deletion = { digest: `${'a-_9'.repeat(10)}abc`, deleted_on: '2026-11-22' };
  expect(deletionIn(fileOf(deletion))).toEqual(deletion);
  for (const name of ['', 'notes.txt', `2026-11-22.${'a'.repeat(42)}`, `22.11.2026.${'a'.repeat(43)}`])
    expect(deletionIn(name)).toBeUndefined();
});
