import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import { remindAttendees } from '#features/events/store.ts';
import { eventDayAndTime } from '#wire/format.ts';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { codeFor, manyPeople } from '#test/races/people.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let people: Person[];
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  ada = await w.person('Ada');
});
afterAll(() => w[Symbol.asyncDispose]());

/** A club of Ada's with five other members. */
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  people = await manyPeople(w, 5);
  club = await w.club([ada, ...people]);
});

type Input = Parameters<World['event']>[2];

/** An event of Ada's with three seats, one of which is hers. */
const small = (input: Input = {}) => w.event(club, ada, { capacity: 3, guests_max: 3, ...input });

const nth = (which: number) => people[which] as Person;
const answer = (which: number, event: string, guests = 0, more: { lets_pass?: boolean } = {}) =>
  nth(which).api.answers.answer({ event, answer: 'going', guests, ...more });
const no = (which: number, event: string) => nth(which).api.answers.unattend({ event });
const answerFor = (which: number, event: string, input: { over?: boolean; guests?: number } = {}) =>
  ada.api.answers.answerFor({ event, user: nth(which).id, answer: 'going', ...input });
const edit = (event: string, change: { capacity?: number | null; waitlist?: boolean }) =>
  ada.api.events.edit({ event, club: club.id, ...change });

const numbers = (list: readonly { attendee_id: string }[]) =>
  list.map(({ attendee_id }) => people.findIndex(({ id }) => id === attendee_id));

/** The numbers of the members who are going, and of those on the waitlist, in the order of the waitlist. */
async function state(event: string) {
  const { attendees, waiting } = await ada.api.events.get({ event });
  return { going: numbers(attendees.slice(1)).toSorted((a, b) => a - b), waiting: numbers(waiting) };
}

const messagesOf = async (person: Person, text = '') =>
  (await person.api.notifications.list({})).flatMap(({ message }) =>
    message.includes(text) ? [message] : [],
  );

/** How many 'You have a seat' notices each of the five members got. */
const seatsGiven = () =>
  Promise.all(people.map(async (person) => (await messagesOf(person, 'You have a seat')).length));

test('capacity: is null, or 1 to 100,000 seats [SEATS-01]', async () => {
  const { slug } = await w.event(club, ada);
  const event = () => ada.api.events.get({ event: slug });
  expect(await event()).toMatchObject({ capacity: null, waitlist: true, seats_left: null, waiting_count: 0 });
  for (const capacity of [0, -1, 1.5, 100_001, '20', true])
    expect((await send(w, ada, `PUT /v1/events/${slug}/edit/${club.id}`, { capacity })).status).toBe(400);
  for (const capacity of [0, 100_001])
    expect(await outcomeOf(w.event(club, ada, { capacity }))).toBe('400 bad_input');
  for (const capacity of [100_000, 1]) {
    await edit(slug, { capacity });
    expect(await event()).toMatchObject({ capacity, seats_left: capacity - 1 });
  }
  await edit(slug, { capacity: null });
  expect(await event()).toMatchObject({ capacity: null, seats_left: null });
});

test('capacity: each member who is going, including the host, and each of their guests takes a seat [SEATS-01]', async () => {
  const { slug: event } = await w.event(club, ada, { capacity: 6, guests_max: 3 });
  expect(await answer(0, event, 2)).toMatchObject({ my_answer: 'going', seats_left: 2 });
  await ada.api.answers.answer({ event, answer: 'going', guests: 1 });
  await nth(1).api.answers.answer({ event, answer: 'maybe', guests: 3 });
  expect(await answer(2, event)).toMatchObject({ my_answer: 'going', seats_left: 0 });
  const { user_count, guest_count, seats_left } = await ada.api.events.get({ event });
  expect([user_count, guest_count, seats_left]).toEqual([3, 3, 0]);
});

