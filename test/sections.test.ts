import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import type { Event } from '#features/events/contract.ts';
import { notifyShort } from '#features/events/jobs.ts';
import { outcomeOf } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { instant } from '#wire/instant.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
/** Ada is the admin and hosts all events. Bob is a tenor, Cyd a bass, Dan both, and Gil neither. */
let people: Record<'ada' | 'bob' | 'cyd' | 'dan' | 'gil', Person>;
let club: ClubHandle;
let [tenor, bass, alto] = ['', '', ''];

beforeAll(async () => {
  w = await world();
  const [ada, bob, cyd, dan, gil] = (await Promise.all(
    ['Ada', 'Bob', 'Cyd', 'Dan', 'Gil'].map((name) => w.person(name)),
  )) as [Person, Person, Person, Person, Person];
  people = { ada, bob, cyd, dan, gil };
});
afterAll(() => w[Symbol.asyncDispose]());

beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  const { ada, bob, cyd, dan, gil } = people;
  club = await w.club([ada, bob, cyd, dan, gil]);
  const names = ['Tenor', 'Bass', 'Alto'].map((name) => ({ name }));
  const saved = await ada.api.sections.save({ club: club.id, sections: names });
  [tenor = '', bass = '', alto = ''] = saved.map(({ id }) => id);
  await tick(tenor, bob, dan);
  await tick(bass, cyd, dan);
});

const fromNow = (hours: number) => instant(Date.parse(w.now()) + hours * 3_600_000);
const closesSoon = () => ({ entryUntil: fromNow(1) });
const check = () => notifyShort(w.db, w.now());
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
const ids = (...persons: Person[]) => persons.map(({ id }) => id);
const tick = (section: string, ...persons: Person[]) =>
  people.ada.api.sections.changeMembers({ club: club.id, section, add: ids(...persons) });
const planned = (fields: Parameters<World['event']>[2] = {}) => w.event(club, people.ada, fields);
const edit = (event: string, fields: object) =>
  people.ada.api.events.edit({ event, club: club.id, ...fields });
const seenBy = ({ api }: Person, event: string): Promise<Event> => api.events.get({ event });
const remove = (...sections: string[]) =>
  outcomeOf(people.ada.api.sections.save({ club: club.id, remove: sections }));

/** Who got notices of these kinds about an event, by name. */
async function recipientsOf(event: string, ...kinds: string[]): Promise<string[]> {
  const rows = await all(
    w.db,
    sql<{ user_id: string }>`
      select user_id from notices where facts ->> 'event_id' = ${event} and kind = any(${kinds}) order by user_id`,
  );
  const names = Object.entries(people);
  return rows.map(({ user_id }) => names.find(([, { id }]) => id === user_id)?.[0] ?? '?').toSorted();
}

