import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let hal: Person;
let gus: Person;
let mia: Person;
let bob: Person;
let zoe: Person;
let club: ClubHandle;
let event: { id: string; slug: string };
beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

const phone = '+49 (30) 918-27/36.';

/**
 * Ada is the admin, Hal hosts an event in two days and is no admin any more, Gus is an organiser, Mia and Bob are
 * members, and Zoe is not in the club. Mia has a phone and is going.
 */
beforeEach(async () => {
  [ada, hal, gus] = [await w.person('Ada'), await w.person('Hal'), await w.person('Gus')];
  [mia, bob, zoe] = [await w.person('Mia', 'Berg'), await w.person('Bob'), await w.person('Zoe')];
  club = await w.club([ada, hal, gus, mia, bob]);
  await ada.api.members.changeRole({ club: club.id, member: gus.id, role: 100 });
  await ada.api.members.changeRole({ club: club.id, member: hal.id, role: 200 });
  event = await w.event(club, hal, { startsIn: 48, lasts: 2 });
  await ada.api.members.changeRole({ club: club.id, member: hal.id, role: 0 });
  await mia.api.users.update({ phone });
  await mia.api.answers.answer({ event: event.id, answer: 'going' });
});

const let_ = (phone_for: 'nobody' | 'hosts' | 'members') =>
  mia.api.members.setContact({ club: club.id, phone_for });
const call = ({ api }: Person, user = mia) => api.members.phone({ club: club.id, user: user.id });
const setTimes = (startsIn: number, lasts: number) =>
  run(
    w.db,
    sql`update events set start_time = now() + ${startsIn} * interval '1 hour',
          end_time = now() + ${startsIn + lasts} * interval '1 hour', entry_until_time = now() + ${startsIn} * interval '1 hour'
        where id = ${event.id}`,
  );

const callable = (rows: { first_name: string; can_call: boolean }[]) =>
  rows.filter(({ can_call }) => can_call).map(({ first_name }) => first_name);

const versions = () => all(w.db, sql`select * from club_versions where club_id = ${club.id}`);

const callers = () => ({ ada, hal, gus, bob, mia, zoe });
/** The first names of those who see Mia's phone. */
async function seenBy(): Promise<string[]> {
  const seen: string[] = [];
  for (const [name, person] of Object.entries(callers()))
    if ((await outcomeOf(call(person))) !== '404 not_found') {
      expect(await call(person)).toEqual({ phone });
      seen.push(name);
    }
  return seen;
}

test("phone: is nobody's to see at first, and each choice widens or narrows it with the next request [CONTACT-01 CONTACT-02]", async () => {
  expect(await mia.api.members.contact({ club: club.id })).toEqual({ phone_for: 'nobody' });
  expect(await seenBy()).toEqual([]);
  await let_('members');
  expect(await mia.api.members.contact({ club: club.id })).toEqual({ phone_for: 'members' });
  expect(await seenBy()).toEqual(['ada', 'hal', 'gus', 'bob', 'mia']);
  // Hal hosts an event to which Mia is going, but it starts in two days.
  await let_('hosts');
  expect(await seenBy()).toEqual(['ada']);
  await let_('nobody');
  expect(await seenBy()).toEqual([]);
});

test('phone: the choice is for one club, and a setting of the club does not widen it [CONTACT-02]', async () => {
  const other = await w.club([zoe, mia], 'Choir');
  await mia.api.members.setContact({ club: other.id, phone_for: 'members' });
  expect(await seenBy()).toEqual([]);
  expect(await outcomeOf(zoe.api.members.phone({ club: club.id, user: mia.id }))).toBe('404 not_found');
  await let_('hosts');
  await ada.api.clubs.update({ club: club.id, organisers_plan: true });
  expect(await seenBy()).toEqual(['ada']);
});

test('phone: is not seen by others while it is empty, and invalid numbers are refused [CONTACT-01]', async () => {
  await let_('members');
  for (const bad of ['1234', '1'.repeat(31), '030 12 34 ext', '٠١٢٣٤٥٦', 'phone', '030\n1234'])
    expect(await outcomeOf(mia.api.users.update({ phone: bad }))).toBe('400 bad_input');
  expect((await mia.api.users.me({})).phone).toBe(phone);
  for (const good of ['12345', '1'.repeat(30), ' 030 1234 '])
    expect((await mia.api.users.update({ phone: good })).phone).toBe(good.trim());
  await mia.api.users.update({ phone: '' });
  expect(await outcomeOf(call(ada))).toBe('404 not_found');
});

