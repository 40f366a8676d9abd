import { expect, test } from 'vitest';
import { erasureIn, fateOf, fileOf, heirOf } from '#features/account/rules.ts';
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

test.each([
  ['the organiser, though later', [...alone, seat('cyd', 0), seat('bob', 100)], 'bob'],
  ['who is longest there', [seat('bob', 0), seat('cyd', 0), ...alone], 'bob'],
  ['nobody', alone, undefined],
] as const)('of a club whose admin cannot be asked any more, %s takes over', (_, seats, heir) => {
  expect(heirOf(seats, 'ada')).toBe(heir);
});

test('the mark of a deletion is found again in the name of its file, and in no other name', () => {
  const erasure = { mark: `${'a-_9'.repeat(10)}abc`, erased_on: '2026-11-22' };
  expect(erasureIn(fileOf(erasure))).toEqual(erasure);
  for (const name of ['', 'notes.txt', `2026-11-22.${'a'.repeat(42)}`, `22.11.2026.${'a'.repeat(43)}`])
    expect(erasureIn(name)).toBeUndefined();
});