test('create: takes capacity and waitlist, and an edit keeps omitted fields [TIME-01]', async () => {
  const { slug: event } = await w.event(club, ada, { capacity: 4, waitlist: false, guests_max: 2 });
  const { start_time, end_time } = await ada.api.events.get({ event });
  const change = {
    start_time: addSeconds(start_time, 3600),
    end_time: addSeconds(end_time, 7200),
    entry_until_time: addSeconds(start_time, -60),
    time_zone: 'Europe/Berlin',
    capacity: 7,
    waitlist: true,
    guests_max: 1,
  };
  for (const [key, value] of Object.entries(change)) {
    expect(await ada.api.events.edit({ event, club: club.id, [key]: value })).toBe(event);
    expect(await ada.api.events.get({ event })).toMatchObject({ [key]: value });
  }
  expect(await ada.api.events.get({ event })).toMatchObject(change);
});

test('seats: if none is free, a member joins the end of the waitlist, and the response has their rank [SEATS-02 SEATS-04]', async () => {
  const { slug: event } = await small();
  expect(await nth(0).api.answers.attend({ event })).toMatchObject({ my_answer: 'going', my_place: null });
  expect(await answer(1, event)).toMatchObject({ my_answer: 'going', my_role: 'attendee', seats_left: 0 });
  expect(await nth(2).api.answers.attend({ event })).toEqual({
    my_answer: 'waiting',
    must_confirm: false,
    my_guests: 0,
    my_place: 1,
    my_role: null,
    user_count: 3,
    guest_count: 0,
    seats_left: 0,
    waiting_count: 1,
  });
  expect(await answer(3, event, 2)).toMatchObject({ my_answer: 'waiting', my_guests: 2, my_place: 2 });
  expect(await state(event)).toEqual({ going: [0, 1], waiting: [2, 3] });
  expect(await nth(3).api.events.get({ event })).toMatchObject({ my_answer: 'waiting', my_place: 2 });
  // Repeating the answer changes nothing; a member who leaves the waitlist and comes back is last.
  expect(await answer(2, event)).toMatchObject({ my_place: 1 });
  await no(2, event);
  expect(await answer(4, event)).toMatchObject({ my_place: 2 });
  expect(await answer(2, event)).toMatchObject({ my_place: 3, waiting_count: 3 });
});

test('seats: an answer to a full event without a waitlist is refused and changes nothing [SEATS-02]', async () => {
  const { id, slug: event } = await small({ waitlist: false, capacity: 1 });
  await nth(0).api.answers.answer({ event, answer: 'maybe', guests: 2 });
  const stored = () =>
    all(w.db, sql`select to_json(a) as answer from answers a where event_id = ${id} order by user_id`);
  const before = await stored();
  expect(await outcomeOf(answer(0, event))).toBe('409 event_full');
  expect(await outcomeOf(nth(1).api.answers.attend({ event }))).toBe('409 event_full');
  expect(await stored()).toEqual(before);
});

test('waitlist: a member with fewer guests keeps their place, a member with more guests goes to the end [SEATS-04]', async () => {
  const { slug: event } = await small({ capacity: 1 });
  for (const which of [0, 1, 2]) await answer(which, event, 1);
  expect(await answer(0, event, 0)).toMatchObject({ my_place: 1 });
  expect(await answer(0, event, 1)).toMatchObject({ my_place: 3 });
  expect((await state(event)).waiting).toEqual([1, 2, 0]);
});

test('waitlist: moves up when a member with a seat changes their answer, brings fewer guests, leaves or is ejected [SEATS-05 SEATS-11]', async () => {
  const { slug: event } = await small({ capacity: 4 });
  await answer(0, event, 2);
  for (const which of [1, 2, 3, 4]) await answer(which, event);
  await answer(0, event, 1);
  expect(await state(event)).toEqual({ going: [0, 1], waiting: [2, 3, 4] });
  await nth(0).api.answers.answer({ event, answer: 'maybe' });
  expect(await state(event)).toEqual({ going: [1, 2, 3], waiting: [4] });
  await nth(1).api.members.leave({ club: club.id });
  expect(await state(event)).toEqual({ going: [2, 3, 4], waiting: [] });
  await answer(0, event);
  await ada.api.members.eject({ club: club.id, member: nth(3).id });
  expect(await state(event)).toEqual({ going: [0, 2, 4], waiting: [] });
});