describe('an event for sections', () => {
  test('is told, nudged and counted for their members alone, and one of two sections counts once [SECT-04]', async () => {
    const { ada, bob, cyd, dan, gil } = people;
    const { id } = await planned({ section_ids: [bass, tenor] });
    expect(await recipientsOf(id, 'new_event')).toEqual(['bob', 'cyd', 'dan']);
    const page = await seenBy(gil, id);
    expect(page).toMatchObject({
      section_ids: [tenor, bass],
      section_names: ['Tenor', 'Bass'],
      silent_count: 3,
      is_for_me: false,
    });
    expect(await seenBy(dan, id)).toMatchObject({ is_for_me: true });
    const { nudged } = await ada.api.answers.nudge({ event: id, to: 'silent' });
    expect(nudged).toBe(3);
    expect(await recipientsOf(id, 'answer_wanted')).toEqual(['bob', 'cyd', 'dan']);
    const silent = await ada.api.answers.list({ event: id, state: 'silent' });
    expect(silent.answers.map((row) => row.id).toSorted()).toEqual(ids(bob, cyd, dan).toSorted());
    const home = async ({ api }: Person) =>
      (await api.events.ofMyClubs({})).filter((event) => event.id === id).map(({ is_for_me }) => is_for_me);
    expect([await home(bob), await home(gil)]).toEqual([[true], [false]]);
  });

  test('can be seen and answered by every member, and stays in the lists of the club [SECT-05]', async () => {
    const { gil } = people;
    const { id } = await planned({ section_ids: [tenor] });
    await gil.api.answers.attend({ event: id });
    const page = await seenBy(gil, id);
    expect(page).toMatchObject({ my_answer: 'going', user_count: 2, silent_count: 2 });
    expect((await gil.api.events.ofClub({ club: club.id })).events.map((event) => event.id)).toContain(id);
    const { ical_feed_url_id } = await gil.api.clubs.get({ club: club.id });
    const feed = await fetch(`${w.origin}/api/v1/clubs/${club.id}/ical/${ical_feed_url_id}/calendar.ics`);
    expect(await feed.text()).toContain(id);
  });

  test('is for everybody without sections, also for members who are in none [SECT-04]', async () => {
    const { id } = await planned();
    expect(await recipientsOf(id, 'new_event')).toEqual(['bob', 'cyd', 'dan', 'gil']);
    expect(await seenBy(people.gil, id)).toMatchObject({
      section_names: [],
      silent_count: 4,
      is_for_me: true,
    });
  });

  test('a nudge can be limited to sections [SECT-06]', async () => {
    const { ada } = people;
    const { id } = await planned();
    expect(await ada.api.answers.nudge({ event: id, to: 'silent', section_ids: [bass] })).toEqual({
      nudged: 2,
    });
    expect(await recipientsOf(id, 'answer_wanted')).toEqual(['cyd', 'dan']);
  });

  test('messages to members without an answer reach and are read by its members alone [MSG-03 SECT-04]', async () => {
    const { ada, bob, gil } = people;
    const { id } = await planned({ section_ids: [tenor] });
    const sent = await ada.api.updates.sendMessage({ event: id, content: 'Please answer', to: ['silent'] });
    expect(sent.people).toBe(2);
    expect((await seenBy(bob, id)).messages).toMatchObject([{ content: 'Please answer' }]);
    expect((await seenBy(gil, id)).messages).toEqual([]);
  });

  test('a poll is told to its members, and its result to them and to all who voted [POLL-05 SECT-04]', async () => {
    const { ada, gil } = people;
    const times = [30, 60].map((hours) => ({ start_time: fromNow(hours), end_time: fromNow(hours + 1) }));
    const { id } = await ada.api.events.create({
      club: club.id,
      name: 'Rehearsal',
      location_name: 'Hall',
      times,
      section_ids: [tenor],
    });
    expect(await recipientsOf(id, 'new_event')).toEqual(['bob', 'dan']);
    const { times: open } = await seenBy(gil, id);
    await gil.api.polls.vote({ event: id, votes: open.map((time) => ({ time: time.id, vote: 'yes' })) });
    await ada.api.polls.decide({ event: id, time: open[0]?.id ?? '' });
    expect(await recipientsOf(id, 'time_fixed')).toEqual(['bob', 'dan', 'gil']);
  });

  test('a series of everybody signs up the members that it is for, at every date [STAND-06 SECT-04]', async () => {
    const { ada, bob, gil } = people;
    const { id } = await ada.api.series.plan({
      ...newSeries,
      club: club.id,
      everybody: true,
      section_ids: [tenor],
    });
    const { events } = await bob.api.series.get({ series: id });
    expect(new Set(events.map(({ my_answer, user_count }) => `${my_answer} ${user_count}`))).toEqual(
      new Set(['going 3']),
    );
    expect((await gil.api.series.get({ series: id })).events[0]).toMatchObject({ my_answer: null });
    const joiner = await w.person('Hal');
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    await joiner.api.invites.join({ invite: invite_link });
    expect((await joiner.api.series.get({ series: id })).events[0]).toMatchObject({ my_answer: null });
    await gil.api.series.standing({ series: id, answer: 'going' });
    expect((await gil.api.series.get({ series: id })).events[0]).toMatchObject({ my_answer: null });
  });
});

