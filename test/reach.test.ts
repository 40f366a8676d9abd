import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { addDelivery, settle } from '#platform/notices/deliveries.ts';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { sentEmails } from '#test/sent-emails.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;
let event: string;

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());
/** An event of Ada's in three days, to which Bob goes. */
beforeEach(async () => {
  w.clockOffset.seconds = 0;
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  event = (await w.event(club, ada, { startsIn: 72 })).id;
  await goes(bob);
  // Emails that are rendered after the change state the event.
  await sentEmails(w);
  w.later('1 minute');
});

const goes = ({ api }: Person, to: 'going' | 'maybe' | 'no' = 'going', id = event) =>
  api.answers.answer({ event: id, answer: to });
const join = async (person: Person) => {
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  await person.api.invites.join({ invite });
  return person;
};
type Edit = Parameters<Person['api']['events']['edit']>[0];
const edit = (input: Partial<Edit>) => ada.api.events.edit({ event, club: club.id, ...input });
const moved = (hours = 80, input: Partial<Edit> = {}) =>
  edit({ start_time: addSeconds(w.now(), hours * 3600), ...input });
const reach = async (by = ada, id = event) => (await by.api.events.get({ event: id })).reach;
const unreached = async (id = event) =>
  (await ada.api.answers.list({ event: id, state: 'unreached' })).answers.map(
    ({ first_name, why }) => `${first_name}: ${why}`,
  );
const numbers = async (id = event) => {
  const found = await reach(ada, id);
  return found && `${found.reached} of ${found.all}`;
};
const rowsOf = ({ id }: Person) =>
  all(
    w.db,
    sql<{
      id: string;
      kind: string;
    }>`select id, kind from notices where user_id = ${id} order by created_at desc, id`,
  );
const newestRow = async (person: Person) => (await rowsOf(person))[0]?.id as string;
const sequence = async (id = event) =>
  (await first(w.db, sql<{ sequence: number }>`select sequence from events where id = ${id}`))
    ?.sequence as number;

/** An email to Bob that states an event, by default as it is now. */
async function email(
  state: 'accepted' | 'refused' | 'failed' | 'pending',
  states: { id?: string; sequence?: number }[] = [{}],
): Promise<void> {
  const id = randomUUID();
  const current = await sequence();
  const stated = states.map((each) => ({ id: event, sequence: current, ...each }));
  await addDelivery(w.db, { id, user_id: bob.id, kind: 'event_updated', states: stated, now: w.now() });
  if (state !== 'pending') await settle(w.db, { id, to: bob.email }, { state }, w.now());
}

async function pushed(id: string, state = 'accepted'): Promise<void> {
  await run(
    w.db,
    sql`insert into deliveries (id, channel, user_id, kind, state, stated_at, created_at, settled_at)
        values (${id}, 'push', ${bob.id}, 'event_updated', ${state}, ${w.now()}, ${w.now()}, ${w.now()})`,
  );
}

const google = { 'user-agent': 'Google-Calendar-Importer' };
async function fetchFeed(person: Person, whose: 'club' | 'own' = 'club'): Promise<void> {
  const secret = async () => (await person.api.clubs.get({ club: club.id })).ical_feed_url_id;
  const path =
    whose === 'club'
      ? `/api/v1/clubs/${club.id}/ical/${await secret()}/calendar.ics`
      : `/api/v1/users/${(await person.api.users.me({})).ical_feed_url_id}/ical/calendar.ics`;
  expect((await fetch(w.origin + path, { headers: google })).status).toBe(200);
  await w.writeFetches();
}

/** Bob's app has fetched the feed of the club this long after the change. */
async function fetchedAfter(span: string): Promise<void> {
  await fetchFeed(bob);
  await run(
    w.db,
    sql`update feed_fetches set fetched_at = (
          select max(changed_at) + ${span}::interval from event_changes where event_id = ${event}) where user_id = ${bob.id}`,
  );
}

/** How a change has reached Bob: the only one of the evidences that is not zero, or why it has not. */
async function bobIs(): Promise<string> {
  // With four others there are five people, so that the evidence is told.
  const others = await all(
    w.db,
    sql<{ id: string }>`
      with people as (
        insert into users (id, email, first_name, calendar_secret, created_at)
        select id, id || '@example.org', 'Other', id, now() from (select gen_random_uuid() as id from generate_series(1, 4)) as n
        returning id),
      joined as (
        insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
        select ${club.id}, id, 0, gen_random_uuid(), now() from people returning user_id)
      select user_id as id from joined`,
  );
  await run(
    w.db,
    sql`insert into event_followers (event_id, user_id) select ${event}, unnest(${others.map(({ id }) => id)}::uuid[])`,
  );
  const by = Object.entries((await reach())?.by ?? {}).filter(([, n]) => n > 0);
  const why = (await unreached()).filter((name) => name.startsWith('Bob'));
  expect(by.length + why.length).toBe(1);
  return by[0]?.[0] ?? (why[0] as string).replace('Bob: ', '');
}