test('waitlist: moves up when the capacity is raised or removed, and when an account is deleted [SEATS-05 SEATS-11]', async () => {
  const { slug: event } = await small({ capacity: 1 });
  for (const which of [0, 1, 2, 3]) await answer(which, event);
  await edit(event, { capacity: 3 });
  expect(await state(event)).toEqual({ going: [0, 1], waiting: [2, 3] });
  await nth(0).api.account.remove({
    code: await codeFor(w, nth(0).email, 'ABCDEF', 'deletion'),
    choices: [],
  });
  expect(await state(event)).toEqual({ going: [1, 2], waiting: [3] });
  await edit(event, { capacity: null });
  expect(await state(event)).toEqual({ going: [1, 2, 3], waiting: [] });
});

test('waitlist: when switched off, it keeps its members and takes no new ones [SEATS-11]', async () => {
  const { slug: event } = await small({ capacity: 2 });
  for (const which of [0, 1]) await answer(which, event);
  await edit(event, { waitlist: false });
  expect(await outcomeOf(answer(2, event))).toBe('409 event_full');
  expect(await state(event)).toEqual({ going: [0], waiting: [1] });
  await no(0, event);
  expect(await state(event)).toEqual({ going: [1], waiting: [] });
});

test('waitlist: nobody moves past a party that does not fit, unless it lets others go first [SEATS-06]', async () => {
  const { slug: event } = await small({ capacity: 2 });
  await answer(0, event);
  await answer(1, event, 2);
  await answer(2, event);
  await answer(3, event);
  await no(0, event);
  expect(await state(event)).toEqual({ going: [], waiting: [1, 2, 3] });
  await nth(1).api.answers.answer({ event, answer: 'going', lets_pass: true });
  expect(await state(event)).toEqual({ going: [2], waiting: [1, 3] });
  expect(await nth(1).api.events.get({ event })).toMatchObject({ my_place: 1, my_lets_pass: true });
  // The party need not repeat `lets_pass`, and moves up once it fits.
  await answer(1, event, 2);
  await edit(event, { capacity: 5 });
  expect(await state(event)).toEqual({ going: [1, 2], waiting: [3] });
  expect(await nth(1).api.events.get({ event })).toMatchObject({ my_lets_pass: false, my_guests: 2 });
});

test('waitlist: when the first party leaves, the next one is first, and moves up at once when it brings fewer guests [SEATS-05]', async () => {
  const { slug: event } = await small({ capacity: 2 });
  await answer(0, event, 3);
  await answer(1, event, 1);
  expect(await answer(2, event)).toMatchObject({ my_answer: 'waiting', my_place: 3 });
  await no(0, event);
  expect(await state(event)).toEqual({ going: [], waiting: [1, 2] });
  expect(await answer(1, event, 0)).toMatchObject({ my_answer: 'going', my_place: null });
  expect(await state(event)).toEqual({ going: [1], waiting: [2] });
});

test('seats: a member who is going can bring more guests only while seats are free and nobody waits [SEATS-09]', async () => {
  const { slug: event } = await small({ capacity: 4 });
  await answer(0, event, 1);
  expect(await answer(0, event, 2)).toMatchObject({ my_guests: 2, seats_left: 0 });
  expect(await outcomeOf(answer(0, event, 3))).toBe('409 no_seats_left');
  expect(await nth(0).api.events.get({ event })).toMatchObject({ my_answer: 'going', my_guests: 2 });
  await answer(1, event, 3);
  await answer(0, event, 1);
  expect(await outcomeOf(answer(0, event, 2))).toBe('409 no_seats_left');
  expect(await outcomeOf(ada.api.answers.answer({ event, answer: 'going', guests: 1 }))).toBe(
    '409 no_seats_left',
  );
});

