import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { instant } from '#wire/instant.ts';
import { outcomeOf, send, whileHeld } from '#test/calls.ts';
import { AnswerList } from '#features/events/answers/contract.ts';
import { answerToken } from '#features/events/mail.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let eve: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob, eve] = [await w.person('Ada'), await w.person('Bob'), await w.person('Eve')];
  club = await w.club([ada, bob]);
  await w.club([eve], 'Evening Readers');
});
afterAll(() => w[Symbol.asyncDispose]());

const apiError = (status: number, error: string) => expect.objectContaining({ status, error });

/** The parts of the response that attend and unattend do not change. */
const state = {
  my_guests: 0,
  my_place: null,
  must_confirm: false,
  guest_count: 0,
  seats_left: null,
  waiting_count: 0,
};

async function rows(event_id: string): Promise<number> {
  const found = await sql`select 1 from answers where event_id = ${event_id} and answer = 'going'`.execute(
    w.db,
  );
  return found.rows.length;
}

const post = (person: Person, path: string) =>
  fetch(`${w.origin}/api${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.session.read()?.AccessToken.Token}` },
  });

test('attend: a member over the rate limit does not wait for the lock of the event', async () => {
  const { id } = await w.event(club, ada);
  await run(
    w.db,
    sql`insert into rate_limits (key, taken, window_ends_at)
        values (${`answers:${id}:${bob.id}`}, 10, ${w.now()}::timestamptz + interval '60 s')`,
  );
  await inTransaction(w.db, async (held) => {
    await run(held, sql`select from events where id = ${id} for update`);
    expect((await post(bob, `/v1/events/${id}/attend`)).status).toBe(429);
  });
});

test('attend and unattend: a member can do both, repeatedly [GEN-05]', async () => {
  const { id, slug } = await w.event(club, ada);
  const attending = { ...state, my_role: 'attendee', my_answer: 'going', user_count: 2 };
  const not = { ...state, my_role: null, my_answer: 'no', user_count: 1 };
  expect(await bob.api.answers.attend({ event: slug })).toEqual(attending);
  expect(await bob.api.answers.attend({ event: id })).toEqual(attending);
  expect(await bob.api.events.get({ event: slug })).toMatchObject(attending);
  expect(await bob.api.answers.unattend({ event: slug })).toEqual(not);
  expect(await bob.api.answers.unattend({ event: slug })).toEqual(not);
  expect(await bob.api.events.get({ event: slug })).toMatchObject(not);
});

test.each([
  ['attend [API-30]', 'attend', { ...state, my_role: 'attendee', my_answer: 'going', user_count: 2 }],
  ['unattend [API-31]', 'unattend', { ...state, my_role: null, my_answer: 'no', user_count: 1 }],
])('%s: responds with 200 and data, by id and slug, even if repeated', async (_, what, data) => {
  const { id, slug } = await w.event(club, ada);
  if (what === 'unattend') await bob.api.answers.attend({ event: slug });
  for (const event of [slug, id]) {
    const response = await post(bob, `/v1/events/${event}/${what}`);
    expect([response.status, await response.json()]).toEqual([200, { data, status: 200, error: null }]);
  }
  expect(await rows(id)).toBe(data.user_count);
});

test('answer: responds with 200, the answer, the rank on the waitlist and the counts [ANSWER-01]', async () => {
  const { slug: event, cyd, dan } = await createParty({ capacity: 3 });
  expect(await bob.api.events.get({ event })).toMatchObject({
    my_answer: null,
    my_guests: 0,
    my_place: null,
  });
  const answer = async (person: Person, body: Record<string, unknown>) => {
    const { status, data } = await send(w, person, `PUT /v1/events/${event}/answer`, body);
    return [status, data];
  };
  const counts = { must_confirm: false, user_count: 2, guest_count: 1, seats_left: 0, waiting_count: 0 };
  const going = { my_answer: 'going', my_guests: 1, my_place: null, my_role: 'attendee' };
  const undo_answer = expect.any(String) as string;
  expect(await answer(bob, { answer: 'going', guests: 1, note: 'Late' })).toEqual([
    200,
    { ...going, ...counts, undo_answer },
  ]);
  // The stored places have gaps, but the response contains the rank.
  const waiting = { my_answer: 'waiting', my_role: null, ...counts };
  await answer(cyd, { answer: 'going', guests: 2 });
  await answer(cyd, { answer: 'no' });
  await answer(dan, { answer: 'going' });
  await answer(cyd, { answer: 'going' });
  await run(w.db, sql`update answers set place = place + 40 where answer = 'waiting'`);
  expect(await answer(cyd, { answer: 'going', guests: 2, lets_pass: true })).toEqual([
    200,
    { ...waiting, my_guests: 2, my_place: 2, waiting_count: 2, undo_answer },
  ]);
  expect(await cyd.api.events.get({ event })).toMatchObject({ my_lets_pass: true });
  expect(await answer(dan, { answer: 'maybe' })).toEqual([
    200,
    { ...waiting, my_answer: 'maybe', my_guests: 0, my_place: null, waiting_count: 1, undo_answer },
  ]);
  expect(await answer(dan, { answer: 'no' })).toMatchObject([200, { my_answer: 'no', my_place: null }]);
  for (const body of [{}, { answer: 'waiting' }, { answer: null }, { answer: 'going', lets_pass: 'yes' }])
    expect((await answer(bob, body))[0]).toBe(400);
});

