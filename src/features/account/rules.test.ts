import { expect, test } from 'vitest';
import { deletionIn, recordFileName, outcomeFor, successorOf } from '#features/account/rules.ts';
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
  ['a member', onlyAdmin, 'cyd', undefined, 'stays'],
  ['one of two admins', twoAdmins, 'ada', undefined, 'stays'],
  ['one of two admins, who chooses to delete the club', twoAdmins, 'ada', { club, delete: true }, 'stays'],
  ['the last member', alone, 'ada', undefined, 'goes'],
  [
    'the last member, who names a former member as successor',
    alone,
    'ada',
    { club, successor: 'bob' },
    'goes',
  ],
  ['the only admin, who makes no choice', onlyAdmin, 'ada', undefined, 'undecided'],
  ['the only admin, who chooses to delete the club', onlyAdmin, 'ada', { club, delete: true }, 'goes'],
  [
    'the only admin, who names a member as successor',
    onlyAdmin,
    'ada',
    { club, successor: 'cyd' },
    { successor: 'cyd' },
  ],
  [
    'the only admin, who names a non-member as successor',
    onlyAdmin,
    'ada',
    { club, successor: 'eve' },
    'undecided',
  ],
  [
    'the only admin, who names themselves as successor',
    onlyAdmin,
    'ada',
    { club, successor: 'ada' },
    'undecided',
  ],
] as const)(
  'outcomeFor: what happens to a club when the account of %s is deleted',
  (_, memberships, user, choice, outcome) => {
    expect(outcomeFor(memberships, user, choice)).toEqual(outcome);
  },
);

test.each([
  ['an organiser who joined later', [...alone, membership('cyd', 0), membership('bob', 100)], 'bob'],
  ['the longest-standing member', [membership('bob', 0), membership('cyd', 0), ...alone], 'bob'],
  ['nobody', alone, undefined],
] as const)('default successor: %s', (_, memberships, successor) => {
  expect(successorOf(memberships, 'ada')).toBe(successor);
});

test('deletion record: is parsed from its own file name; other file names yield no record', () => {
  const deletion = { digest: `${'a-_9'.repeat(10)}abc`, deleted_on: '2026-11-22' };
  expect(deletionIn(recordFileName(deletion))).toEqual(deletion);
  for (const name of ['', 'notes.txt', `2026-11-22.${'a'.repeat(42)}`, `22.11.2026.${'a'.repeat(43)}`])
    expect(deletionIn(name)).toBeUndefined();
});