test('capacity: lowering it takes no seat away, and nobody moves up before enough seats are free [SEATS-10]', async () => {
  const { slug: event } = await small({ capacity: 5 });
  for (const which of [0, 1, 2]) await answer(which, event);
  await edit(event, { capacity: 2 });
  expect(await ada.api.events.get({ event })).toMatchObject({ user_count: 4, capacity: 2, seats_left: 0 });
  expect(await answer(3, event)).toMatchObject({ my_answer: 'waiting' });
  for (const which of [0, 1]) await no(which, event);
  expect(await state(event)).toEqual({ going: [2], waiting: [3] });
  await no(2, event);
  expect(await state(event)).toEqual({ going: [3], waiting: [] });
});

test('notice of a seat: each member who moves up gets one, regardless of their settings [SEATS-05 SEATS-07]', async () => {
  const { slug: event } = await small({ capacity: 1, name: 'Regatta' });
  for (const which of [0, 1, 2]) await answer(which, event);
  await nth(0).api.notifications.saveSettings({ seat_given: false, email_seat_given: false });
  await edit(event, { capacity: 3 });
  expect(await messagesOf(nth(0), 'seat')).toEqual(['You have a seat at “Regatta”.']);
  expect(await seatsGiven()).toEqual([1, 1, 0, 0, 0]);
  await no(0, event);
  expect(await seatsGiven()).toEqual([1, 1, 1, 0, 0]);
  const emails = await all(
    w.db,
    sql<{
      user_id: string;
    }>`select user_id from notice_emails where kind = 'seat_given' and send_at > now()`,
  );
  expect(emails).toEqual([]);
});

test('seats: after the cut-off nobody moves up, and the host and the admins each get one notice of a free seat [SEATS-08]', async () => {
  const { id, slug: event } = await small({ name: 'Regatta' });
  await ada.api.members.changeRole({ club: club.id, member: nth(4).id, role: 200 });
  for (const which of [0, 1, 2, 3]) await answer(which, event);
  await run(w.db, sql`update events set entry_until_time = now() where id = ${id}`);
  const messages = () => Promise.all([ada, ...people].map((each) => messagesOf(each, 'A seat is free')));
  const notice = ['A seat is free at “Regatta”.'];
  await no(0, event);
  expect(await state(event)).toEqual({ going: [1], waiting: [2, 3] });
  expect(await messages()).toEqual([notice, [], [], [], [], notice]);
  await no(1, event);
  expect(await messages()).toEqual([notice, [], [], [], [], notice]);
  expect(await seatsGiven()).toEqual([0, 0, 0, 0, 0]);
  // The host can give the seat to any member, even out of turn.
  expect(await answerFor(3, event)).toMatchObject({ answer: 'going', seats_left: 1 });
  expect(await state(event)).toEqual({ going: [3], waiting: [2] });
  expect(await seatsGiven()).toEqual([0, 0, 0, 1, 0]);
  // A later cut-off opens the waitlist again.
  const { start_time } = await ada.api.events.get({ event });
  await ada.api.events.edit({ event, club: club.id, entry_until_time: start_time });
  expect(await state(event)).toEqual({ going: [2, 3], waiting: [] });
});

test('seats: the host can give seats beyond the capacity with `over`, and the list of answers marks these seats [SEATS-12]', async () => {
  const { slug: event } = await small({ capacity: 2 });
  await answer(0, event);
  await answer(1, event);
  for (const which of [1, 2]) expect(await outcomeOf(answerFor(which, event))).toBe('409 event_full');
  expect(await outcomeOf(answerFor(0, event, { guests: 1 }))).toBe('409 event_full');
  expect(await answerFor(2, event, { over: true })).toMatchObject({
    answer: 'going',
    user_count: 3,
    seats_left: 0,
  });
  const over = async (list: Answer = 'going') =>
    (await ada.api.answers.list({ event, state: list })).answers.flatMap((each) =>
      each.over ? [each.id] : [],
    );
  expect(await over()).toEqual([nth(2).id]);
  // A member who waits gets a seat out of turn; the mark disappears with the seat.
  await answerFor(1, event, { over: true });
  expect((await over()).toSorted()).toEqual([nth(1).id, nth(2).id].toSorted());
  await no(2, event);
  expect(await over()).toEqual([nth(1).id]);
  expect(await over('no')).toEqual([]);
  // If a seat is free, `over` is not needed and the answer is not marked.
  await edit(event, { capacity: 9 });
  await answerFor(3, event, { over: true });
  expect(await over()).toEqual([nth(1).id]);
});