test('answer: maybe takes no seat, and guests are counted apart from members and listed with the member who brings them [ANSWER-05 HOSTUX-06]', async () => {
  const { slug: event } = await w.event(club, ada, { guests_max: 3 });
  const { answer } = bob.api.answers;
  expect(await answer({ event, answer: 'maybe', guests: 1 })).toEqual({
    ...state,
    my_answer: 'maybe',
    my_guests: 1,
    my_role: null,
    user_count: 1,
    undo_answer: expect.any(String),
  });
  const unsure = await ada.api.events.get({ event });
  expect(unsure).toMatchObject({ user_count: 1, guest_count: 0, no_count: 0, silent_count: 0 });
  expect(unsure.attendees.map(({ attendee_id }) => attendee_id)).toEqual([ada.id]);
  expect(unsure.maybe.map(({ attendee_id }) => attendee_id)).toEqual([bob.id]);

  expect(await answer({ event, answer: 'going', guests: 3 })).toMatchObject({
    my_role: 'attendee',
    user_count: 2,
    guest_count: 3,
  });
  expect(await ada.api.events.get({ event })).toMatchObject({
    user_count: 2,
    guest_count: 3,
    attendees: [{ guests: 0 }, { attendee_id: bob.id, guests: 3 }],
    maybe: [],
  });
  expect((await ada.api.answers.people({ event })).people).toMatchObject([{ guests: 0 }, { guests: 3 }]);
});

test('answer: attend sets the answer going and keeps the guests, unattend sets the answer no and removes the guests [ANSWER-02]', async () => {
  const { slug: event } = await w.event(club, ada, { guests_max: 3 });
  const { answer, attend, unattend } = bob.api.answers;
  await answer({ event, answer: 'maybe', guests: 2, note: 'By bike' });
  expect(await attend({ event })).toMatchObject({ my_answer: 'going', my_guests: 2, guest_count: 2 });
  expect(await unattend({ event })).toMatchObject({ my_answer: 'no', my_guests: 0, guest_count: 0 });
  expect(await bob.api.events.get({ event })).toMatchObject({ my_answer: 'no', my_note: 'By bike' });
  await answer({ event, answer: 'no', guests: 3 });
  expect(await bob.api.events.get({ event })).toMatchObject({ my_answer: 'no', my_guests: 0 });
});

test('answer: guests are limited by the event, and a lower limit does not change earlier answers [ANSWER-06]', async () => {
  const { slug: event } = await w.event(club, ada);
  const { answer } = bob.api.answers;
  await expect(answer({ event, answer: 'going', guests: 1 })).rejects.toEqual(
    apiError(400, 'too_many_guests'),
  );
  await ada.api.events.edit({ event, club: club.id, guests_max: 9 });
  for (const guests of [-1, 0.5, 10])
    await expect(answer({ event, answer: 'going', guests })).rejects.toEqual(apiError(400, 'bad_input'));
  await answer({ event, answer: 'going', guests: 9 });
  await ada.api.events.edit({ event, club: club.id, guests_max: 0 });
  expect(await bob.api.events.get({ event })).toMatchObject({ my_guests: 9, guests_max: 0, guest_count: 9 });
  for (const guests_max of [-1, 10, 1.5])
    await expect(ada.api.events.edit({ event, club: club.id, guests_max })).rejects.toEqual(
      apiError(400, 'bad_input'),
    );
});

test('answer: the host cannot stop going, but may change guests and note [ANSWER-10]', async () => {
  const { slug: event } = await w.event(club, ada, { guests_max: 1 });
  const { answer } = ada.api.answers;
  for (const other of ['maybe', 'no'] as const)
    await expect(answer({ event, answer: other })).rejects.toEqual(apiError(400, 'host_stays'));
  await answer({ event, answer: 'going', guests: 1, note: 'I bring the key' });
  expect(await ada.api.events.get({ event })).toMatchObject({
    my_role: 'organiser',
    my_guests: 1,
    my_note: 'I bring the key',
  });
});

test('undo: removes the first answer, with its email, and the member has not answered again [HOMEUX-02]', async () => {
  const { id, slug: event } = await w.event(club, ada);
  const { undo_answer } = await bob.api.answers.answer({ event, answer: 'going' });
  const undo = String(undo_answer);
  expect(await bob.api.answers.undoAnswer({ event, undo })).toEqual({
    ...state,
    my_role: null,
    my_answer: null,
    user_count: 1,
  });
  expect(await rows(id)).toBe(1);
  expect(await bob.api.events.ofMyClubs({})).toContainEqual(expect.objectContaining({ id, my_answer: null }));
  await expect(bob.api.answers.undoAnswer({ event, undo })).rejects.toEqual(
    apiError(412, 'changed_meanwhile'),
  );
});

test('undo: a changed or confirmed answer is as before, and has to be confirmed again [HOMEUX-02]', async () => {
  const { id, slug: event } = await w.event(club, ada);
  await bob.api.answers.answer({ event, answer: 'going', note: 'By bike' });
  await run(
    w.db,
    sql`update answers set answered_at = answered_at - interval '1 hour' where event_id = ${id}`,
  );
  await ada.api.events.edit({ event, club: club.id, location_name: 'Hall', ask_again: true });
  const { answers: before } = await storedAnswers(id);
  for (const answer of ['no', 'maybe', 'going'] as const) {
    const { undo_answer, must_confirm } = await bob.api.answers.answer({ event, answer });
    expect(must_confirm).toBe(false);
    const undone = await bob.api.answers.undoAnswer({ event, undo: String(undo_answer) });
    expect(undone).toMatchObject({ my_answer: 'going', must_confirm: true });
    expect((await storedAnswers(id)).answers).toEqual(before);
  }
});