describe('hosts of an event', () => {
  test.each([
    ['a day before the start', 23.9, 2, true],
    ['earlier than that', 24.1, 2, false],
    ['until a day after the end', -25.9, 2, true],
    ['not later', -26.1, 2, false],
    ['of a camp, until three days after its start', -71.9, 240, true],
    ['of a camp, not later than three days after its start', -72.1, 240, false],
  ])('see the phone of a member who is going: %s [CONTACT-02]', async (_, startsIn, lasts, isSeen) => {
    await let_('hosts');
    await setTimes(startsIn, lasts);
    expect(await seenBy()).toEqual(isSeen ? ['ada', 'hal'] : ['ada']);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['maybe', () => mia.api.answers.answer({ event: event.id, answer: 'maybe' })],
    ["can't go", () => mia.api.answers.unattend({ event: event.id })],
    [
      'going by a host',
      async () => {
        await mia.api.answers.unattend({ event: event.id });
        await hal.api.answers.answerFor({ event: event.id, user: mia.id, answer: 'going' });
      },
    ],
    ['going to a cancelled event', () => hal.api.events.cancel({ event: event.id })],
    [
      'going to an event whose time is open',
      () => run(w.db, sql`update events set polling = true where id = ${event.id}`),
    ],
  ])('do not see the phone of a member who is %s [CONTACT-03]', async (_, act) => {
    await let_('hosts');
    await setTimes(12, 2);
    expect(await seenBy()).toEqual(['ada', 'hal']);
    await act();
    expect(await seenBy()).toEqual(['ada']);
  });

  test('have can_call beside those whom they may call, on the answers and on the check-in list [CONTACT-05]', async () => {
    await setTimes(1, 2);
    await bob.api.users.update({ phone });
    await bob.api.answers.answer({ event: event.id, answer: 'going' });
    await hal.api.users.update({ phone });
    await hal.api.members.setContact({ club: club.id, phone_for: 'members' });
    await let_('hosts');
    const callableBy = async (by: Person) => {
      const { answers } = await by.api.answers.list({ event: event.id });
      const { people } = await by.api.checkins.list({ event: event.id });
      return [callable(answers), callable(people)];
    };
    expect(await callableBy(hal)).toEqual([['Mia'], ['Mia']]);
    expect(await callableBy(ada)).toEqual([
      ['Hal', 'Mia'],
      ['Hal', 'Mia'],
    ]);
  });
});

test('phone: former members, strangers and hidden numbers all get the same 404 [CONTACT-03]', async () => {
  await let_('members');
  await bob.api.members.leave({ club: club.id });
  const hidden = await outcomeOf(call(gus, gus));
  expect([
    await outcomeOf(call(bob)),
    await outcomeOf(call(zoe)),
    await outcomeOf(call(ada, bob)),
    await outcomeOf(call(ada, zoe)),
    hidden,
  ]).toEqual(Array.from({ length: 5 }, () => '404 not_found'));
});

test('phone: the 61st call of a person in an hour is refused, also after calls without a number [CONTACT-03]', async () => {
  await let_('members');
  for (let n = 0; n < 30; n++) {
    await call(bob);
    expect(await outcomeOf(call(bob, gus))).toBe('404 not_found');
  }
  expect(await outcomeOf(call(bob))).toBe('429 too_often');
  w.later('61 minutes');
  expect(await call(bob)).toEqual({ phone });
});

test('phone: the choice goes with the membership, and phone and choice with the account [CONTACT-06]', async () => {
  await let_('members');
  await mia.api.members.leave({ club: club.id });
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  await mia.api.invites.join({ invite: invite_link });
  expect(await mia.api.members.contact({ club: club.id })).toEqual({ phone_for: 'nobody' });
  await let_('hosts');
  await run(w.db, sql`delete from users where id = ${mia.id}`);
  expect(await all(w.db, sql`select 1 from contacts where user_id = ${mia.id}`)).toEqual([]);
});

test('phone: a new choice or number renews no page of the club [CONTACT-02]', async () => {
  const before = await versions();
  expect(before.length).toBeGreaterThan(0);
  await let_('members');
  await let_('nobody');
  expect(await versions()).toEqual(before);
});
