import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bySection,
  fullName,
  isAdminIn,
  isOnlyAdmin,
  longestStandingAdmin,
  role,
  whyCannotEject,
  whyCannotLeave,
  whyCannotTakeRole,
  type Membership,
} from '#features/members/rules.ts';

const { member, organiser, admin } = role;
const membership = (user_id: string, club_role: Membership['club_role']): Membership => ({
  user_id,
  club_role,
});

const alone = [membership('ada', admin)];
const oneAdmin = [membership('ada', admin), membership('bob', organiser), membership('cyd', member)];
const twoAdmins = [membership('bob', member), membership('ada', admin), membership('cyd', admin)];

test('roles: numbers on the wire [ROLE-01]', () => {
  expect(role).toEqual({ member: 0, organiser: 100, admin: 200 });
});

test.each([
  ['the only admin, alone', alone, 'ada', 'only_admin_left'],
  ['the only admin among others', oneAdmin, 'ada', 'only_admin_left'],
  ['an organiser', oneAdmin, 'bob', undefined],
  ['a member', oneAdmin, 'cyd', undefined],
  ['one of two admins', twoAdmins, 'ada', undefined],
] as const)('leave: %s [CLUB-27]', (_, memberships, user, error) => {
  expect(whyCannotLeave(memberships, user)).toBe(error);
});

test.each([
  ['oneself', twoAdmins, 'ada', 'ada', 'not_yourself'],
  ['oneself, as the only admin', alone, 'ada', 'ada', 'only_admin_left'],
  ['a non-member', oneAdmin, 'ada', 'eve', 'not_found'],
  ['a member', oneAdmin, 'ada', 'cyd', undefined],
  ['another admin', twoAdmins, 'ada', 'cyd', undefined],
  ['the only admin', oneAdmin, 'bob', 'ada', 'only_admin_left'],
] as const)('eject: %s [MEMBERS-10 MEMBERS-11]', (_, memberships, actor, gone, error) => {
  expect(whyCannotEject(memberships, actor, gone)).toBe(error);
});

test.each([
  ['the only admin to member', oneAdmin, 'ada', member, 'only_admin_left'],
  ['the only admin to organiser', oneAdmin, 'ada', organiser, 'only_admin_left'],
  ['the only admin to admin', oneAdmin, 'ada', admin, undefined],
  ['one of two admins to member', twoAdmins, 'ada', member, undefined],
  ['a member to admin', oneAdmin, 'cyd', admin, undefined],
  ['a non-member', oneAdmin, 'eve', admin, 'not_found'],
] as const)('change role: %s [MEMBERS-09]', (_, memberships, user, next, error) => {
  expect(whyCannotTakeRole(memberships, user, next)).toBe(error);
});

test.each([
  ['ada', 0, true],
  ['bob', 200, false],
  ['eve', 200, true],
  ['eve', 0, false],
] as const)(
  'isAdminIn: for the user %s with the my_club_role %i, returns %s',
  (user, my_club_role, expected) => {
    const members = [
      { id: 'ada', club_role: admin },
      { id: 'bob', club_role: organiser },
    ];
    expect(isAdminIn({ members, my_club_role }, user)).toBe(expected);
  },
);

test('longestStandingAdmin: the admin who joined first, excluding the given user', () => {
  expect(longestStandingAdmin(twoAdmins, 'bob')).toBe('ada');
  expect(longestStandingAdmin(twoAdmins, 'ada')).toBe('cyd');
  expect(longestStandingAdmin(oneAdmin, 'ada')).toBeUndefined();
});

test('fullName: an empty first name is shown as New User', () => {
  expect(fullName({ first_name: '', last_name: 'Lovelace' })).toBe('New User');
  expect(fullName({ first_name: 'Ada', last_name: '' })).toBe('Ada');
  expect(fullName({ first_name: 'Ada', last_name: 'Lovelace' })).toBe('Ada Lovelace');
});

describe('random membership changes', () => {
  const people = ['ada', 'bob', 'cyd', 'dot'];
  const person = fc.constantFrom(...people);
  const roles = fc.constantFrom(member, organiser, admin);
  const move = fc.oneof(
    fc.record({ kind: fc.constant('leave' as const), user: person }),
    fc.record({ kind: fc.constant('eject' as const), user: person, actor: person }),
    fc.record({ kind: fc.constant('role' as const), user: person, next: roles }),
    fc.record({ kind: fc.constant('join' as const), user: person }),
  );

  function after(
    memberships: Membership[],
    step: typeof move extends fc.Arbitrary<infer Move> ? Move : never,
  ): Membership[] {
    const others = memberships.filter(({ user_id }) => user_id !== step.user);
    const isIn = others.length < memberships.length;
    switch (step.kind) {
      case 'join':
        return isIn ? memberships : [...memberships, membership(step.user, member)];
      case 'leave':
        return whyCannotLeave(memberships, step.user) ? memberships : others;
      case 'eject':
        return whyCannotEject(memberships, step.actor, step.user) ? memberships : others;
      case 'role':
        return whyCannotTakeRole(memberships, step.user, step.next)
          ? memberships
          : memberships.map((old) => (old.user_id === step.user ? membership(step.user, step.next) : old));
    }
  }

  test('keep an admin in the club, and a successor for every member who may leave [CONST-15]', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let memberships = alone;
        for (const step of moves) {
          memberships = after(memberships, step);
          expect(memberships.some(({ club_role }) => club_role === admin)).toBe(true);
          for (const { user_id } of memberships)
            expect(longestStandingAdmin(memberships, user_id) === undefined).toBe(
              isOnlyAdmin(memberships, user_id),
            );
        }
      }),
    );
  });
});

test('sections: people are grouped in the order of sections, in each of their sections, and others come last [LIST-04]', () => {
  const [ada, bob, cyd] = [['alto', 'tenor'], ['tenor'], ['gone']].map((section_ids) => ({ section_ids }));
  const sections = ['tenor', 'alto', 'bass'].map((id) => ({ id, name: id }));
  const people = [ada, bob, cyd].filter((person) => person !== undefined);
  expect(bySection(people, sections)).toEqual([
    { heading: 'tenor', people: [ada, bob] },
    { heading: 'alto', people: [ada] },
    { people: [cyd] },
  ]);
  expect(bySection(people, [])).toEqual([{ people }]);
  expect(bySection([], sections)).toEqual([]);
});