test('undo: is offered only if the answer changed something, and refused to others, after a newer answer and after a minute [HOMEUX-02]', async () => {
  const { slug: event } = await w.event(club, ada);
  const { slug: other } = await w.event(club, ada);
  const answer = async (given: 'going' | 'no') =>
    String((await bob.api.answers.answer({ event, answer: given })).undo_answer);
  const undo = await answer('going');
  expect(await answer('going')).toBe('null');
  await expect(ada.api.answers.undoAnswer({ event, undo })).rejects.toEqual(apiError(404, 'not_found'));
  await expect(bob.api.answers.undoAnswer({ event: other, undo })).rejects.toEqual(
    apiError(404, 'not_found'),
  );
  const newer = await answer('no');
  await expect(bob.api.answers.undoAnswer({ event, undo })).rejects.toEqual(
    apiError(412, 'changed_meanwhile'),
  );
  w.later('61 seconds');
  await expect(bob.api.answers.undoAnswer({ event, undo: newer })).rejects.toEqual(
    apiError(412, 'changed_meanwhile'),
  );
  expect(await bob.api.events.get({ event })).toMatchObject({ my_answer: 'no' });
});

test('answer: repeating an answer changes nothing and enqueues no email', async () => {
  const { id, slug: event } = await w.event(club, ada, { guests_max: 1 });
  const answer = () => bob.api.answers.answer({ event, answer: 'going', guests: 1, note: 'Late' });
  const stored = () =>
    first(
      w.db,
      sql`select to_json(a) as answer, (select to_json(c) from answer_changes c where c.event_id = a.event_id and c.user_id = a.user_id),
            (select count(*)::int from notice_emails e where e.user_id = a.user_id and e.kind = 'attending') as emails
          from answers a where event_id = ${id} and user_id = ${bob.id}`,
    );
  await answer();
  const before = await stored();
  expect(await answer()).toMatchObject({ my_answer: 'going', my_guests: 1 });
  expect(await stored()).toEqual(before);
});

/** All answers to an event, without the times of confirmation, and the rows on which calendars and emails depend. */
const storedAnswers = async (event_id: string) => ({
  answers: await all(
    w.db,
    sql`select to_jsonb(a) - 'confirmed_at' as answer from answers a where event_id = ${event_id} order by user_id`,
  ),
  changes: await all(
    w.db,
    sql`select to_jsonb(c) as change from answer_changes c where event_id = ${event_id} order by user_id`,
  ),
  emails: await all(w.db, sql`select to_jsonb(e) - 'send_at' as email from notice_emails e order by id`),
  notifications: await all(w.db, sql`select count(*) from notices`),
});

test('answer: repeating an answer confirms it, and changes neither the order nor emails [ANSWER-11]', async () => {
  const { home, id, slug: event, cyd, dan } = await createParty({ capacity: 2 });
  const eli = await w.person('Eli');
  const { invite_link } = await ada.api.invites.create({ club_id: home.id });
  await eli.api.invites.join({ invite: invite_link });
  const given = [
    [bob, { answer: 'going', note: 'Late' }],
    [cyd, { answer: 'going', guests: 2 }],
    [dan, { answer: 'going', lets_pass: true }],
    [eli, { answer: 'maybe' }],
  ] as const;
  for (const [{ api }, answer] of given) await api.answers.answer({ event, ...answer });
  const lists = async () => {
    const { attendees, waiting, maybe } = await ada.api.events.get({ event });
    return [attendees, waiting, maybe].map((list) => list.map(({ first_name }) => first_name));
  };
  const before = [['Ada', 'Bob'], ['Cyd', 'dan'], ['Eli']];
  expect(await lists()).toEqual(before);
  const again = async () => {
    const stored = await storedAnswers(id);
    for (const [{ api }, answer] of given.toReversed())
      expect(await api.answers.answer({ event, answer: answer.answer })).toMatchObject({
        must_confirm: false,
      });
    expect(await storedAnswers(id)).toEqual(stored);
    expect(await lists()).toEqual(before);
  };
  await again();
  await run(
    w.db,
    sql`update answers set answered_at = answered_at - interval '1 hour' where event_id = ${id}`,
  );
  await ada.api.events.edit({ event, club: home.id, location_name: 'Hall', ask_again: true });
  expect(await bob.api.events.get({ event })).toMatchObject({ must_confirm: true });
  await again();
  expect(await ada.api.events.get({ event })).toMatchObject({ confirmed_count: 5 });
  expect((await ada.api.answers.list({ event, state: 'unconfirmed' })).answers).toEqual([]);
});

test('answer: guests and notes keep the order of the attendees', async () => {
  const cyd = await w.person('Cyd');
  const home = await w.club([ada, bob, cyd]);
  const { slug: event } = await w.event(home, ada, { guests_max: 1 });
  for (const { api } of [bob, cyd]) await api.answers.attend({ event });
  await bob.api.answers.answer({ event, answer: 'going', guests: 1 });
  const { attendees } = await ada.api.events.get({ event });
  expect(attendees.map(({ first_name }) => first_name)).toEqual(['Ada', 'Bob', 'Cyd']);
});