test('waitlist: the host gets it in order, in pages and with ranks', async () => {
  const { slug: event } = await w.event(club, ada, { capacity: 1 });
  const many = await manyPeople(w, 102);
  await run(
    w.db,
    sql`insert into members (club_id, user_id, calendar_secret, joined_at)
        select ${club.id}, id, gen_random_uuid(), now() from unnest(${many.map(({ id }) => id)}::uuid[]) as id`,
  );
  for (const { api } of many) await api.answers.attend({ event });
  const first = await ada.api.answers.list({ event, state: 'waiting' });
  const second = await ada.api.answers.list({ event, state: 'waiting', after: first.more ?? '' });
  expect([...first.answers, ...second.answers].map(({ id, place }) => [id, place])).toEqual(
    many.map(({ id }, at) => [id, at + 1]),
  );
  // If the member at the cursor has left the waitlist, the list starts from the top.
  await many[99]?.api.answers.unattend({ event });
  const again = await ada.api.answers.list({ event, state: 'waiting', after: first.more ?? '' });
  expect(again.answers[0]?.place).toBe(1);
});

test('waiting: does not count as attending for conflicts, reminders and counts, but waiting members get notices of changes and cancellations [SEATS-14]', async () => {
  const { id, slug: event } = await w.event(club, ada, { capacity: 1, startsIn: 25, name: 'Regatta' });
  const { id: rival } = await w.event(club, ada, { startsIn: 25, name: 'Race' });
  await answer(0, event);
  await nth(0).api.answers.attend({ event: rival });
  for (const each of [event, rival])
    expect((await nth(0).api.events.get({ event: each })).conflicting_events.map(({ name }) => name)).toEqual(
      each === event ? ['Race'] : [],
    );
  const { user_count, attendees, silent_count } = await nth(1).api.events.get({ event });
  expect([user_count, attendees.length, silent_count]).toEqual([1, 1, 4]);
  await run(w.db, sql`update answers set answered_at = now() - interval '3 days' where event_id = ${id}`);
  await inTransaction(w.db, (db) => remindAttendees(db, addSeconds(w.now(), 2 * 3600)));
  const { start_time } = await ada.api.events.get({ event });
  const reminder = `${eventDayAndTime(start_time, 'UTC')}: Regatta`;
  expect([await messagesOf(ada, reminder), await messagesOf(nth(0), reminder)]).toEqual([[reminder], []]);
  for (const { api } of people) await api.notifications.clear({});
  await ada.api.events.edit({ event, club: club.id, location_name: 'Pier 9' });
  await ada.api.events.cancel({ event });
  expect(await messagesOf(nth(0), 'Regatta')).toEqual([
    expect.stringContaining('cancelled'),
    expect.stringContaining('moved'),
  ]);
  expect(await messagesOf(nth(1), 'Regatta')).toEqual([]);
});

test('home: lists the events on whose waitlist the member is', async () => {
  const { id } = await w.event(club, ada, { capacity: 1 });
  await answer(0, id);
  expect(await nth(0).api.events.attending({})).toMatchObject([
    { id, my_answer: 'waiting', my_role: null, seats_left: 0, waiting_count: 1 },
  ]);
});

test('outsiders: see no seats and no waitlist [ANSWER-16]', async () => {
  const { slug: event } = await small({ capacity: 1 });
  await answer(0, event);
  const outsider = await w.person('Eve');
  expect(await outsider.api.events.get({ event })).toMatchObject({
    capacity: null,
    seats_left: null,
    waiting_count: 0,
    waiting: [],
    my_place: null,
  });
});
