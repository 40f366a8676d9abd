import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';
import type { SlotKind } from '#features/events/slots/contract.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let eve: Person;
let club: ClubHandle;
let event: string;

beforeAll(async () => {
  w = await world();
  [ada, bob, cyd, eve] = [
    await w.person('Ada'),
    await w.person('Bob'),
    await w.person('Cyd'),
    await w.person('Eve'),
  ];
});
beforeEach(async () => {
  for (const table of ['rate_limits', 'clubs', 'notices', 'notice_emails', 'jobs'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
  await w.club([eve], 'Evening Readers');
  club = await w.club([ada, bob, cyd]);
  event = (await w.event(club, ada)).id;
  for (const { api } of [bob, cyd]) await api.answers.attend({ event });
});
afterAll(() => w[Symbol.asyncDispose]());

async function add({ api }: Person, kind: SlotKind, places = 2, title = 'From the station') {
  const { slots } = await api.slots.create({ event, kind, title, places });
  return slots.at(-1)?.id ?? '';
}
const claim = ({ api }: Person, slot: string, places?: number) =>
  api.slots.claim({ slot, ...(places !== undefined && { places }) });

/** The list as Ada reads it: the title and places of each entry, and who takes how many places. */
const list = async () =>
  (await ada.api.slots.list({ event })).slots.map(({ title, places, claims }) => [
    title,
    places,
    ...claims.map((each) => `${each.first_name} ${each.places}`),
  ]);

const messagesOf = async ({ api }: Person) =>
  (await api.notifications.list({}))
    .map(({ message }) => message)
    .filter((message) => message.includes('lift'));
const notices = async () => {
  await expect.poll(() => all(w.db, sql`select from jobs where name = 'tell_about_lift'`)).toEqual([]);
  return { ada: await messagesOf(ada), bob: await messagesOf(bob), cyd: await messagesOf(cyd) };
};

describe('list of an event', () => {
  test('admins add anything, and members take and give back places [SLOTS-01]', async () => {
    const salad = await add(ada, 'bring', 3, 'Salad');
    await add(ada, 'task', 1, 'Wash up');
    await claim(bob, salad);
    await claim(cyd, salad, 2);
    expect(await list()).toEqual([
      ['Salad', 3, 'Bob 1', 'Cyd 2'],
      ['Wash up', 1],
    ]);
    await claim(cyd, salad, 1);
    await claim(bob, salad, 0);
    await claim(bob, salad, 0);
    expect(await list()).toEqual([
      ['Salad', 3, 'Cyd 1'],
      ['Wash up', 1],
    ]);
    await ada.api.slots.remove({ slot: salad });
    expect(await list()).toEqual([['Wash up', 1]]);
  });

  test('members who are going can offer lifts, and remove only their own lifts [SLOTS-01]', async () => {
    expect(await outcomeOf(add(bob, 'bring'))).toBe('403 not_runner');
    const lift = await add(bob, 'lift', 3);
    expect(await outcomeOf(cyd.api.slots.remove({ slot: lift }))).toBe('403 not_runner');
    await bob.api.slots.remove({ slot: lift });
    expect(await list()).toEqual([]);
    await bob.api.answers.unattend({ event });
    expect(await outcomeOf(add(bob, 'lift'))).toBe('409 not_going');
  });

  test('a member can offer two lifts, and lifts do not count towards the limit of fifty other entries [SLOTS-01 T51]', async () => {
    for (const lift of [1, 2]) await add(bob, 'lift', lift);
    expect(await outcomeOf(add(bob, 'lift'))).toBe('409 two_lifts');
    expect(await outcomeOf(add(cyd, 'lift'))).toBe('ok');
    for (let entry = 1; entry <= 50; entry++) await add(ada, entry % 2 ? 'bring' : 'task');
    expect(await outcomeOf(add(ada, 'bring'))).toBe('409 too_many_slots');
    expect(await outcomeOf(add(ada, 'task'))).toBe('409 too_many_slots');
    for (let lift = 4; lift <= 50; lift++) await add(ada, 'lift');
    expect(await outcomeOf(add(ada, 'lift'))).toBe('409 too_many_lifts');
    expect(await outcomeOf(add(cyd, 'lift'))).toBe('409 too_many_lifts');
    const [lift] = (await bob.api.slots.list({ event })).slots;
    await bob.api.slots.remove({ slot: lift?.id ?? '' });
    expect(await outcomeOf(add(bob, 'lift'))).toBe('ok');
  });

  test.each([
    ['no title', { title: '' }],
    ['101 characters', { title: 'x'.repeat(101) }],
    ['no places', { places: 0 }],
    ['51 places', { places: 51 }],
    ['an unknown kind', { kind: 'other' as SlotKind }],
  ])('%s is 400 [SLOTS-01]', async (_, wrong) => {
    const input = { event, kind: 'bring' as const, title: 'x'.repeat(100), places: 50 };
    expect(await outcomeOf(ada.api.slots.create({ ...input, ...wrong }))).toBe('400 bad_input');
    expect(await outcomeOf(ada.api.slots.create(input))).toBe('ok');
  });

  test('outsiders can neither read nor change the list [SLOTS-01]', async () => {
    const slot = await add(ada, 'lift');
    const outcomes = [
      outcomeOf(eve.api.slots.list({ event })),
      outcomeOf(add(eve, 'lift')),
      outcomeOf(claim(eve, slot)),
      outcomeOf(eve.api.slots.remove({ slot })),
    ];
    expect(await Promise.all(outcomes)).toEqual(Array(4).fill('403 not_member'));
  });

  test('claims never exceed the places [SLOTS-02]', async () => {
    const slot = await add(ada, 'lift', 2);
    expect(await outcomeOf(claim(bob, slot, 3))).toBe('409 slot_full');
    await claim(bob, slot, 2);
    expect(await outcomeOf(claim(cyd, slot))).toBe('409 slot_full');
    expect(await outcomeOf(claim(bob, slot, 1))).toBe('ok');
    expect(await outcomeOf(claim(cyd, slot))).toBe('ok');
  });

  test('cancelling an event deletes its claims, and new claims are refused [SLOTS-02]', async () => {
    const slot = await add(ada, 'bring');
    await claim(bob, slot);
    await ada.api.events.cancel({ event });
    expect(await list()).toEqual([['From the station', 2]]);
    expect(await outcomeOf(claim(bob, slot))).toBe('409 event_cancelled');
  });
});

describe('lifts', () => {
  const withoutSeat = 'Bob gave back a seat in your lift “From the station” to “Tuesday run”.';
  const withSeat = 'Bob takes a seat in your lift “From the station” to “Tuesday run”.';

  test('the driver gets a notice when a seat is taken, and when it is given back [SLOTS-02]', async () => {
    const lift = await add(cyd, 'lift');
    await claim(bob, lift);
    await claim(bob, lift, 2);
    await claim(bob, lift, 0);
    expect(await notices()).toEqual({
      ada: [],
      bob: [],
      cyd: expect.arrayContaining([withSeat, withoutSeat]),
    });
  });

  const ways: [string, () => Promise<unknown>][] = [
    ["can't go", () => bob.api.answers.unattend({ event })],
    [
      'is put down as not going by an admin',
      () => ada.api.answers.answerFor({ event, user: bob.id, answer: 'no' }),
    ],
    ['leaves the club', () => bob.api.members.leave({ club: club.slug })],
    ['is removed from the club', () => ada.api.members.eject({ club: club.slug, member: bob.id })],
  ];
  test.each(ways)(
    'a member who %s gives the seat back, and the driver gets a notice [SLOTS-02]',
    async (_, go) => {
      const lift = await add(cyd, 'lift');
      const salad = await add(ada, 'bring', 2, 'Salad');
      for (const slot of [lift, salad]) await claim(bob, slot);
      await go();
      expect(await list()).toEqual([
        ['From the station', 2],
        ['Salad', 2],
      ]);
      expect((await notices()).cyd).toEqual(expect.arrayContaining([withoutSeat]));
    },
  );

  test.each(ways)(
    'the lift of a member who %s is removed, and passengers get a notice [SLOTS-02]',
    async (_, go) => {
      const lift = await add(bob, 'lift');
      await claim(cyd, lift);
      await go();
      expect(await list()).toEqual([]);
      expect((await notices()).cyd).toEqual(['Bob cancelled the lift “From the station” to “Tuesday run”.']);
    },
  );

  test('a member without an answer who leaves the club gives the places back too [SLOTS-02]', async () => {
    await run(w.db, sql`delete from answers where user_id = ${bob.id}`);
    const salad = await add(ada, 'bring', 2, 'Salad');
    await claim(bob, salad);
    await bob.api.members.leave({ club: club.slug });
    expect(await list()).toEqual([['Salad', 2]]);
  });

  test('when a lift is removed, its passengers get a notice in the app and by email [SLOTS-02]', async () => {
    const lift = await add(bob, 'lift');
    await claim(cyd, lift);
    await bob.api.slots.remove({ slot: lift });
    expect((await notices()).cyd).toEqual(['Bob cancelled the lift “From the station” to “Tuesday run”.']);
    await w.hurry();
    const subjects = async () =>
      (await w.outbox()).filter(({ to }) => to?.[0]?.address === cyd.email).map(({ subject }) => subject);
    await expect
      .poll(subjects)
      .toContainEqual(expect.stringMatching(/^Your lift was cancelled: Tuesday run/));
  });
});