test('note: is shown to its author, not to other members, outsiders or feeds [ANSWER-07]', async () => {
  const { slug: event } = await w.event(club, ada);
  const note = 'Broken ankle';
  await bob.api.answers.answer({ event, answer: 'no', note });
  expect((await bob.api.events.get({ event })).my_note).toBe(note);
  const secret = (await bob.api.clubs.get({ club: club.id })).ical_feed_url_id;
  const seen = [
    await ada.api.events.get({ event }),
    await ada.api.clubs.get({ club: club.id }),
    await eve.api.events.get({ event }),
    await bob.api.calendar.clubFeed({ club: club.id, secret }),
  ];
  expect(JSON.stringify(seen)).not.toContain(note);
  await expect(bob.api.answers.answer({ event, answer: 'no', note: 'x'.repeat(201) })).rejects.toEqual(
    apiError(400, 'bad_input'),
  );
});

test('note: is shown to admins and to a host who is not an admin, but not to organisers of the club [ANSWER-07]', async () => {
  const gil = await w.person('Gil');
  const home = await w.club([ada, bob, gil]);
  for (const { id } of [bob, gil])
    await ada.api.members.changeRole({ club: home.id, member: id, role: id === bob.id ? 200 : 100 });
  const { slug: event } = await w.event(home, bob);
  await ada.api.members.changeRole({ club: home.id, member: bob.id, role: 0 });
  await gil.api.answers.answer({ event, answer: 'maybe', note: 'Back by six' });
  for (const { api } of [ada, bob])
    expect(await api.answers.list({ event, state: 'maybe' })).toMatchObject({
      answers: [{ id: gil.id, note: 'Back by six' }],
    });
  await expect(gil.api.answers.list({ event })).rejects.toEqual(apiError(403, 'not_runner'));
  await expect(gil.api.answers.answerFor({ event, user: bob.id, answer: 'going' })).rejects.toEqual(
    apiError(403, 'not_runner'),
  );
});

/** A club of Ada's with Bob, Cyd and Dan, and an event that she hosts. */
async function createParty(input: Parameters<World['event']>[2] = {}) {
  await sql`delete from rate_limits`.execute(w.db);
  const [cyd, dan] = [await w.person('Cyd'), await w.person('dan')];
  const home = await w.club([ada, bob, cyd, dan]);
  return { home, cyd, dan, ...(await w.event(home, ada, { guests_max: 3, ...input })) };
}

const confirmations = async ({ api }: Person) =>
  (await api.notifications.list({})).filter(({ message }) => message.includes('put you down'));

const answersIn = async (event: string, state: 'going' | 'maybe' | 'no' | 'silent') =>
  (await ada.api.answers.list({ event, state })).answers;

test('answers: each member is in exactly one list, in the order of names, without an email address', async () => {
  const { slug: event, cyd, dan } = await createParty();
  await dan.api.answers.answer({ event, answer: 'going', guests: 2, note: 'Late' });
  await bob.api.answers.answer({ event, answer: 'no' });
  const going = await answersIn(event, 'going');
  expect(going).toEqual([
    expect.objectContaining({ id: ada.id, attendee_role: 'organiser', guests: 0, via: 'app' }),
    {
      id: dan.id,
      first_name: 'dan',
      last_name: '',
      profile_picture_url: null,
      attendee_role: 'attendee',
      guests: 2,
      note: 'Late',
      reply: '',
      section_ids: [],
      why: null,
      can_call: false,
      answered_at: expect.stringMatching(/Z$/),
      changed_at: expect.stringMatching(/Z$/),
      place: null,
      lets_pass: false,
      over: false,
      via: 'app',
      answered_by: null,
    },
  ]);
  const lists = [
    going,
    ...(await Promise.all((['maybe', 'no', 'silent'] as const).map((state) => answersIn(event, state)))),
  ];
  expect(lists.map((list) => list.map(({ id }) => id))).toEqual([[ada.id, dan.id], [], [bob.id], [cyd.id]]);
  expect(lists[3]).toEqual([expect.objectContaining({ answered_at: null, via: null, answered_by: null })]);
  expect(JSON.stringify(lists)).not.toContain('@');
  const { user_count, maybe, no_count, silent_count } = await ada.api.events.get({ event });
  expect([user_count, maybe.length, no_count, silent_count]).toEqual([2, 0, 1, 1]);
  await ada.api.events.cancel({ event });
  expect(await answersIn(event, 'no')).toHaveLength(1);
});