describe('sections and numbers of an event', () => {
  test.each<[string, () => object]>([
    ['a section that is none', () => ({ section_ids: [club.id] })],
    ['a section twice', () => ({ section_ids: [tenor, tenor] })],
    ['a number for a section that is none', () => ({ needed: { [club.id]: 3 } })],
    ['a number for another section', () => ({ section_ids: [tenor], needed: { [bass]: 3 } })],
    ['a number under another name', () => ({ needed: { everybody: 3 } })],
    ['zero', () => ({ needed: { all: 0 } })],
    ['more than a thousand', () => ({ needed: { all: 1001 } })],
    ['half a person', () => ({ needed: { all: 1.5 } })],
  ])('%s is bad input for events and series, and nothing is stored [SECT-04 SECT-07]', async (_, fields) => {
    const { ada } = people;
    const { id } = await planned();
    expect(await outcomeOf(planned(fields()))).toBe('400 bad_input');
    expect(await outcomeOf(edit(id, fields()))).toBe('400 bad_input');
    expect(await outcomeOf(ada.api.series.plan({ ...newSeries, club: club.id, ...fields() }))).toBe(
      '400 bad_input',
    );
    expect(await seenBy(ada, id)).toMatchObject({ section_ids: [], needed: {}, changes: [] });
  });

  test('are edited, kept in the history and undone, and numbers of other sections go with them [SECT-04 SECT-07]', async () => {
    const { ada } = people;
    const { id } = await planned({ section_ids: [tenor, bass], needed: { all: 9, [tenor]: 2, [bass]: 1 } });
    await edit(id, { section_ids: [bass] });
    const page = await seenBy(ada, id);
    expect(page).toMatchObject({ section_ids: [bass], needed: { all: 9, [bass]: 1 } });
    expect(page.changes[0]).toMatchObject({
      before: { section_ids: [tenor, bass] },
      after: { section_ids: [bass] },
    });
    await edit(id, { section_ids: [bass] });
    expect((await seenBy(ada, id)).changes).toHaveLength(1);
    await ada.api.events.undo({ event: id, change: page.changes[0]?.id ?? '' });
    expect(await seenBy(ada, id)).toMatchObject({
      section_ids: [tenor, bass],
      needed: { all: 9, [tenor]: 2, [bass]: 1 },
    });
  });

  test('an undo drops removed sections, and is too late if none is left [SECT-01]', async () => {
    const { ada } = people;
    const undo = async (event: string) => {
      const [change] = (await seenBy(ada, event)).changes;
      return outcomeOf(ada.api.events.undo({ event, change: change?.id ?? '' }));
    };
    const { id: one } = await planned({ section_ids: [tenor] });
    const { id: two } = await planned({ section_ids: [tenor, bass], needed: { [tenor]: 2 } });
    for (const event of [one, two]) await edit(event, { section_ids: [], needed: {} });
    expect(await remove(tenor)).toBe('ok');
    expect(await undo(one)).toBe('409 too_late');
    expect(await undo(two)).toBe('ok');
    expect(await seenBy(ada, two)).toMatchObject({ section_ids: [bass], needed: {} });
  });

  test('a section that a coming event or a running series is for or needs cannot be removed [SECT-01]', async () => {
    const { ada } = people;
    const { id: event } = await planned({ section_ids: [tenor] });
    await planned({ needed: { [bass]: 1 } });
    const { id: series } = await ada.api.series.plan({ ...newSeries, club: club.id, section_ids: [alto] });
    for (const section of [tenor, bass, alto]) expect(await remove(section)).toBe('409 section_in_use');
    expect(await remove(tenor, bass, alto)).toBe('409 section_in_use');
    expect(await ada.api.sections.ofClub({ club: club.id })).toHaveLength(3);
    await ada.api.series.end({ series });
    expect(await remove(alto)).toBe('ok');
    await ada.api.events.cancel({ event });
    expect(await remove(tenor)).toBe('ok');
    // The cancelled event keeps the name, and the name is free again.
    expect(await seenBy(ada, event)).toMatchObject({ section_names: ['Tenor'] });
    const again = await ada.api.sections.save({ club: club.id, sections: [{ name: 'tenor' }] });
    expect(again.map(({ name }) => name)).toEqual(['tenor', 'Bass']);
    expect(await outcomeOf(planned({ section_ids: [tenor] }))).toBe('400 bad_input');
  });
});

