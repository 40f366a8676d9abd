import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let eve: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob, cyd, eve] = [
    await w.person('Ada'),
    await w.person('Bob'),
    await w.person('Cyd'),
    await w.person('Eve'),
  ];
  club = await w.club([ada, bob, cyd]);
  await w.club([eve], 'Evening Readers');
});
afterAll(() => w[Symbol.asyncDispose]());

const save = ({ api }: Person, event: string, ...users: [Person, boolean | null][]) =>
  api.checkins.save({ event, users: users.map(([{ id }, came]) => ({ user_id: id, came })) });

const list = async ({ api }: Person, event: string, q?: string) =>
  (await api.checkins.list({ event, ...(q !== undefined && { q }) })).people.map(
    ({ first_name, answer, came }) => [first_name, answer, came],
  );

/** An event of Ada's that begins in an hour. */
const soon = () => w.event(club, ada, { startsIn: 1 });

/** Moves an event and its answers by this many hours. */
async function shift(event: string, hours: number): Promise<void> {
  const by = sql`make_interval(hours => ${hours})`;
  await run(
    w.db,
    sql`update events set start_time = start_time + ${by}, end_time = end_time + ${by},
          entry_until_time = entry_until_time + ${by} where id = ${event}`,
  );
  await run(w.db, sql`update answers set answered_at = answered_at + ${by} where event_id = ${event}`);
}

describe('check-in', () => {
  test('records who was there; members without an answer stay without one [CAME-01]', async () => {
    const { id } = await soon();
    await bob.api.answers.attend({ event: id });
    expect(await save(ada, id, [bob, true], [cyd, false])).toEqual({
      users: expect.arrayContaining([
        { user_id: bob.id, came: true },
        { user_id: cyd.id, came: false },
      ]),
    });
    expect(await list(ada, id)).toEqual([
      ['Ada', 'going', null],
      ['Bob', 'going', true],
      ['Cyd', null, false],
    ]);
    await save(ada, id, [bob, null], [cyd, null]);
    expect(await list(ada, id)).toEqual([
      ['Ada', 'going', null],
      ['Bob', 'going', null],
    ]);
    expect((await cyd.api.events.get({ event: id })).my_answer).toBeNull();
  });

  test.each([
    ['two hours before the start', 2, 'ok'],
    ['more than two hours before the start', 2.01, '409 check_in_closed'],
    ['14 days after the end', -14 * 24 - 0.99, 'ok'],
    ['more than 14 days after the end', -14 * 24 - 1.01, '409 check_in_closed'],
  ])('%s: allowed only within the check-in window [CAME-01]', async (_, startsIn, outcome) => {
    const { id } = await w.event(club, ada, { startsIn: 3, lasts: 1 });
    const start = addSeconds(w.now(), startsIn * 3600);
    await run(
      w.db,
      sql`update events set start_time = ${start}, entry_until_time = ${start}, end_time = ${addSeconds(start, 3600)}
          where id = ${id}`,
    );
    expect(await outcomeOf(save(ada, id, [bob, true]))).toBe(outcome);
  });

  test('for a cancelled event is refused with 409 [CAME-01]', async () => {
    const { id } = await soon();
    await ada.api.events.cancel({ event: id });
    expect(await outcomeOf(save(ada, id, [bob, true]))).toBe('409 event_cancelled');
  });

  test('members and outsiders are refused; nothing is recorded [CAME-01]', async () => {
    const { id } = await soon();
    expect(await outcomeOf(save(bob, id, [bob, true]))).toBe('403 not_runner');
    expect(await outcomeOf(list(bob, id))).toBe('403 not_runner');
    expect((await outcomeOf(save(eve, id, [eve, true]))).slice(0, 3)).toBe('403');
    expect(await all(w.db, sql`select from check_ins where event_id = ${id}`)).toEqual([]);
  });

  test('takes up to 200 people, records each person once, and leaves out people who are not in the club [CAME-01]', async () => {
    const { id } = await soon();
    const users = Array.from({ length: 201 }, () => ({ user_id: bob.id, came: true }));
    expect(await outcomeOf(ada.api.checkins.save({ event: id, users }))).toBe('400 bad_input');
    expect(await outcomeOf(ada.api.checkins.save({ event: id, users: [] }))).toBe('400 bad_input');
    expect(await save(ada, id, [bob, true], [eve, true], [bob, false])).toEqual({
      users: [{ user_id: bob.id, came: false }],
    });
  });

  test('repeating a check-in changes nothing; a different value replaces it [CAME-03]', async () => {
    const { id } = await soon();
    const noted = () => all(w.db, sql`select came, came_at from check_ins where event_id = ${id}`);
    await save(ada, id, [bob, true]);
    const before = await noted();
    await save(ada, id, [bob, true]);
    expect(await noted()).toEqual(before);
    await save(ada, id, [bob, false]);
    expect(await noted()).toMatchObject([{ came: false }]);
  });

  test('search finds members by their names, whether they answered or not [CAME-02]', async () => {
    const { id } = await soon();
    expect(await list(ada, id, 'CY')).toEqual([['Cyd', null, null]]);
    expect(await list(ada, id, '%')).toEqual([]);
    expect(await list(ada, id, 'eve')).toEqual([]);
  });

  test('check-ins and notes neither change nor invalidate the club page [CAME-05]', async () => {
    const { id } = await soon();
    await bob.api.answers.answer({ event: id, answer: 'going' });
    const state = async () => [
      await all(w.db, sql`select * from club_versions where club_id = ${club.id}`),
      await all(w.db, sql`select * from event_versions where event_id = ${id}`),
      await bob.api.clubs.get({ club: club.id }),
    ];
    const before = await state();
    await save(ada, id, [bob, true], [cyd, false]);
    await bob.api.answers.answer({ event: id, answer: 'going', note: 'By bike' });
    expect(await state()).toEqual(before);
  });

  test('check-ins are deleted with the account [CAME-05]', async () => {
    const dan = await w.person('Dan');
    const guests = await w.club([ada, dan], 'Guests');
    const { id } = await w.event(guests, ada, { startsIn: 1 });
    await save(ada, id, [dan, true]);
    await run(w.db, sql`delete from users where id = ${dan.id}`);
    expect(await all(w.db, sql`select from check_ins where event_id = ${id}`)).toEqual([]);
  });
});