test('answers: each state lists its members with all details, for admins and the host only [ANSWER-14]', async () => {
  const { home, slug: event, id, cyd, dan } = await createParty({ capacity: 4 });
  const gil = await w.person('Gil');
  const { invite_link } = await ada.api.invites.create({ club_id: home.id });
  await gil.api.invites.join({ invite: invite_link });
  const picture = '/media/gil.webp';
  await run(w.db, sql`update users set profile_picture_url = ${picture} where id = ${gil.id}`);
  const listOf = (person: Person, state: AnswerList) => person.api.answers.list({ event, state });
  const idsIn = async (state: AnswerList) =>
    (await listOf(ada, state)).answers.map((each) => each.id).toSorted();
  const people = [ada, bob, cyd, dan, gil].map((person) => person.id);
  expect(await idsIn('silent')).toEqual(people.slice(1).toSorted());

  await ada.api.answers.answerFor({ event, user: gil.id, answer: 'going', guests: 2, note: 'Phoned' });
  await cyd.api.answers.answer({ event, answer: 'going' });
  await dan.api.answers.answer({ event, answer: 'maybe' });
  await bob.api.answers.answer({ event, answer: 'no' });
  await run(
    w.db,
    sql`update answers set answered_at = answered_at - interval '1 hour' where event_id = ${id}`,
  );
  await ada.api.events.edit({ event, club: home.id, location_name: 'Hall', ask_again: true });
  await dan.api.answers.answer({ event, answer: 'maybe' });
  expect((await listOf(ada, 'going')).answers.find((each) => each.id === gil.id)).toEqual({
    id: gil.id,
    first_name: 'Gil',
    last_name: '',
    profile_picture_url: picture,
    attendee_role: 'attendee',
    guests: 2,
    note: 'Phoned',
    reply: '',
    section_ids: [],
    why: null,
    can_call: false,
    place: null,
    lets_pass: false,
    over: false,
    answered_at: expect.stringMatching(/Z$/),
    changed_at: expect.stringMatching(/Z$/),
    via: 'runner',
    answered_by: { first_name: 'Ada', last_name: '' },
  });
  const expected = {
    going: [ada.id, gil.id],
    waiting: [cyd.id],
    maybe: [dan.id],
    no: [bob.id],
    silent: [],
    unconfirmed: [cyd.id, gil.id],
    unreached: [cyd.id, gil.id],
  };
  for (const state of AnswerList.options) {
    expect([state, await idsIn(state)]).toEqual([state, expected[state].toSorted()]);
    expect(JSON.stringify(await listOf(ada, state))).not.toContain('@');
    for (const person of [bob, gil])
      await expect(listOf(person, state)).rejects.toEqual(apiError(403, 'not_runner'));
  }
  await ada.api.members.changeRole({ club: home.id, member: bob.id, role: 200 });
  await bob.api.hosts.handOver({ event, user_id: bob.id });
  await ada.api.members.changeRole({ club: home.id, member: bob.id, role: 0 });
  expect((await listOf(bob, 'waiting')).answers).toHaveLength(1);
});

test('answers: pages have a hundred members, and list each member once [ANSWER-14]', async () => {
  const { slug: event, home } = await createParty();
  await sql`
    with people as (
      insert into users (id, email, first_name, calendar_secret, created_at)
      select gen_random_uuid(), 'page-' || n || '@example.net', 'P' || n % 7, 'page-' || n, now() from generate_series(1, 150) as n
      returning id)
    insert into members (club_id, user_id, calendar_secret, joined_at) select ${home.id}, id, id, now() from people`.execute(
    w.db,
  );
  const first = await ada.api.answers.list({ event, state: 'silent' });
  expect(first.answers).toHaveLength(100);
  const second = await ada.api.answers.list({ event, state: 'silent', after: first.more ?? '' });
  expect([second.answers.length, second.more]).toEqual([53, null]);
  const ids = [...first.answers, ...second.answers].map(({ id }) => id);
  expect(new Set(ids).size).toBe(153);
  await expect(ada.api.answers.list({ event, after: 'no cursor' })).rejects.toEqual(
    apiError(400, 'bad_input'),
  );
});

test('answerFor: sets answer, guests and note of a member, who may change them [ANSWER-17 ANSWER-18]', async () => {
  const { slug: event, id, cyd } = await createParty();
  const { answerFor } = ada.api.answers;
  expect(await answerFor({ event, user: cyd.id, answer: 'going', guests: 2, note: 'Phoned' })).toEqual({
    answer: 'going',
    guests: 2,
    note: 'Phoned',
    user_count: 2,
    guest_count: 2,
    seats_left: null,
    waiting_count: 0,
  });
  const row = async (state: 'going' | 'no') =>
    (await answersIn(event, state)).find((each) => each.id === cyd.id);
  expect(await row('going')).toMatchObject({
    via: 'runner',
    answered_by: { first_name: 'Ada', last_name: '' },
  });
  expect(await cyd.api.events.get({ event })).toMatchObject({
    my_role: 'attendee',
    my_answer: 'going',
    my_guests: 2,
    my_note: 'Phoned',
  });
  // Omitted fields keep their value, except that members who do not go bring no guests.
  await answerFor({ event, user: cyd.id, answer: 'no' });
  expect(await row('no')).toMatchObject({ guests: 0, note: 'Phoned' });
  await cyd.api.answers.answer({ event: id, answer: 'going' });
  expect(await row('going')).toMatchObject({ via: 'app', answered_by: null, note: 'Phoned' });
});

test('answerFor: works after the cut-off until the end of the event [ANSWER-17]', async () => {
  await using other = await world();
  const [host, guest] = [await other.person('A'), await other.person('B')];
  const home = await other.club([host, guest]);
  const entryUntil = instant(Date.parse(other.now()) + 60_000);
  const { slug: event } = await other.event(home, host, { startsIn: 0.05, lasts: 0.05, entryUntil });
  const answer = () => host.api.answers.answerFor({ event, user: guest.id, answer: 'going' });
  other.later('61 seconds');
  await expect(guest.api.answers.attend({ event })).rejects.toEqual(apiError(409, 'event_closed'));
  expect(await answer()).toMatchObject({ user_count: 2 });
  other.later('6 minutes');
  await expect(answer()).rejects.toEqual(apiError(409, 'event_ended'));
  const { slug: cancelled } = await other.event(home, host);
  await host.api.events.cancel({ event: cancelled });
  await expect(
    host.api.answers.answerFor({ event: cancelled, user: guest.id, answer: 'going' }),
  ).rejects.toEqual(apiError(409, 'event_cancelled'));
});