describe('evidence that a change has reached a member', () => {
  type Case = [what: string, evidence: string, act: () => unknown];
  test.each<Case>([
    ['nothing', 'on_its_way', () => {}],
    ['another answer', 'answered', () => goes(bob, 'maybe')],
    [
      'an answer of a runner for the member',
      'answered',
      () => ada.api.answers.answerFor({ event, user: bob.id, answer: 'maybe' }),
    ],
    [
      'the row in the bell, seen',
      'seen',
      async () => bob.api.notifications.seen({ id: await newestRow(bob) }),
    ],
    [
      'the row in the bell, followed',
      'seen',
      async () => bob.api.notifications.actioned({ id: await newestRow(bob) }),
    ],
    [
      'the row in the bell, deleted',
      'seen',
      async () => bob.api.notifications.remove({ id: await newestRow(bob) }),
    ],
    ['all rows of the bell, cleared', 'seen', () => bob.api.notifications.clear({})],
    [
      'a row in the bell from before the change',
      'on_its_way',
      async () => bob.api.notifications.seen({ id: (await rowsOf(bob)).at(-1)?.id as string }),
    ],
    [
      'a row in the bell from before the change, deleted',
      'on_its_way',
      async () => bob.api.notifications.remove({ id: (await rowsOf(bob)).at(-1)?.id as string }),
    ],
    ['a fetch ten seconds after the change', 'on_its_way', () => fetchedAfter('10 seconds')],
    ['a fetch later than that', 'calendar', () => fetchedAfter('10.001 seconds')],
    ['a fetch of the feed of the club', 'calendar', () => (w.later('11 seconds'), fetchFeed(bob))],
    ['a fetch of the personal feed', 'calendar', () => (w.later('11 seconds'), fetchFeed(bob, 'own'))],
    ['a push about the row', 'push', async () => pushed(await newestRow(bob))],
    ['a push that failed', 'on_its_way', async () => pushed(await newestRow(bob), 'failed')],
    ['a push that stands for several', 'on_its_way', () => pushed(randomUUID())],
    ['an email that states the event', 'email', () => email('accepted')],
    ['an email that states several events', 'email', () => email('accepted', [{ id: randomUUID() }, {}])],
    ['an email that states another event', 'on_its_way', () => email('accepted', [{ id: randomUUID() }])],
    ['an email that states no event', 'on_its_way', () => email('accepted', [])],
    [
      'an email whose text was read before the change',
      'on_its_way',
      async () => email('accepted', [{ sequence: (await sequence()) - 1 }]),
    ],
    ['an email that is pending', 'on_its_way', () => email('pending')],
    ['an email that was refused', 'not_delivered', () => email('refused')],
    ['an email that failed', 'not_delivered', () => email('failed')],
    ['an email after one that was refused', 'email', async () => (await email('refused'), email('accepted'))],
  ])('%s: %s [KNOW-11]', async (_, evidence, act) => {
    await moved();
    w.later('1 second');
    await act();
    expect(await bobIs()).toBe(evidence);
  });

  test('the same answer again, when people were asked to confirm [KNOW-11]', async () => {
    await moved(80, { ask_again: true });
    w.later('1 second');
    await goes(bob);
    expect(await bobIs()).toBe('answered');
  });

  test('the strongest counts [KNOW-11]', async () => {
    await moved();
    w.later('11 seconds');
    await email('accepted');
    expect(await bobIs()).toBe('email');
    await pushed(await newestRow(bob));
    expect(await bobIs()).toBe('push');
    await fetchFeed(bob);
    expect(await bobIs()).toBe('calendar');
    await bob.api.notifications.seen({ id: await newestRow(bob) });
    expect(await bobIs()).toBe('seen');
    await goes(bob, 'maybe');
    expect(await bobIs()).toBe('answered');
  });

  test('a calendar app that is no longer in use does not count [KNOW-11]', async () => {
    await run(
      w.db,
      sql`update events set start_time = start_time + interval '20 days', end_time = end_time + interval '20 days' where id = ${event}`,
    );
    await moved(24 * 25);
    w.later('11 seconds');
    await fetchFeed(bob);
    expect(await bobIs()).toBe('calendar');
    w.later('14 days');
    expect(await unreached()).toContain('Bob: on_its_way');
  });

  test('a seat for somebody who waited is no answer of theirs [KNOW-11]', async () => {
    const mia = await join(await w.person('Mia'));
    event = (await w.event(club, ada, { startsIn: 72, capacity: 2, waitlist: true })).id;
    await goes(mia);
    await goes(bob);
    await moved();
    w.later('1 second');
    await goes(mia, 'no');
    expect((await bob.api.events.get({ event })).my_answer).toBe('going');
    // The email about the seat states the event.
    await expect.poll(bobIs, { timeout: 10_000 }).toBe('email');
  });

  test('an answer that comes from a standing answer does not count [KNOW-11]', async () => {
    const { dates, id } = await weeklySeries();
    event = dates[1] as string;
    await moved(200);
    w.later('1 second');
    await bob.api.series.standing({ series: id, answer: 'going' });
    expect(await numbers()).toBe('0 of 1');
  });
});