describe('counts of sections', () => {
  interface Counts {
    going: number;
    maybe: number;
    silent: number;
  }

  /** The counts of an event, from its answers and the sections of all members. */
  async function counted(event: string, sectionsOfEvent: readonly string[]) {
    const { members } = await people.ada.api.members.ofClub({ club: club.id });
    const answers = await all(
      w.db,
      sql<{ user_id: string; answer: string }>`select user_id, answer from answers where event_id = ${event}`,
    );
    const answerOf = new Map(answers.map(({ user_id, answer }) => [user_id, answer]));
    const of = (section: string): Counts => {
      const ofSection = members.filter(({ section_ids }) => section_ids.includes(section));
      const count = (answer: string | undefined) =>
        ofSection.filter(({ id }) => answerOf.get(id) === answer).length;
      return { going: count('going'), maybe: count('maybe'), silent: count(undefined) };
    };
    const isFor = (sections: readonly string[]) =>
      sectionsOfEvent.length === 0 || sectionsOfEvent.some((id) => sections.includes(id));
    return {
      sections: (sectionsOfEvent.length > 0 ? sectionsOfEvent : [tenor, bass, alto]).map(of),
      silent: members.filter(({ id, section_ids }) => isFor(section_ids) && !answerOf.has(id)).length,
    };
  }

  test('equal a brute-force count after 1,000 random changes of answers and sections [SECT-06]', async () => {
    const { ada, bob, cyd, dan, gil } = people;
    const events = [
      [await planned(), []],
      [await planned({ section_ids: [tenor, bass] }), [tenor, bass]],
    ] as const;
    for (let nth = 1; nth <= 1000; nth++) {
      const [user, section] = [pick([bob, cyd, dan, gil]).id, pick([tenor, bass, alto])];
      const [{ id: event }] = pick(events);
      const change = pick([
        sql`update members set section_ids = array_append(section_ids, ${section}::uuid)
            where club_id = ${club.id} and user_id = ${user} and ${section} <> all(section_ids)`,
        sql`update members set section_ids = array_remove(section_ids, ${section}::uuid)
            where club_id = ${club.id} and user_id = ${user}`,
        sql`insert into answers (event_id, user_id, answered_at, answer)
            values (${event}, ${user}, now(), ${pick(['going', 'maybe', 'no'])})
            on conflict (event_id, user_id) do update set answer = excluded.answer`,
        sql`delete from answers where event_id = ${event} and user_id = ${user}`,
      ]);
      await run(w.db, change);
      if (nth % 20 > 0) continue;
      for (const [{ id }, sections] of events) {
        const { section_counts, silent_count } = await seenBy(ada, id);
        const read = section_counts.map(({ going, maybe, silent }) => ({ going, maybe, silent }));
        expect({ sections: read, silent: silent_count }).toEqual(await counted(id, sections));
      }
    }
  });

  test('a list of answers can be limited to a section [SECT-06]', async () => {
    const { ada, bob, cyd, dan } = people;
    const { id } = await planned();
    for (const { api } of [bob, cyd]) await api.answers.attend({ event: id });
    const list = async (state: 'going' | 'silent', section: string) =>
      (await ada.api.answers.list({ event: id, state, section })).answers.map((row) => row.id);
    expect(await list('going', tenor)).toEqual([bob.id]);
    expect(await list('silent', bass)).toEqual([dan.id]);
    expect(await list('silent', club.id)).toEqual([]);
  });

  test('are in no response to outsiders, and neither are the sections of an event [SECT-03 T12]', async () => {
    const { id } = await planned({ section_ids: [tenor], needed: { [tenor]: 7 } });
    const outsider = await w.person('Eve');
    expect(await seenBy(outsider, id)).toMatchObject({
      section_ids: [],
      section_names: [],
      section_counts: [],
      needed: {},
      is_for_me: false,
    });
  });
});