test('answerFor: refused for people who are not members, for a host who would not be going, and for too many guests [ANSWER-17]', async () => {
  const { slug: event, id, home, cyd, dan } = await createParty();
  const { answerFor } = ada.api.answers;
  await dan.api.members.leave({ club: home.id });
  for (const user of [eve.id, dan.id, '00000000-0000-4000-8000-000000000000'])
    await expect(answerFor({ event, user, answer: 'going' })).rejects.toEqual(apiError(404, 'not_found'));
  await ada.api.members.changeRole({ club: home.id, member: bob.id, role: 200 });
  for (const answer of ['maybe', 'no'] as const)
    await expect(bob.api.answers.answerFor({ event, user: ada.id, answer })).rejects.toEqual(
      apiError(400, 'host_stays'),
    );
  await expect(answerFor({ event, user: cyd.id, answer: 'going', guests: 4 })).rejects.toEqual(
    apiError(400, 'too_many_guests'),
  );
  expect(await rows(id)).toBe(1);
});

test('answerFor: the member, never the runner, gets a notice in the app, and only about changes [ANSWER-18]', async () => {
  const { slug: event, cyd } = await createParty();
  for (const answer of ['going', 'going', 'maybe', 'no'] as const)
    await ada.api.answers.answerFor({ event, user: cyd.id, answer });
  await ada.api.answers.answerFor({ event, user: ada.id, answer: 'going', guests: 1 });
  expect((await confirmations(cyd)).map(({ message }) => message)).toEqual([
    'Ada put you down as not going to “Tuesday run”.',
    'Ada put you down as maybe going to “Tuesday run”.',
    'Ada put you down as going to “Tuesday run”.',
  ]);
  expect((await confirmations(cyd))[0]?.metadata).toEqual({ event_name: 'Tuesday run', event_slug: event });
  expect(await confirmations(ada)).toEqual([]);
  expect((await answersIn(event, 'going'))[0]).toMatchObject({ guests: 1, via: 'app', answered_by: null });
});

test('answerFor: the answer stays when the account of the runner is deleted', async () => {
  const { slug: event, home, cyd } = await createParty();
  const gil = await w.person('Gil');
  const { invite_link } = await ada.api.invites.create({ club_id: home.id });
  await gil.api.invites.join({ invite: invite_link });
  await ada.api.members.changeRole({ club: home.id, member: gil.id, role: 200 });
  await gil.api.answers.answerFor({ event, user: cyd.id, answer: 'maybe' });
  await sql`delete from users where id = ${gil.id}`.execute(w.db);
  expect(await answersIn(event, 'maybe')).toEqual([
    expect.objectContaining({ id: cyd.id, via: 'runner', answered_by: null }),
  ]);
});

test('answerFor: each runner is limited to sixty calls a minute', async () => {
  await using other = await world();
  const [host, guest] = [await other.person('A'), await other.person('B')];
  const { slug: event } = await other.event(await other.club([host, guest]), host);
  await host.api.answers.answerFor({ event, user: guest.id, answer: 'maybe' });
  await sql`update rate_limits set taken = 59 where key = ${`answers-for:${host.id}`}`.execute(other.db);
  const { answerFor } = host.api.answers;
  await answerFor({ event, user: guest.id, answer: 'going' });
  await expect(answerFor({ event, user: guest.id, answer: 'no' })).rejects.toEqual(
    apiError(429, 'too_often'),
  );
});

test('unattend: refused with host_stays for the host [EVENT-33]', async () => {
  const { slug } = await w.event(club, ada);
  await expect(ada.api.answers.unattend({ event: slug })).rejects.toEqual(apiError(400, 'host_stays'));
  expect(await ada.api.answers.attend({ event: slug })).toMatchObject({
    my_role: 'organiser',
    user_count: 1,
  });
});

test('attend: refused for outsiders and ejected members, and without a session', async () => {
  const { id, slug: event } = await w.event(club, ada);
  const zoe = await w.person('Zoe');
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  await zoe.api.invites.join({ invite: invite_link });
  await ada.api.members.eject({ club: club.id, member: zoe.id });
  for (const { api } of [eve, zoe]) {
    await expect(api.answers.attend({ event })).rejects.toEqual(apiError(403, 'not_member'));
    await expect(api.answers.unattend({ event })).rejects.toEqual(apiError(403, 'not_member'));
  }
  await expect(w.anyone.answers.attend({ event })).rejects.toEqual(apiError(401, 'not_signed_in'));
  await expect(bob.api.answers.attend({ event: 'none-abcdefghij' })).rejects.toEqual(
    apiError(404, 'not_found'),
  );
  expect(await rows(id)).toBe(1);
});

test('cancelled event: attend is refused with event_cancelled, unattend works', async () => {
  const { slug: event } = await w.event(club, ada);
  await bob.api.answers.attend({ event });
  await ada.api.events.cancel({ event });
  await expect(bob.api.answers.attend({ event })).rejects.toEqual(apiError(409, 'event_cancelled'));
  expect(await bob.api.answers.unattend({ event })).toMatchObject({ my_role: null, user_count: 1 });
});