const day = (days: number) => addSeconds(w.now(), days * 86_400).slice(0, 10);
async function weeklySeries() {
  const weekday = new Date(day(2)).getUTCDay() || 7;
  const { id } = await ada.api.series.plan({
    ...newSeries,
    club: club.id,
    weekdays: [weekday],
    starts_on: day(2),
  });
  return { id, dates: (await ada.api.series.get({ series: id })).events.map((each) => each.id) };
}

describe('whom a change has to reach', () => {
  test('members who may come now and followers; joining, answering and leaving change the numbers at once [KNOW-13]', async () => {
    await moved();
    expect(await numbers()).toBe('0 of 1');
    const [mia, leo, eva] = [await w.person('Mia'), await w.person('Leo'), await w.person('Eva')];
    await join(mia);
    expect(await numbers()).toBe('0 of 1');
    await goes(mia, 'maybe');
    expect(await numbers()).toBe('1 of 2');
    await join(leo);
    await leo.api.answers.subscribe({ event });
    expect(await numbers()).toBe('1 of 3');
    await join(eva);
    await goes(eva, 'no');
    expect(await numbers()).toBe('1 of 3');
    await leo.api.members.leave({ club: club.id });
    await goes(mia, 'no');
    expect(await numbers()).toBe('0 of 1');
  });

  test('those who had said no only if the change asks them again, and never those who are away [KNOW-13]', async () => {
    const mia = await join(await w.person('Mia'));
    const leo = await join(await w.person('Leo'));
    await goes(mia, 'no');
    await leo.api.absences.add({ first_on: day(0), last_on: day(20) });
    await moved();
    expect(await unreached()).toEqual(['Bob: on_its_way']);
    w.later('1 second');
    await moved(90, { ask_again: true });
    expect(await unreached()).toEqual(['Bob: on_its_way', 'Mia: on_its_way']);
  });

  test('voters, unless they voted no [KNOW-13]', async () => {
    const mia = await join(await w.person('Mia'));
    const poll = await w.poll(club, ada, { at: [48, 72] });
    const [one, other] = poll.times;
    for (const [person, vote] of [
      [bob, 'yes'],
      [mia, 'no'],
    ] as const)
      await person.api.polls.vote({
        event: poll.id,
        votes: [
          { time: one, vote },
          { time: other as string, vote: 'no' },
        ],
      });
    event = poll.id;
    await edit({ location_name: 'Pier 9' });
    expect(await unreached()).toEqual(['Bob: on_its_way']);
  });
});