describe('an event that is short of people', () => {
  test('is told to its host once when sign-up closes, and once more after it was open again [SECT-08]', async () => {
    const { ada, bob } = people;
    const { id } = await planned({ ...closesSoon(), needed: { all: 3, [tenor]: 2 } });
    await check();
    expect(await recipientsOf(id, 'event_short')).toEqual([]);
    w.later('61 minutes');
    await check();
    await check();
    expect(await recipientsOf(id, 'event_short')).toEqual(['ada']);
    await w.hurry();
    const short = async () => (await w.outbox()).find(({ subject }) => subject?.startsWith('Short of'));
    await expect.poll(short).toBeDefined();
    const mail = await short();
    expect(mail?.subject).toMatch(/^Short of 2 people, 2 Tenor: Tuesday run, /);
    expect(mail?.to?.[0]?.address).toBe(ada.email);
    // Sign-up has closed, so nudges are refused.
    expect(mail?.text).toMatch(/See who hasn't answered:\nhttp\S+\/answers\?list=silent\n/);
    expect(mail?.text).toMatch(/Open sign-up again:\nhttp\S+\/app\/events\/edit\/\S+\n/);
    expect(mail?.text).toMatch(/Change of plan:\nhttp/);
    expect(mail?.text).not.toContain('Nudge');
    await edit(id, { entry_until_time: fromNow(1) });
    await bob.api.answers.attend({ event: id });
    w.later('61 minutes');
    await check();
    expect(await recipientsOf(id, 'event_short')).toEqual(['ada', 'ada']);
    expect(await seenBy(ada, id)).toMatchObject({ deleted_at: null });
  });

  test('nothing is told if enough people come, nothing is needed, or the event is cancelled [SECT-08]', async () => {
    const { ada } = people;
    const enough = await planned({ ...closesSoon(), needed: { all: 1 } });
    const plain = await planned(closesSoon());
    const cancelled = await planned({ ...closesSoon(), needed: { all: 5 } });
    await ada.api.events.cancel({ event: cancelled.id });
    w.later('61 minutes');
    await check();
    for (const { id } of [enough, plain, cancelled])
      expect(await recipientsOf(id, 'event_short')).toEqual([]);
  });
});

describe('an edit of the sections of an event', () => {
  test('tells those without an answer whom it was not for before, and nobody else [SECT-09]', async () => {
    const { cyd, gil } = people;
    const { id } = await planned({ section_ids: [tenor] });
    expect(await recipientsOf(id, 'new_event')).toEqual(['bob', 'dan']);
    await cyd.api.answers.answer({ event: id, answer: 'no' });
    await edit(id, { section_ids: [] });
    expect(await recipientsOf(id, 'new_event')).toEqual(['bob', 'dan', 'gil']);
    await edit(id, { section_ids: [bass] });
    await edit(id, { section_ids: [] });
    expect(await recipientsOf(id, 'new_event')).toEqual(['bob', 'dan', 'gil']);
    expect(await seenBy(cyd, id)).toMatchObject({ my_answer: 'no' });
    expect(await seenBy(gil, id)).toMatchObject({ my_answer: null });
  });

  test('of a series tells them too, and answers stay [SECT-09]', async () => {
    const { ada, bob, cyd, gil } = people;
    const { id } = await ada.api.series.plan({ ...newSeries, club: club.id, section_ids: [tenor] });
    const { events } = await bob.api.series.get({ series: id });
    const event = events[0]?.id ?? '';
    await bob.api.answers.attend({ event });
    await cyd.api.answers.attend({ event });
    await ada.api.series.edit({ series: id, section_ids: [bass] });
    expect(await recipientsOf(event, 'new_series')).toEqual(['bob', 'dan']);
    await ada.api.series.edit({ series: id, section_ids: [] });
    expect(await recipientsOf(event, 'new_series')).toEqual(['bob', 'dan', 'gil']);
    for (const person of [bob, cyd])
      expect(await seenBy(person, event)).toMatchObject({ my_answer: 'going' });
    expect(await seenBy(gil, event)).toMatchObject({ my_answer: null, section_ids: [] });
  });
});