test('attend: refused after the cut-off by the server clock; unattend: refused after the end', async () => {
  await using other = await world();
  const [host, guest, latecomer] = [
    await other.person('A'),
    await other.person('B'),
    await other.person('C'),
  ];
  const home = await other.club([host, guest, latecomer]);
  const entryUntil = instant(Date.parse(other.now()) + 60_000);
  const { slug: event } = await other.event(home, host, { startsIn: 0.05, lasts: 0.05, entryUntil });
  await guest.api.answers.attend({ event });
  await latecomer.api.answers.attend({ event });
  other.later('61 seconds');
  expect(await guest.api.answers.unattend({ event })).toMatchObject({ my_role: null });
  await expect(guest.api.answers.attend({ event })).rejects.toEqual(apiError(409, 'event_closed'));
  other.later('6 minutes');
  await expect(latecomer.api.answers.unattend({ event })).rejects.toEqual(apiError(409, 'event_ended'));
});

const answerKey = async ({ db }: World, { id }: Person) =>
  (await first(db, sql<{ answer_key: string }>`select answer_key from members where user_id = ${id}`))
    ?.answer_key ?? '';

test('attend, unattend, answer and links: share a limit of ten calls per minute for each user and event [ANSWER-12]', async () => {
  await using other = await world();
  const [host, guest] = [await other.person('A'), await other.person('B')];
  const home = await other.club([host, guest]);
  const [one, two] = [await other.event(home, host), await other.event(home, host)];
  const call = async (slug: string, nth: number) => {
    const response = await fetch(`${other.origin}/api/v1/events/${slug}/${nth % 2 ? 'unattend' : 'attend'}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${guest.session.read()?.AccessToken.Token}` },
    });
    return [response.status, response.headers.get('retry-after')] as const;
  };
  for (let nth = 0; nth < 10; nth++) expect(await call(one.slug, nth)).toEqual([200, null]);
  const [status, wait] = await call(one.slug, 10);
  expect(status).toBe(429);
  expect(Number(wait)).toBeGreaterThan(50);
  expect(Number(wait)).toBeLessThanOrEqual(60);
  await expect(guest.api.answers.answer({ event: one.slug, answer: 'maybe' })).rejects.toEqual(
    apiError(429, 'too_often'),
  );
  const linkTo = async (event_id: string) =>
    answerToken(other.config, { user_id: guest.id, event_id, answer_key: await answerKey(other, guest) });
  const byLink = async (event_id: string) =>
    other.anyone.answers.answerByLink({ token: await linkTo(event_id), answer: 'maybe' });
  await expect(byLink(one.id)).rejects.toEqual(apiError(429, 'too_often'));
  expect(await call(two.slug, 0)).toEqual([200, null]);
  for (let nth = 0; nth < 8; nth++) await byLink(two.id);
  await guest.api.answers.answer({ event: two.slug, answer: 'no' });
  expect((await call(two.slug, 0))[0]).toBe(429);
  await host.api.answers.answer({ event: two.slug, answer: 'going' });
  other.later('61 seconds');
  expect(await call(one.slug, 0)).toEqual([200, null]);
});

test('attend: fifty concurrent calls of one user all return 200 and add one row', async () => {
  const { id, slug } = await w.event(club, ada);
  await bob.api.answers.unattend({ event: slug });
  await sql`update rate_limits set taken = -50 where key = ${`answers:${id}:${bob.id}`}`.execute(w.db);
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => post(bob, `/v1/events/${slug}/attend`)),
  );
  expect(responses.map((response) => response.status)).toEqual(Array.from({ length: 50 }, () => 200));
  expect(await rows(id)).toBe(2);
  expect((await bob.api.events.get({ event: slug })).user_count).toBe(2);
});

test('user_count: equals the number of rows after a thousand random concurrent calls [C4]', async () => {
  const people = await Promise.all(Array.from({ length: 20 }, (_, nth) => w.person(`P${nth}`)));
  const crowd = await w.club([ada, ...people], 'Crowd');
  const events = await Promise.all(Array.from({ length: 5 }, () => w.event(crowd, ada)));
  // Ten calls for each of the twenty users and five events: exactly the rate limit.
  const calls = Array.from({ length: 10 }, () =>
    people.flatMap((person) => events.map(({ slug }) => ({ person, slug, attends: Math.random() < 0.5 }))),
  ).flat();
  expect(calls).toHaveLength(1000);
  const last = new Map<string, boolean>();
  for (let start = 0; start < calls.length; start += 100) {
    const responses = await Promise.all(
      calls.slice(start, start + 100).map(({ person, slug, attends }) => {
        last.set(person.id + slug, attends);
        return post(person, `/v1/events/${slug}/${attends ? 'attend' : 'unattend'}`);
      }),
    );
    expect(responses.every((response) => response.status === 200)).toBe(true);
  }
  for (const { id, slug } of events) {
    const { user_count, attendees } = await ada.api.events.get({ event: slug });
    const going = people.filter((person) => last.get(person.id + slug));
    expect(user_count).toBe(await rows(id));
    expect(new Set(attendees.map((attendee) => attendee.attendee_id))).toEqual(
      new Set([ada.id, ...going.map((person) => person.id)]),
    );
  }
});