describe('which change', () => {
  test('no change, or one of other fields, shows nothing, and a new place does [KNOW-10]', async () => {
    expect(await reach()).toBeNull();
    await edit({ description: 'Bring water' });
    expect(await reach()).toBeNull();
    await edit({ location_name: 'Pier 9' });
    expect(await reach()).toEqual({ about: 'place', all: 1, reached: 0, by: null, missing: null });
  });

  test('a newer change starts the count again, and an edit of other fields does not [KNOW-14]', async () => {
    await moved();
    w.later('2 minutes');
    await bob.api.notifications.clear({});
    expect(await numbers()).toBe('1 of 1');
    await edit({ description: 'Bring water' });
    expect(await numbers()).toBe('1 of 1');
    await moved(90);
    expect(await numbers()).toBe('0 of 1');
    w.later('2 minutes');
    await bob.api.notifications.clear({});
    await goes(bob, 'going');
    await ada.api.events.cancel({ event });
    expect(await reach()).toMatchObject({ about: 'cancelled', reached: 0, all: 1 });
  });

  test('an undo brings the earlier change back with its evidence, but not with what was seen of the undone one [KNOW-10]', async () => {
    await moved();
    w.later('2 minutes');
    const mia = await join(await w.person('Mia'));
    await goes(mia);
    await edit({ location_name: 'Pier 9' });
    w.later('2 minutes');
    await bob.api.notifications.clear({});
    expect(await numbers()).toBe('1 of 2');
    await moved(99);
    expect(await reach()).toMatchObject({ about: 'time', reached: 0 });
    w.later('2 seconds');
    await email('accepted');
    await mia.api.notifications.seen({ id: await newestRow(mia) });
    const { undo } = await ada.api.events.get({ event });
    await ada.api.events.undo({ event, change: undo?.change as string });
    expect(await reach()).toMatchObject({ about: 'place', reached: 1 });
    expect(await unreached()).toEqual(['Mia: on_its_way']);
  });

  test('it goes at the start of the event, and 30 days after the change [KNOW-10]', async () => {
    await moved(24 * 40);
    w.later('29 days');
    expect(await numbers()).toBe('0 of 1');
    w.later('1 day');
    expect(await reach()).toBeNull();
    await moved(24 * 5);
    w.later('4 days');
    expect(await numbers()).toBe('0 of 1');
    w.later('1 day');
    expect(await reach()).toBeNull();
  });

  test('each changed date of a series has its own count, and one row or email about the series counts for all dates that it states [KNOW-14]', async () => {
    const { id, dates } = await weeklySeries();
    const [one, two, three] = dates as [string, string, string];
    for (const date of [one, two]) await goes(bob, 'going', date);
    await sentEmails(w);
    const { series_version: version } = await ada.api.events.get({ event: one });
    expect(version).not.toBeNull();
    w.later('1 minute');
    await ada.api.series.edit({ series: id, location_name: 'Pier 9' });
    expect([await numbers(one), await numbers(two), await reach(ada, three)]).toEqual([
      '0 of 1',
      '0 of 1',
      null,
    ]);
    event = two;
    await goes(bob, 'maybe', two);
    expect([await numbers(one), await numbers(two)]).toEqual(['0 of 1', '1 of 1']);
    await bob.api.notifications.clear({});
    expect([await numbers(one), await numbers(two)]).toEqual(['1 of 1', '1 of 1']);
  });

  test('the email about a series states all changed dates [KNOW-14]', async () => {
    const { id, dates } = await weeklySeries();
    const [one, two] = dates as [string, string];
    for (const date of [one, two]) await goes(bob, 'going', date);
    await sentEmails(w);
    w.later('1 minute');
    await ada.api.series.edit({ series: id, location_name: 'Pier 9' });
    await w.hurry();
    await expect.poll(() => numbers(one), { timeout: 10_000 }).toBe('1 of 1');
    expect(await numbers(two)).toBe('1 of 1');
    await ada.api.series.edit({ series: id, location_name: 'Pier 10' });
    expect([await numbers(one), await numbers(two)]).toEqual(['0 of 1', '0 of 1']);
  });

  test('the email about a cancellation counts, although it is sent at once [KNOW-11]', async () => {
    await ada.api.events.cancel({ event });
    await expect.poll(() => numbers(), { timeout: 10_000 }).toBe('1 of 1');
  });
});

describe('names', () => {
  test('from ten minutes after the change on, five at most, by name [KNOW-12]', async () => {
    for (const name of ['Fay', 'Eva', 'Cyd', 'Dan', 'Gil']) await goes(await join(await w.person(name)));
    await sentEmails(w);
    await moved();
    w.later('9 minutes');
    expect(await reach()).toMatchObject({ all: 6, reached: 0, missing: null });
    await email('refused');
    w.later('1 minute');
    const { missing, by } = (await reach()) ?? {};
    expect(missing?.map(({ first_name, why }) => [first_name, why])).toEqual([
      ['Bob', 'not_delivered'],
      ['Cyd', 'on_its_way'],
      ['Dan', 'on_its_way'],
      ['Eva', 'on_its_way'],
      ['Fay', 'on_its_way'],
    ]);
    expect(by).toEqual({ answered: 0, seen: 0, calendar: 0, push: 0, email: 0 });
    expect(await unreached()).toHaveLength(6);
  });

  test('only for runners: reach is null for other members, and the list is refused [KNOW-12]', async () => {
    await moved();
    w.later('10 minutes');
    expect(await reach(bob)).toBeNull();
    expect(await outcomeOf(bob.api.answers.list({ event, state: 'unreached' }))).toBe('403 not_runner');
    await ada.api.hosts.add({ event, user: bob.id });
    expect(await reach(bob)).toMatchObject({ all: 1 });
  });
});
