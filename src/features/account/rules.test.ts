import { expect, test } from 'vitest';
import { fateOf } from '#features/account/rules.ts';
import type { Seat } from '#features/members/rules.ts';

const seat = (user_id: string, club_role: Seat['club_role']): Seat => ({ user_id, club_role });
const club = 'the club';
const alone = [seat('ada', 200)];
const onlyAdmin = [seat('ada', 200), seat('bob', 100), seat('cyd', 0)];
const twoAdmins = [seat('ada', 200), seat('bob', 200), seat('cyd', 0)];

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
] as const)('%s', (_, seats, user, choice, fate) => {
  expect(fateOf(seats, user, choice)).toEqual(fate);
});