test('attend: waits for a concurrent cancellation and is then refused', async () => {
  const { id, slug } = await w.event(club, ada);
  const attend = await w.db.transaction().execute(async (cancelling) => {
    await sql`update events set deleted_at = ${w.now()} where id = ${id}`.execute(cancelling);
    const response = post(bob, `/v1/events/${slug}/attend`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { response };
  });
  expect((await attend.response).status).toBe(409);
  expect(await rows(id)).toBe(1);
});

test('cancel: if it waited for a concurrent sign-up, deleted_at is not before the time of that sign-up', async () => {
  const { id, slug } = await w.event(club, ada);
  const answered_at = instant(Date.parse(w.now()) + 5000);
  const { cancelled } = await w.db.transaction().execute(async (attending) => {
    await sql`select 1 from events where id = ${id} for no key update`.execute(attending);
    await sql`insert into answers (event_id, user_id, answered_at)
      values (${id}, ${bob.id}, ${answered_at})`.execute(attending);
    const cancelled = ada.api.events.cancel({ event: slug });
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { cancelled };
  });
  expect((await cancelled).deleted_at).toBe(answered_at);
});

async function countRows(table: 'favourites' | 'event_followers', user: Person): Promise<number> {
  const found = await sql`select 1 from ${sql.table(table)} where user_id = ${user.id}`.execute(w.db);
  return found.rows.length;
}

test('favourite: a member can set and clear it [API-32]', async () => {
  const { slug: event } = await w.event(club, ada);
  const setFavourite = (favourite: boolean) => bob.api.answers.favourite({ event, favourite });
  expect((await bob.api.events.get({ event })).favourite).toBe(false);
  expect([await setFavourite(true), await setFavourite(true)]).toEqual([
    { favourite: true },
    { favourite: true },
  ]);
  expect((await bob.api.events.get({ event })).favourite).toBe(true);
  expect((await ada.api.events.get({ event })).favourite).toBe(false);
  expect([await setFavourite(false), await setFavourite(false)]).toEqual([
    { favourite: false },
    { favourite: false },
  ]);
  expect((await bob.api.events.get({ event })).favourite).toBe(false);
  for (const favourite of ['true', 1, null])
    await expect(setFavourite(favourite as unknown as boolean)).rejects.toEqual(apiError(400, 'bad_input'));
});

test('subscribe and unsubscribe: idempotent for a member [API-37 API-38]', async () => {
  const { slug: event } = await w.event(club, ada);
  expect((await bob.api.events.get({ event })).subscribed).toBe(false);
  for (const _ of [1, 2]) expect(await bob.api.answers.subscribe({ event })).toEqual({ subscribed: true });
  expect((await bob.api.events.get({ event })).subscribed).toBe(true);
  expect((await ada.api.events.get({ event })).subscribed).toBe(false);
  for (const _ of [1, 2]) expect(await bob.api.answers.unsubscribe({ event })).toEqual({ subscribed: false });
  expect((await bob.api.events.get({ event })).subscribed).toBe(false);
});

test('outsiders: cannot mark a favourite or subscribe; unsubscribe always succeeds', async () => {
  const { slug: event } = await w.event(club, ada);
  await expect(eve.api.answers.favourite({ event, favourite: true })).rejects.toEqual(
    apiError(403, 'not_member'),
  );
  await expect(eve.api.answers.subscribe({ event })).rejects.toEqual(apiError(403, 'not_member'));
  for (const any of [event, 'none-abcdefghij'])
    expect(await eve.api.answers.unsubscribe({ event: any })).toEqual({ subscribed: false });
  expect([await countRows('favourites', eve), await countRows('event_followers', eve)]).toEqual([0, 0]);
});

test('leaving and ejection: remove favourites and follows in that club only', async () => {
  const [zoe, yan] = [await w.person('Zoe'), await w.person('Yan')];
  const two = [await w.club([ada, zoe, yan]), await w.club([ada, zoe, yan])] as const;
  for (const home of two) {
    const past = await w.event(home, ada);
    const upcoming = await w.event(home, ada);
    await sql`update events set start_time = now() - interval '2 h', end_time = now() - interval '1 h'
      where id = ${past.id}`.execute(w.db);
    for (const { api } of [zoe, yan])
      for (const { id } of [past, upcoming]) {
        await api.answers.favourite({ event: id, favourite: true });
        await api.answers.subscribe({ event: id });
      }
  }
  await zoe.api.members.leave({ club: two[0].id });
  await ada.api.members.eject({ club: two[0].id, member: yan.id });
  for (const person of [zoe, yan])
    expect([await countRows('favourites', person), await countRows('event_followers', person)]).toEqual([
      2, 2,
    ]);
});

test('subscribe and favourite: store nothing while the membership is being removed', async () => {
  const zoe = await w.person('Zoe');
  const home = await w.club([ada, zoe]);
  const { id: event } = await w.event(home, ada);
  const membership = sql`select 1 from members where club_id = ${home.id} and user_id = ${zoe.id} for update`;
  for (const start of [
    () => zoe.api.answers.subscribe({ event }),
    () => zoe.api.answers.favourite({ event, favourite: true }),
  ]) {
    await whileHeld(w, membership, start, (held) =>
      sql`delete from members where club_id = ${home.id} and user_id = ${zoe.id}`.execute(held),
    );
    expect([await countRows('favourites', zoe), await countRows('event_followers', zoe)]).toEqual([0, 0]);
    await sql`insert into members (club_id, user_id, calendar_secret, joined_at)
      values (${home.id}, ${zoe.id}, gen_random_uuid(), now())`.execute(w.db);
  }
});

test('an answer waits neither for changes of the club nor for other events [COST-02]', async () => {
  const [event, other] = [await w.event(club, ada), await w.event(club, ada)];
  await inTransaction(w.db, async (held) => {
    await run(held, sql`select from clubs where id = ${club.id} for no key update`);
    await run(held, sql`select from events where id = ${other.id} for update`);
    expect(await outcomeOf(bob.api.answers.attend({ event: event.id }))).toBe('ok');
    expect(await outcomeOf(bob.api.answers.unattend({ event: event.id }))).toBe('ok');
  });
});