const row = (first_name: string, going: number, came: number, late_no: number, not_come: number) =>
  expect.objectContaining({ first_name, going, came, late_no, not_come });

test('attendance: counts the events of twelve months for each member; members see only their own row [CAME-04]', async () => {
  const rowers = await w.club([ada, cyd, bob], 'Rowers');
  const [past, missed, withdrawn, old, cancelled] = (await Promise.all(
    Array.from({ length: 5 }, () => w.event(rowers, ada, { startsIn: 1, lasts: 1 })),
  )) as [Event, Event, Event, Event, Event];
  for (const { id } of [past, missed, old, cancelled]) await bob.api.answers.attend({ event: id });
  await bob.api.answers.attend({ event: withdrawn.id });
  await run(
    w.db,
    sql`update events set entry_until_time = ${addSeconds(w.now(), -60)} where id = ${withdrawn.id}`,
  );
  await bob.api.answers.unattend({ event: withdrawn.id });
  await cyd.api.answers.answer({ event: past.id, answer: 'no' });
  await save(ada, past.id, [bob, true], [cyd, true]);
  await save(ada, missed.id, [bob, false], [ada, true]);
  await save(ada, old.id, [bob, true]);
  await ada.api.events.cancel({ event: cancelled.id });
  for (const { id } of [past, missed, withdrawn, cancelled]) await shift(id, -3);
  await shift(old.id, -366 * 24);
  expect((await ada.api.checkins.attendance({ club: rowers.slug })).members).toEqual([
    row('Ada', 3, 1, 0, 0),
    row('Bob', 2, 1, 1, 1),
    row('Cyd', 0, 1, 0, 0),
  ]);
  expect((await bob.api.checkins.attendance({ club: rowers.slug })).members).toEqual([
    row('Bob', 2, 1, 1, 1),
  ]);
  expect(await outcomeOf(eve.api.checkins.attendance({ club: rowers.slug }))).toBe('404 not_found');
});

type Event = Awaited<ReturnType<World['event']>>;
