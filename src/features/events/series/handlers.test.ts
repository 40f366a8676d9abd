import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { dayWithYear } from '#wire/format.ts';
import { addSeconds, instant, secondsBetween } from '#wire/instant.ts';
import { remindAttendees } from '#features/events/store.ts';
import type { Recurrence } from '#features/events/time-contract.ts';
import { outcomeOf } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let eve: Person;
let club: ClubHandle;
/** The days of the series that `plan` creates, and how notices name them. */
let everyWeek: Recurrence;
let repeats: string;

beforeAll(async () => {
  w = await world();
  const day = weekdayOf(dayFrom(1));
  everyWeek = { freq: 'weekly', every: 1, weekdays: [day], month_day: null, nth: null };
  repeats = `every ${['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'][day - 1]}`;
  [ada, bob, cyd, eve] = [
    await w.person('Ada'),
    await w.person('Bob'),
    await w.person('Cyd'),
    await w.person('Eve'),
  ];
});
beforeEach(async () => {
  for (const table of ['rate_limits', 'clubs', 'notices', 'notice_emails'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
  await w.club([eve], 'Evening Readers');
  club = await w.club([ada, bob, cyd]);
});
afterAll(() => w[Symbol.asyncDispose]());

const dayFrom = (days: number) => addSeconds(w.now(), days * 86_400).slice(0, 10);
const weekdayOf = (day: string) => new Date(day).getUTCDay() || 7;

type Plan = Parameters<Person['api']['series']['plan']>[0];

/** A weekly series that starts tomorrow, at 19:00 UTC. */
const plan = ({ api }: Person, input: Partial<Plan> = {}) => {
  const { starts_on = dayFrom(1) } = input;
  return api.series.plan({
    club: club.id,
    name: 'Tuesday run',
    location_name: 'Pier 3',
    freq: 'weekly',
    weekdays: [weekdayOf(starts_on)],
    local_time: '19:00',
    minutes: 90,
    starts_on,
    ...input,
  });
};

const eventsOf = async ({ api }: Person, series: string) => (await api.series.get({ series })).events;
const extend = () => run(w.db, sql`select enqueue_job('extend_all_series', '{}')`);
const jobsAreDone = () =>
  expect
    .poll(() => all(w.db, sql`select from jobs where name in ('extend_all_series', 'extend_series')`))
    .toEqual([]);
/** Waits until all emails to a person are sent, and returns the emails whose subjects begin with `subject`. */
async function mailsTo({ id, email }: Person, subject: string) {
  const pending = sql`select from notice_emails where user_id = ${id} and send_at <= now() and sent_at is null
    union all select from jobs where name = 'send_email' or name = 'send_notice' and run_at <= now()`;
  await expect.poll(() => all(w.db, pending)).toEqual([]);
  const mails = (await w.outbox()).filter(({ to }) => to?.[0]?.address === email);
  return mails.filter((mail) => mail.subject?.startsWith(subject));
}

const messagesOf = async ({ api }: Person) =>
  (await api.notifications.list({})).map(({ message }) => message);

describe('plan', () => {
  test('makes the series and its first dates with the fields of an event [SERIES-01 SERIES-04]', async () => {
    const { slug, id, name } = await plan(ada, {
      description: 'At noon',
      guests_max: 2,
      cutoff_minutes: 120,
      time_zone: 'Europe/Berlin',
    });
    expect([name, slug.startsWith('tuesday-run-')]).toEqual(['Tuesday run', true]);
    const series = await bob.api.series.get({ series: id });
    expect(series).toMatchObject({
      slug,
      ...everyWeek,
      description: 'At noon',
      guests_max: 2,
      is_host: false,
      ended_at: null,
    });
    expect(series.host?.host_first_name).toBe('Ada');
    expect(series.events.length).toBe(13);
    expect(new Set(series.events.map((event) => event.slug)).size).toBe(13);
    for (const event of series.events) {
      expect(event).toMatchObject({
        name: 'Tuesday run',
        user_count: 1,
        series: { slug, ...everyWeek },
        my_answer: null,
      });
      const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
      expect(local.format(Date.parse(event.start_time))).toBe('19:00');
      expect(Date.parse(event.end_time) - Date.parse(event.start_time)).toBe(90 * 60_000);
      expect(Date.parse(event.start_time) - Date.parse(event.entry_until_time)).toBe(120 * 60_000);
    }
    const { start_time } = series.events[0] ?? fail();
    expect(await ada.api.events.get({ event: series.events[0]?.slug ?? '' })).toMatchObject({
      my_role: 'organiser',
      description: 'At noon',
      guests_max: 2,
      start_time,
    });
  });

  test('is refused for members, organisers and outsiders [SERIES-01]', async () => {
    expect(await outcomeOf(plan(bob))).toBe('403 not_admin');
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
    expect(await outcomeOf(plan(bob))).toBe('403 not_admin');
    expect(await outcomeOf(plan(eve))).toBe('404 not_found');
  });

  test.each<[string, () => Partial<Plan>, string]>([
    ['no weekday', () => ({ weekdays: [] }), '400 bad_input'],
    ['an end before the start', () => ({ ends_on: dayFrom(0) }), '400 bad_input'],
    ['two ends', () => ({ ends_on: dayFrom(30), count: 3 }), '400 bad_input'],
    ['a count above 200', () => ({ count: 201 }), '400 bad_input'],
    ['every 13 weeks', () => ({ every: 13 }), '400 bad_input'],
    ['the 32nd of a month', () => ({ freq: 'monthly_day', month_day: 32 }), '400 bad_input'],
    ['the fifth weekday of a month', () => ({ freq: 'monthly_weekday', nth: 5 }), '400 bad_input'],
    ['an eighth weekday', () => ({ weekdays: [8] }), '400 bad_input'],
    ['an unknown time zone', () => ({ time_zone: 'Mars/Olympus' }), '400 bad_input'],
    ['a start on a day that does not exist', () => ({ starts_on: '2027-02-29' }), '400 bad_input'],
    ['a start in the past', () => ({ starts_on: dayFrom(-7) }), '400 starts_in_past'],
    ['no place', () => ({ location_name: '' }), '400 bad_input'],
  ])('is refused with %s [SERIES-02]', async (_, input, code) => {
    expect(await outcomeOf(plan(ada, input()))).toBe(code);
    expect(await all(w.db, sql`select from series where club_id = ${club.id}`)).toEqual([]);
  });

  test('is refused for more than twenty running series, and their dates do not count towards the daily limit of events [SERIES-02]', async () => {
    const made = [];
    for (let n = 0; n < 20; n++) made.push(await plan(ada, { count: 3 }));
    expect(await outcomeOf(plan(ada))).toBe('409 too_many_series');
    expect(await outcomeOf(w.event(club, ada))).toBe('ok');
    await ada.api.series.end({ series: made[0]?.id ?? '' });
    expect(await outcomeOf(plan(ada, { count: 1 }))).toBe('ok');
    // All dates of this series are over, so it no longer counts as running.
    await run(
      w.db,
      sql`update events set start_time = now() - interval '2 days', end_time = now() - interval '1 day'
          where series_id = ${made[1]?.id}`,
    );
    expect(await outcomeOf(plan(ada))).toBe('ok');
  });

  test('sends members one notice, and none about dates that the job adds [SERIES-08]', async () => {
    const dan = await w.person('Dan');
    club = await w.club([ada, dan]);
    const { id } = await plan(ada);
    expect(await messagesOf(dan)).toContain(`Ada planned “Tuesday run”, ${repeats}, in Harbour Rowers.`);
    const before = [await messagesOf(dan), await messagesOf(ada)];
    expect(before[0]?.filter((message) => message.includes('planned')).length).toBe(1);
    await run(
      w.db,
      sql`delete from events where series_id = ${id} and start_time > now() + interval '30 days'`,
    );
    await extend();
    await jobsAreDone();
    expect((await eventsOf(dan, id)).length).toBe(13);
    expect([await messagesOf(dan), await messagesOf(ada)]).toEqual(before);
    const [mail, ...others] = await mailsTo(dan, 'New event');
    expect([mail?.subject, others]).toEqual([
      expect.stringMatching(new RegExp(`^New event: Tuesday run, ${repeats} from \\w{3} \\d+ \\w{3}`)),
      [],
    ]);
    expect(mail?.text).toContain(`Repeats: ${repeats.replace('every', 'Every')}, 7:00 pm`);
  });
});

const inGerman = () =>
  `jeden ${['Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Sonntag'][(everyWeek.weekdays[0] ?? 1) - 1]}`;

describe('language', () => {
  test('notices say in the language of each reader how a series repeats, and no word of it is stored [LANG-24]', async () => {
    const dan = await w.person('Dan');
    await dan.api.users.update({ language: 'de' });
    club = await w.club([ada, bob, dan]);
    const { id } = await plan(ada);
    expect(await messagesOf(dan)).toContain(
      `Ada hat für Harbour Rowers die Serie „Tuesday run“ (${inGerman()}) geplant.`,
    );
    expect(await messagesOf(bob)).toContain(`Ada planned “Tuesday run”, ${repeats}, in Harbour Rowers.`);
    const [mail] = await mailsTo(dan, 'Neuer Termin');
    expect(mail?.subject).toContain(`Neuer Termin: Tuesday run, ${inGerman()} ab `);

    const [first] = await eventsOf(ada, id);
    for (const { api } of [bob, dan]) await api.answers.attend({ event: first?.id ?? '' });
    await ada.api.series.end({ series: id });
    expect(await messagesOf(dan)).toContain(
      `Ada hat Termine der Serie „Tuesday run“ (${inGerman()}) bei Harbour Rowers abgesagt.`,
    );
    const stored = await all(
      w.db,
      sql`select from series s where to_jsonb(s)::text ilike '%every %'
        union all select from notices n where n.facts::text ilike '%every %' or n.facts::text ilike '%jeden %'`,
    );
    expect(stored).toEqual([]);
    await dan.api.users.update({ language: 'en' });
    expect(await messagesOf(dan)).toContain(`Ada cancelled “Tuesday run”, ${repeats}, in Harbour Rowers.`);
  });

  test('older notices, which contain the words, are shown with them [LANG-24]', async () => {
    const { id } = await plan(ada);
    for (const date of await eventsOf(bob, id)) await bob.api.answers.attend({ event: date.id });
    await ada.api.series.end({ series: id });
    await run(
      w.db,
      sql`update notices set facts = regexp_replace(facts::text, '"repeats": {[^}]*}', '"repeats": "Every Monday"', 'g')::jsonb
          where kind = 'event_cancelled'`,
    );
    // Only then the notice shows its snapshot.
    await run(w.db, sql`delete from events where series_id = ${id}`);
    expect(await messagesOf(bob)).toContain('Ada cancelled “Tuesday run”, every Monday, in Harbour Rowers.');
  });
});

describe('dates', () => {
  test('of the next 90 days all exist, and running the job twice or in parallel creates each date once [SERIES-06]', async () => {
    const { id } = await plan(ada);
    const days = async () =>
      (await eventsOf(ada, id)).map(({ start_time }) => start_time.slice(0, 10)).toSorted();
    const all = await days();
    expect(all).toEqual(Array.from({ length: 13 }, (_, week) => dayFrom(1 + 7 * week)));
    await run(
      w.db,
      sql`delete from events where series_id = ${id} and start_time > now() + interval '10 days'`,
    );
    for (let round = 0; round < 2; round++) {
      await Promise.all([extend(), extend(), extend()]);
      await jobsAreDone();
      expect(await days()).toEqual(all);
    }
  });

  test('of a series exist as events: at least the next three, at most sixty, and none after its end [SERIES-06]', async () => {
    const rare = await plan(ada, { freq: 'monthly_day', every: 12, month_day: 24 });
    const many = await plan(ada, { weekdays: [1, 2, 3, 4, 5, 6, 7] });
    const few = await plan(ada, { count: 2 });
    const counts = [];
    for (const { id } of [rare, many, few]) counts.push((await eventsOf(ada, id)).length);
    expect(counts).toEqual([3, 60, 2]);
  });

  test('the job adds dates that have come within the next 90 days [SERIES-06]', async () => {
    const { id } = await plan(ada);
    // As if the series had been planned two weeks ago.
    await run(
      w.db,
      sql`update events set slot_on = slot_on - 14, start_time = start_time - interval '14 days',
            end_time = end_time - interval '14 days' where series_id = ${id}`,
    );
    await run(w.db, sql`update series set starts_on = starts_on - 14 where id = ${id}`);
    await extend();
    await jobsAreDone();
    expect((await eventsOf(ada, id)).length).toBe(13);
  });

  test('a single date can be cancelled by its host, and is never created again [SERIES-14]', async () => {
    await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
    const { id } = await plan(ada);
    const [, second] = await eventsOf(ada, id);
    const event = second?.id ?? '';
    expect(await outcomeOf(cyd.api.events.cancel({ event }))).toBe('403 not_host');
    await ada.api.events.cancel({ event });
    await extend();
    await jobsAreDone();
    const after = await eventsOf(ada, id);
    expect(after.length).toBe(13);
    expect(after.filter(({ deleted_at }) => deleted_at).map((each) => each.id)).toEqual([event]);
  });

  test('and their series pass to the successor of a host who leaves, and so do dates that are created later [SERIES-17]', async () => {
    await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
    const { id } = await plan(cyd);
    await cyd.api.members.leave({ club: club.id });
    await run(
      w.db,
      sql`delete from events where series_id = ${id} and start_time > now() + interval '10 days'`,
    );
    await extend();
    await jobsAreDone();
    const series = await ada.api.series.get({ series: id });
    expect([series.is_host, series.events.length]).toEqual([true, 13]);
    expect(new Set(series.events.map(({ my_role }) => my_role))).toEqual(new Set(['organiser']));
    expect(await outcomeOf(cyd.api.series.get({ series: id }))).toBe('404 not_found');
  });

  test('are deleted together with their club, with one notice [SERIES-17]', async () => {
    const { id } = await plan(ada);
    for (const event of (await eventsOf(ada, id)).slice(0, 3))
      await bob.api.answers.attend({ event: event.id });
    await ada.api.clubs.remove({ club: club.id });
    expect((await messagesOf(bob)).filter((message) => message.includes('deleted')).length).toBe(1);
    expect(await outcomeOf(ada.api.series.get({ series: id }))).toBe('404 not_found');
    expect(await all(w.db, sql`select from events where series_id = ${id}`)).toEqual([]);
    expect(await all(w.db, sql`select from series where id = ${id}`)).toEqual([]);
  });

  test('each have an entry of their own in feeds and files, without a recurrence rule [SERIES-18]', async () => {
    const { id } = await plan(ada);
    const dates = await eventsOf(ada, id);
    const { ical_feed_url_id: secret } = await ada.api.clubs.get({ club: club.id });
    const { ical_feed_url_id: own } = await ada.api.users.me({});
    const texts = [
      await ada.api.calendar.clubFeed({ club: club.id, secret }),
      await ada.api.calendar.personalFeed({ secret: own }),
      await ada.api.calendar.oneEvent({ event: dates[0]?.id ?? '' }),
    ].map(String);
    for (const [at, text] of texts.entries()) {
      expect(text).not.toMatch(/RRULE|RECURRENCE-ID|EXDATE|RDATE/);
      for (const date of at < 2 ? dates : dates.slice(0, 1))
        expect(text.split(`UID:${date.id}`).length).toBe(2);
    }
  });

  test('are all in the lists, pages and search results of the API, with the rule of the series [SERIES-09 SERIES-20]', async () => {
    const { slug } = await plan(ada);
    const series = { slug, ...everyWeek };
    const { events } = await bob.api.clubs.get({ club: club.id });
    expect(events.map((event) => event.series)).toEqual(Array.from({ length: 13 }, () => series));
    const mine = (await bob.api.events.ofMyClubs({})).filter((event) => event.series?.slug === slug);
    expect(mine.length).toBe(13);
    const found = (await bob.api.search.find({ q: 'Tuesday' })).events;
    expect(found.filter((event) => event.series?.slug === slug).length).toBe(13);
    const event = mine[0]?.slug ?? '';
    expect((await bob.api.events.get({ event })).series).toEqual(series);
    expect((await bob.api.events.get({ event })).slot_on).toBe(mine[0]?.start_time.slice(0, 10));
    const outsider = await eve.api.events.get({ event });
    expect([outsider.series, outsider.slot_on]).toEqual([null, null]);
  });
});

describe('end', () => {
  test('by the host cancels the dates from a given day, with one notice, and a repeated request returns 200 [SERIES-15]', async () => {
    const dan = await w.person('Dan');
    club = await w.club([ada, dan, cyd]);
    await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
    const { id } = await plan(ada);
    const dates = await eventsOf(ada, id);
    for (const event of dates.slice(1, 4)) await dan.api.answers.attend({ event: event.id });
    expect(await outcomeOf(cyd.api.series.end({ series: id }))).toBe('403 not_host');
    expect(await outcomeOf(dan.api.series.end({ series: id }))).toBe('403 not_host');
    const ended = await ada.api.series.end({ series: id, from: dayFrom(8) });
    expect(ended).toMatchObject({ id, cancelled: 12 });
    expect(await ada.api.series.end({ series: id })).toMatchObject({
      ended_at: ended.ended_at,
      cancelled: 0,
    });
    const after = await ada.api.series.get({ series: id });
    expect(after.ended_at).toBe(ended.ended_at);
    expect(after.events.map(({ deleted_at }) => deleted_at !== null)).toEqual([
      false,
      ...Array.from({ length: 12 }, () => true),
    ]);
    await extend();
    await jobsAreDone();
    expect((await eventsOf(ada, id)).length).toBe(13);
    const cancellations = (await messagesOf(dan)).filter((message) => message.includes('cancelled'));
    expect(cancellations).toEqual([`Ada cancelled “Tuesday run”, ${repeats}, in Harbour Rowers.`]);
    expect((await messagesOf(cyd)).filter((message) => message.includes('cancelled'))).toEqual([]);
    const [mail, ...others] = await mailsTo(dan, 'Cancelled');
    expect([mail?.subject, others]).toEqual([`Cancelled: Tuesday run, ${repeats}`, []]);
    expect(mail?.text?.match(/^When: /gm)?.length).toBe(12);
  });
});

const holidays = () => ({ first_on: dayFrom(6), last_on: dayFrom(16), name: 'Holidays' });

const save = ({ api }: Person, breaks: ReturnType<typeof holidays>[], cancel = false) =>
  api.series.saveBreaks({ club: club.id, breaks, cancel });

const plannedTo = async (person: Person) =>
  (await messagesOf(person)).filter((each) => each.includes('planned'));

describe('a series for everybody', () => {
  test('all members, including later ones, are going unless they say no, and each gets one notice [STAND-06]', async () => {
    const { id } = await plan(ada, { everybody: true, count: 3 });
    const message = `Ada planned “Tuesday run”, ${repeats}, in Harbour Rowers. You are going unless you say no.`;
    expect(await answersOf(bob, id)).toEqual(['going', 'going', 'going']);
    expect((await bob.api.series.get({ series: id })).my_standing).toEqual({
      answer: 'going',
      guests: 0,
      dates: 3,
    });
    const [first] = await eventsOf(bob, id);
    await bob.api.answers.unattend({ event: first?.id ?? '' });
    await standing(cyd, id, null);
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    for (let round = 0; round < 2; round++) {
      await eve.api.invites.join({ invite: invite_link });
      expect(await answersOf(eve, id)).toEqual(['going', 'going', 'going']);
      expect(await plannedTo(eve)).toEqual([message]);
      await eve.api.members.leave({ club: club.id });
    }
    expect(await answersOf(bob, id)).toEqual(['no', 'going', 'going']);
    expect(await answersOf(cyd, id)).toEqual([null, null, null]);
    for (const person of [bob, cyd]) expect(await plannedTo(person)).toEqual([message]);
  });

  test('the nearest hundred dates are answered for a new member at once, and the others by a job; an answer to a single date stays [STAND-02 STAND-06]', async () => {
    const everyDay = { everybody: true, weekdays: [1, 2, 3, 4, 5, 6, 7] };
    const series = [
      await plan(ada, everyDay),
      await plan(ada, everyDay),
      await plan(ada, { ...everyDay, capacity: 3 }),
    ];
    const dates = (await Promise.all(series.map(({ id }) => eventsOf(ada, id)))).flat();
    expect(dates.length).toBeGreaterThan(150);
    const answers = () =>
      all(
        w.db,
        sql<{ event_id: string; answer: string; place: number | null }>`
          select event_id, answer, place from answers where user_id = ${eve.id} and event_id = any(${dates.map(({ id }) => id)}::uuid[])
          order by event_start, event_id`,
      );
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    const ordered = dates.toSorted((a, b) => (a.start_time + a.id < b.start_time + b.id ? -1 : 1));
    await w.withoutJobs(async () => {
      await eve.api.invites.join({ invite: invite_link });
      const atOnce = await answers();
      expect(atOnce.map(({ event_id }) => event_id)).toEqual(ordered.slice(0, 100).map(({ id }) => id));
      await eve.api.answers.answer({ event: ordered.at(-1)?.id ?? '', answer: 'maybe' });
    });
    await expect.poll(async () => (await answers()).length).toBe(dates.length);
    const full = new Set((await eventsOf(ada, series[2]?.id ?? '')).map(({ id }) => id));
    const own = ordered.at(-1)?.id;
    for (const { event_id, answer, place } of await answers())
      expect([answer, place]).toEqual(
        event_id === own ? ['maybe', null] : full.has(event_id) ? ['waiting', 1] : ['going', null],
      );
    expect((await messagesOf(eve)).filter((each) => each.includes('planned'))).toHaveLength(3);
  });

  test('is refused for a club of more than 200 members [STAND-06]', async () => {
    await run(
      w.db,
      sql`with people as (
            insert into users (id, email, calendar_secret, created_at)
            select gen_random_uuid(), 'everybody-' || n || '@example.net', 'everybody-' || n, now()
            from generate_series(1, 197) as n returning id)
          insert into members (club_id, user_id, calendar_secret, joined_at)
          select ${club.id}, id, 'everybody-' || id, now() from people`,
    );
    expect(await outcomeOf(plan(ada, { everybody: true, count: 3 }))).toBe('ok');
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    await eve.api.invites.join({ invite: invite_link });
    expect(await outcomeOf(plan(ada, { everybody: true }))).toBe('409 too_many_members');
    expect(await outcomeOf(plan(ada))).toBe('ok');
  });
});

/** An edit of a series, as the form sends it. */
const edit = (
  { api }: Person,
  series: string,
  input: Partial<Parameters<Person['api']['series']['edit']>[0]>,
) => api.series.edit({ series, ...input });
const dayOf = ({ start_time }: { start_time: string }) => start_time.slice(0, 10);
const isCancelled = ({ deleted_at }: { deleted_at: string | null }) => deleted_at !== null;

describe('edit', () => {
  test('changes the dates from the chosen day, but not fields that were edited for one date alone [SERIES-11]', async () => {
    const { id } = await plan(ada, { count: 4 });
    const dates = await eventsOf(ada, id);
    const [, second, third] = dates.map((date) => date.id);
    await ada.api.events.edit({ event: third ?? '', club: club.id, location_name: 'Pool' });
    const input = { from: dayFrom(8), location_name: 'Pier 4', description: 'Slowly' };
    expect(await edit(ada, id, input)).toMatchObject({ id, changed: 3, cancelled: 0 });
    const after = await eventsOf(ada, id);
    expect(after.map(({ location_name }) => location_name)).toEqual(['Pier 3', 'Pier 4', 'Pool', 'Pier 4']);
    expect(after.map(({ description }) => description)).toEqual(['', 'Slowly', 'Slowly', 'Slowly']);
    expect(after.map(({ start_time }) => start_time)).toEqual(dates.map(({ start_time }) => start_time));
    const { changes, undo } = await ada.api.events.get({ event: second ?? '' });
    expect(changes[0]).toMatchObject({
      kind: 'edit',
      after: { location_name: 'Pier 4', description: 'Slowly' },
    });
    expect(undo).toBeNull();
    // Dates that are created later follow the edit.
    await run(w.db, sql`delete from events where series_id = ${id} and slot_on > ${dayFrom(20)}`);
    await extend();
    await jobsAreDone();
    expect((await eventsOf(ada, id)).at(-1)).toMatchObject({
      location_name: 'Pier 4',
      description: 'Slowly',
    });
  });

  test('past dates never change, not even by an edit from a past day [SERIES-10]', async () => {
    const { id } = await plan(ada, { count: 4 });
    // As if the series had been planned a week ago: the first date is over, and the second is tomorrow.
    await run(
      w.db,
      sql`update events set slot_on = slot_on - 7, start_time = start_time - interval '7 days',
            end_time = end_time - interval '7 days' where series_id = ${id}`,
    );
    await run(w.db, sql`update series set starts_on = starts_on - 7 where id = ${id}`);
    const stored = () =>
      all(
        w.db,
        sql<{ name: string; start_time: string }>`
          select name, start_time::text from events where series_id = ${id} order by slot_on`,
      );
    const before = await stored();
    const input = { from: dayFrom(-14), name: 'Night run', local_time: '20:00' };
    expect(await edit(ada, id, input)).toMatchObject({ changed: 3 });
    const after = await stored();
    expect(after.map(({ name }) => name)).toEqual(['Tuesday run', 'Night run', 'Night run', 'Night run']);
    expect(after[0]).toEqual(before[0]);
    await edit(ada, id, { every: 2 });
    expect((await stored())[0]).toEqual(before[0]);
  });

  test('a field whose edit was undone follows the series again [SERIES-11]', async () => {
    const { id } = await plan(ada, { count: 2 });
    const [first] = await eventsOf(ada, id);
    const event = first?.id ?? '';
    await ada.api.events.edit({ event, club: club.id, location_name: 'Pool' });
    const { undo } = await ada.api.events.get({ event });
    await ada.api.events.undo({ event, change: undo?.change ?? '' });
    expect(await edit(ada, id, { location_name: 'Pier 4' })).toMatchObject({ changed: 2 });
  });

  test('moves the dates in order to the new days, with answers and links, and keeps times that were edited for one date alone [SERIES-12]', async () => {
    const { id, slug } = await plan(ada);
    const dates = await eventsOf(ada, id);
    const [first, second, third] = dates.map((date) => date.id);
    await bob.api.answers.attend({ event: first ?? '' });
    const moved = addSeconds(dates[1]?.start_time ?? '', 7200);
    await ada.api.events.edit({ event: second ?? '', club: club.id, start_time: moved });
    await ada.api.events.cancel({ event: third ?? '' });
    const next = dayFrom(3);
    const edited = await edit(ada, id, { weekdays: [weekdayOf(next)], local_time: '20:00' });
    expect(edited).toMatchObject({ slug, cancelled: 0, changed: 11 });
    const after = await eventsOf(bob, id);
    expect(after.map((date) => date.id)).toEqual(dates.map((date) => date.id));
    expect(after.map((date) => date.slug)).toEqual(dates.map((date) => date.slug));
    expect(after[0]).toMatchObject({ my_answer: 'going', start_time: `${next}T20:00:00.000Z` });
    expect(after[1]?.start_time).toBe(moved);
    expect(after.map(isCancelled).indexOf(true)).toBe(2);
    expect(after.slice(3).map(dayOf)).toEqual(
      dates.slice(3).map((date) => addSeconds(dayOf(date) + 'T00:00:00.000Z', 2 * 86_400).slice(0, 10)),
    );
    await extend();
    await jobsAreDone();
    expect((await eventsOf(bob, id)).length).toBe(13);
  });

  test('cancels surplus dates, for the host only, and creates missing dates [SERIES-12]', async () => {
    await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
    const { id } = await plan(ada);
    const dates = await eventsOf(ada, id);
    expect(await outcomeOf(edit(cyd, id, { every: 2 }))).toBe('403 not_host');
    expect(await eventsOf(ada, id)).toEqual(dates);
    expect(await edit(ada, id, { every: 2 })).toMatchObject({ cancelled: 6 });
    const fewer = (await eventsOf(ada, id)).filter((date) => !isCancelled(date));
    expect(fewer.map(dayOf)).toEqual([1, 15, 29, 43, 57, 71, 85].map(dayFrom));
    expect(await edit(cyd, id, { every: 1 })).toMatchObject({ cancelled: 0 });
    const again = (await eventsOf(ada, id)).filter((date) => !isCancelled(date));
    expect(again.map(dayOf)).toEqual(dates.map(dayOf));
  });

  test('keeps the number of dates when the days change [SERIES-12]', async () => {
    const { id } = await plan(ada, { count: 5 });
    await edit(ada, id, { from: dayFrom(8), weekdays: [weekdayOf(dayFrom(9))] });
    expect((await eventsOf(ada, id)).map(dayOf)).toEqual([1, 9, 16, 23, 30].map(dayFrom));
  });

  test('sends each person concerned one notice about all dates, and asks them to confirm all changed dates [SERIES-13 STAND-08]', async () => {
    const dan = await w.person('Dan');
    club = await w.club([ada, bob, dan]);
    const { id } = await plan(ada, { count: 4 });
    await standing(bob, id, 'going');
    const dates = await eventsOf(ada, id);
    await run(w.db, sql`delete from notices`);
    const input = { count: 3, local_time: '20:30', ask_again: true, reason: 'venue' as const };
    expect(await edit(ada, id, input)).toMatchObject({ changed: 3, cancelled: 1 });
    const moved = `Ada moved “Tuesday run” to ${repeats}, 8:30 pm. Reason: venue.`;
    expect(await messagesOf(bob)).toEqual([moved]);
    expect(await messagesOf(dan)).toEqual([]);
    expect((await eventsOf(bob, id)).map(({ must_confirm }) => must_confirm)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    await w.hurry();
    await expect.poll(async () => (await mailsTo(bob, 'Moved:')).length).toBe(1);
    const [mail, ...more] = await mailsTo(bob, 'Moved:');
    expect(more).toEqual([]);
    expect(mail?.subject).toBe(`Moved: Tuesday run → ${repeats}, 8:30 pm`);
    const lines = mail?.text?.split('\n').filter((line) => /^(When|Cancelled):/.test(line)) ?? [];
    expect(lines.length).toBe(4);
    expect(lines.filter((line) => line.includes('7:00 pm to 8:30 pm → '))).toHaveLength(3);
    expect(lines.at(-1)).toMatch(/^Cancelled: .*7:00 pm/);
    expect(mail?.text).toContain('Can you still come?');
    expect(dates.length).toBe(4);
  });

  test.each<[string, boolean, Partial<Plan>, boolean]>([
    ['the start becomes the cut-off if members are asked to confirm', true, {}, true],
    ['the cut-off moves with the start if nobody is asked to confirm', false, {}, false],
    ['the edit sets the cut-off, if it contains one', true, { cutoff_minutes: 60 }, false],
  ])('moves a date whose sign-up has closed: %s [CALL-06 TIME-03]', async (_, ask_again, input, isStart) => {
    // The cut-off of the first date, which is tomorrow, was yesterday. It moves to the day after tomorrow.
    const { id } = await plan(ada, { cutoff_minutes: 2 * 1440, count: 3 });
    await edit(ada, id, { weekdays: [weekdayOf(dayFrom(5))], ask_again, ...input });
    const [first, second] = await Promise.all(
      (await eventsOf(ada, id)).slice(0, 2).map(({ id: event }) => ada.api.events.get({ event })),
    );
    expect(dayOf(first ?? fail())).toBe(dayFrom(5));
    const minutes = ({ start_time, entry_until_time } = first ?? fail()) =>
      (Date.parse(start_time) - Date.parse(entry_until_time)) / 60_000;
    const usual = input.cutoff_minutes ?? 2 * 1440;
    expect([minutes(first), minutes(second)]).toEqual([isStart ? 0 : usual, usual]);
  });

  test('is refused if a required notice is switched off, if no dates would be left, or if the series has ended', async () => {
    const { id } = await plan(ada, { count: 3 });
    for (const [input, error] of [
      [{ local_time: '20:00', announce: false }, '400 must_tell'],
      [{ count: 1, announce: false }, '400 must_tell'],
      [{ weekdays: [] }, '400 bad_input'],
      [{ ends_on: dayFrom(30) }, '400 bad_input'],
      [{ count: null, ends_on: dayFrom(0) }, '400 bad_input'],
      [{ starts_on: dayFrom(9) }, '400 bad_input'],
    ] as const)
      expect(await outcomeOf(edit(ada, id, input as object))).toBe(error);
    expect(await edit(ada, id, { details: 'Shoes', announce: false })).toMatchObject({ changed: 3 });
    expect(await messagesOf(bob)).toHaveLength(1);
    await ada.api.series.end({ series: id });
    expect(await outcomeOf(edit(ada, id, { name: 'Walk' }))).toBe('409 series_ended');
  });

  test('the history records no notice when only seats changed', async () => {
    const { id } = await plan(ada, { ends_on: dayFrom(20) });
    await edit(ada, id, { capacity: 9 });
    await edit(ada, id, { location_name: 'Pier 4' });
    const changes = await all(
      w.db,
      sql<{ after: object; cancellations: boolean }>`
        select distinct h.after, h.told from event_changes h join events e on e.id = h.event_id
        where e.series_id = ${id} order by h.told`,
    );
    expect(changes).toEqual([
      { after: { capacity: 9 }, told: false },
      { after: { location_name: 'Pier 4' }, told: true },
    ]);
  });
});

describe('breaks', () => {
  test('of a club have no dates, can be saved by admins only, and are listed by the series [SERIES-16]', async () => {
    expect(await outcomeOf(save(bob, []))).toBe('403 not_admin');
    const spring = { first_on: dayFrom(400), last_on: dayFrom(401), name: 'Spring' };
    expect(await save(ada, [spring, holidays()])).toEqual({
      breaks: [holidays(), spring],
      cancelled: 0,
      planned: 0,
    });
    expect(await bob.api.series.breaks({ club: club.id })).toEqual([holidays(), spring]);
    const { id } = await plan(ada);
    const series = await bob.api.series.get({ series: id });
    expect(series.breaks).toEqual([holidays()]);
    expect(series.events.map(({ start_time }) => start_time.slice(0, 10)).slice(0, 3)).toEqual([
      dayFrom(1),
      dayFrom(22),
      dayFrom(29),
    ]);
    await save(ada, []);
    expect((await eventsOf(ada, id)).length).toBe(13);
  });

  test.each<[string, () => { first_on: string; last_on: string; name: string }]>([
    ['an end before the start', () => ({ ...holidays(), last_on: dayFrom(5) })],
    ['a duration of more than a year', () => ({ ...holidays(), last_on: dayFrom(380) })],
    ['no name', () => ({ ...holidays(), name: '' })],
  ])('are refused with %s', async (_, wrong) => {
    expect(await outcomeOf(save(ada, [wrong()]))).toBe('400 bad_input');
  });

  test('over existing dates need a confirmation by the host of the series, which cancels the dates with one notice [SERIES-16]', async () => {
    const dan = await w.person('Dan');
    club = await w.club([ada, dan, cyd]);
    await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
    const { id } = await plan(ada);
    const dates = await eventsOf(ada, id);
    for (const event of dates.slice(0, 3)) await dan.api.answers.attend({ event: event.id });
    for (const [person, cancel, code] of [
      [ada, false, '409 dates_in_break'],
      [cyd, false, '409 dates_in_break'],
      [cyd, true, '403 not_host'],
    ] as const)
      expect(await outcomeOf(save(person, [holidays()], cancel))).toBe(code);
    expect(await ada.api.series.breaks({ club: club.id })).toEqual([]);
    expect(await save(ada, [holidays()], true)).toMatchObject({ cancelled: 2 });
    // The break is saved now, so saving it again needs no confirmation.
    expect(await save(cyd, [holidays()])).toMatchObject({ cancelled: 0 });
    const after = await eventsOf(ada, id);
    expect(after.map(({ deleted_at }) => deleted_at !== null).slice(0, 4)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const cancellations = (await messagesOf(dan)).filter((message) => message.includes('cancelled'));
    expect(cancellations).toEqual([`Ada cancelled “Tuesday run”, ${repeats}, in Harbour Rowers.`]);
    expect((await mailsTo(dan, 'Cancelled')).length).toBe(1);
  });
});

/** The day of each upcoming date of a series, and whether the date is cancelled. */
const datesOf = async (series: string) =>
  (await eventsOf(ada, series)).map((date) => [dayOf(date), isCancelled(date)]);
const plannedWeeks = (weeks: number) =>
  Array.from({ length: weeks }, (_, week) => [dayFrom(1 + 7 * week), false]);
const newEventsFor = async (person: Person) =>
  (await messagesOf(person)).filter((message) => message.includes('planned')).length;

describe('removing a break', () => {
  test.each<[string, () => ReturnType<typeof holidays>[], number[]]>([
    ['as a whole', () => [], [8, 15]],
    ['by making it shorter', () => [{ ...holidays(), last_on: dayFrom(9) }], [15]],
    ['by moving it', () => [{ ...holidays(), first_on: dayFrom(13), last_on: dayFrom(20) }], [8]],
  ])(
    '%s: its dates are created again as new events without answers, with one notice [SERIES-14 C22]',
    async (_, next, days) => {
      const bob = await w.person('Bob');
      club = await w.club([ada, bob, cyd]);
      const { id } = await plan(ada);
      await mailsTo(bob, 'New event');
      const before = await eventsOf(ada, id);
      for (const event of before.slice(0, 3)) await bob.api.answers.attend({ event: event.id });
      await standing(cyd, id, 'going', 0);
      await save(ada, [holidays()], true);
      await run(w.db, sql`delete from notices`);
      expect(await save(ada, next())).toMatchObject({ cancelled: 0, planned: days.length });
      const after = await eventsOf(bob, id);
      expect(after.map(dayOf)).toEqual(before.map(dayOf));
      const again = after.filter((date) => !before.some((old) => old.id === date.id));
      expect(again.map(dayOf)).toEqual(days.map(dayFrom));
      expect(new Set(again.map(({ my_answer }) => my_answer))).toEqual(new Set([null]));
      expect(new Set(await answersOf(cyd, id))).toEqual(new Set(['going']));
      // The cancelled events stay cancelled, with their pages and answers, but no longer belong to the series.
      for (const { id: event } of before.filter((date) => !after.some((each) => each.id === date.id)))
        expect(await bob.api.events.get({ event })).toMatchObject({
          deleted_at: expect.any(String),
          my_answer: 'going',
          series: null,
        });
      const message = `Ada planned “Tuesday run”, ${repeats}, in Harbour Rowers.`;
      expect([await messagesOf(bob), await messagesOf(cyd), await messagesOf(ada)]).toEqual([
        [message],
        [message],
        [],
      ]);
      const [, mail, ...more] = await mailsTo(bob, 'New event');
      const [date = ''] = again.map(({ start_time }) => dayWithYear(start_time, 'Europe/Berlin'));
      expect([mail?.subject, more]).toEqual([`New event: Tuesday run, ${repeats} from ${date}`, []]);
      expect(mail?.text?.match(/^When: /gm)).toHaveLength(days.length);
      // Saving the breaks again and the nightly job change nothing.
      expect(await save(ada, next())).toMatchObject({ cancelled: 0, planned: 0 });
      await extend();
      await jobsAreDone();
      expect((await eventsOf(bob, id)).map((date) => date.id)).toEqual(after.map((date) => date.id));
      expect(await messagesOf(bob)).toEqual([message]);
    },
  );

  test('does not create dates again that were cancelled or moved individually [SERIES-14 C22]', async () => {
    const { id } = await plan(ada);
    const [, second, third] = await eventsOf(ada, id);
    await ada.api.events.cancel({ event: second?.id ?? '' });
    const moved = addSeconds(third?.start_time ?? '', -86_400);
    await ada.api.events.edit({ event: third?.id ?? '', club: club.id, start_time: moved });
    expect(await save(ada, [holidays()], true)).toMatchObject({ cancelled: 1 });
    expect(await save(ada, [])).toMatchObject({ planned: 0 });
    const dates = await datesOf(id);
    expect(dates).toEqual([
      [dayFrom(1), false],
      [dayFrom(8), true],
      [dayFrom(14), true],
      ...plannedWeeks(13).slice(3),
    ]);
  });

  test('and adding it, repeatedly: the dates are created again, and cancelled again, each time [SERIES-14 C22]', async () => {
    const { id } = await plan(ada);
    for (let round = 0; round < 3; round++) {
      expect(await save(ada, [holidays()], true)).toMatchObject({ cancelled: 2, planned: 0 });
      expect((await datesOf(id)).filter(([, cancelled]) => cancelled)).toHaveLength(2);
      expect(await save(ada, [])).toMatchObject({ cancelled: 0, planned: 2 });
      expect(await datesOf(id)).toEqual(plannedWeeks(13));
    }
    const cancelled = sql`select from events where owner_club_id = ${club.id} and deleted_at is not null`;
    expect(await all(w.db, cancelled)).toHaveLength(6);
  });

  test('while another break covers its days, or after the series has ended: its dates stay cancelled [SERIES-14 C22]', async () => {
    const { id } = await plan(ada);
    const other = { ...holidays(), name: 'Repairs', first_on: dayFrom(7) };
    await save(ada, [holidays()], true);
    await save(ada, [holidays(), other], true);
    expect(await save(ada, [other])).toMatchObject({ planned: 0 });
    await ada.api.series.end({ series: id, from: dayFrom(60) });
    expect(await save(ada, [])).toMatchObject({ planned: 0 });
    expect((await datesOf(id)).slice(0, 4)).toEqual([
      [dayFrom(1), false],
      [dayFrom(8), true],
      [dayFrom(15), true],
      [dayFrom(22), false],
    ]);
  });

  test('after the days of the series have changed: dates are created on the new days, and no date is cancelled any more [SERIES-14 C22]', async () => {
    const { id } = await plan(ada);
    await save(ada, [holidays()], true);
    await edit(ada, id, { weekdays: [weekdayOf(dayFrom(2))] });
    const inBreak = (await eventsOf(ada, id)).filter(isCancelled);
    expect(inBreak.map(dayOf)).toEqual([8, 15].map(dayFrom));
    expect(await save(ada, [])).toMatchObject({ planned: 2 });
    const dates = await eventsOf(ada, id);
    expect(dates.some(isCancelled)).toBe(false);
    expect(dates.map(dayOf).slice(0, 5)).toEqual([2, 9, 16, 23, 30].map(dayFrom));
  });

  test('sends at most twenty notices a day [T9]', async () => {
    const { id } = await plan(ada);
    await eventsOf(ada, id);
    for (let round = 0; round < 20; round++) {
      await save(ada, [holidays()], true);
      await save(ada, []);
    }
    await save(ada, [holidays()], true);
    expect(await outcomeOf(save(ada, []))).toBe('429 too_often');
    expect(await newEventsFor(bob)).toBe(21);
  });
});

const fail = () => {
  throw new Error('Missing');
};

/** Moves a series and its dates some weeks into the past. Then lets the job create the dates of the next 90 days. */
async function passWeeks(series: string, weeks: number): Promise<void> {
  const span = sql`make_interval(days => ${7 * weeks})`;
  await run(
    w.db,
    sql`update events set slot_on = slot_on - 7 * ${weeks}::int, start_time = start_time - ${span}, end_time = end_time - ${span},
          entry_until_time = entry_until_time - ${span} where series_id = ${series}`,
  );
  await run(w.db, sql`update series set starts_on = starts_on - 7 * ${weeks}::int where id = ${series}`);
  await extend();
  await jobsAreDone();
}

const standing = ({ api }: Person, series: string, answer: 'going' | 'no' | null, guests = 0) =>
  api.series.standing({ series, answer, guests });
const answersOf = async (person: Person, series: string) =>
  (await eventsOf(person, series)).map(({ my_answer }) => my_answer);

/** The token of the link with this label in the reminder of a date. */
const linkIn = async (person: Person, label: string) => {
  const [mail] = await mailsTo(person, 'Tomorrow at 7:00 pm: Tuesday run');
  return new RegExp(`${label}\\W+http://muster\\.test/answer/([\\w-]{64})\\?a=no`).exec(
    mail?.text ?? '',
  )?.[1];
};

describe('standing answer', () => {
  test('answers every upcoming date now, and later dates when they are created; answers to single dates stay [STAND-01 STAND-02]', async () => {
    const { id } = await plan(ada, { guests_max: 2, count: 5 });
    const [one, two] = await eventsOf(bob, id);
    await bob.api.answers.answer({ event: one?.id ?? '', answer: 'no' });
    await bob.api.answers.answer({ event: two?.id ?? '', answer: 'maybe' });
    expect(await standing(bob, id, 'going', 2)).toEqual({
      my_standing: { answer: 'going', guests: 2, dates: 3 },
    });
    expect(await answersOf(bob, id)).toEqual(['no', 'maybe', 'going', 'going', 'going']);
    await run(w.db, sql`delete from events where series_id = ${id} and slot_on > ${dayFrom(20)}`);
    await extend();
    await jobsAreDone();
    expect(await answersOf(bob, id)).toEqual(['no', 'maybe', 'going', 'going', 'going']);
    const last = (await eventsOf(bob, id)).at(-1)?.id ?? '';
    expect(await bob.api.events.get({ event: last })).toMatchObject({
      my_guests: 2,
      guest_count: 2,
      user_count: 2,
    });
    expect(await standing(bob, id, 'no')).toMatchObject({ my_standing: { answer: 'no', guests: 0 } });
    expect(await answersOf(bob, id)).toEqual(['no', 'maybe', 'no', 'no', 'no']);
  });

  test('those of 400 members answer the earliest dates at once, and the others by a job [STAND-01 STAND-02]', async () => {
    const { id } = await plan(ada, { weekdays: [1, 2, 3, 4, 5, 6, 7], count: 40 });
    await run(
      w.db,
      sql`with people as (
            insert into users (id, email, calendar_secret, created_at)
            select gen_random_uuid(), 'standing-' || n || '@example.net', 'standing-' || n, now()
            from generate_series(1, 400) as n returning id),
          added as (
            insert into members (club_id, user_id, calendar_secret, joined_at)
            select ${club.id}, id, 'standing-' || id, now() from people)
          insert into standing_answers (series_id, user_id, answer, since)
          select ${id}, id, 'going', now() from people`,
    );
    const going = async () => (await eventsOf(ada, id)).map(({ user_count }) => user_count);
    const days = async () => (await eventsOf(ada, id)).map(dayOf);
    const before = await days();
    const expected = await w.withoutJobs(async () => {
      await edit(ada, id, { every: 2 });
      const moved = (await days()).map((day, nth) => day !== before[nth]);
      const first = moved.indexOf(true);
      // 12,000 answers, rounded down because the club has 403 members.
      const atOnce = first + 29;
      expect(await going()).toEqual(moved.map((isMoved, nth) => (isMoved && nth < atOnce ? 401 : 1)));
      return moved.map((isMoved) => (isMoved ? 401 : 1));
    });
    await expect.poll(going).toEqual(expected);
  });

  test('is refused for people who are not members, with too many guests, and for a series that has ended [STAND-01]', async () => {
    const { id } = await plan(ada, { guests_max: 1 });
    expect(await outcomeOf(standing(eve, id, 'going'))).toBe('403 not_member');
    expect(await outcomeOf(standing(bob, id, 'going', 2))).toBe('400 too_many_guests');
    expect(await outcomeOf(bob.api.series.standing({ series: id, answer: 'maybe' as 'no' }))).toBe(
      '400 bad_input',
    );
    await ada.api.series.end({ series: id });
    expect(await outcomeOf(standing(bob, id, 'going'))).toBe('409 series_ended');
    expect(await outcomeOf(standing(bob, id, null))).toBe('ok');
  });

  test("skipping one date sets the answer can't go for that date, and keeps the standing answer [STAND-03]", async () => {
    const { id } = await plan(ada, { count: 3 });
    await standing(bob, id, 'going');
    const [, second] = await eventsOf(bob, id);
    const event = second?.id ?? '';
    expect((await bob.api.events.get({ event })).by_standing).toBe(true);
    await bob.api.answers.unattend({ event });
    expect((await bob.api.events.get({ event })).by_standing).toBe(false);
    expect(await answersOf(bob, id)).toEqual(['going', 'no', 'going']);
    expect((await bob.api.series.get({ series: id })).my_standing).toEqual({
      answer: 'going',
      guests: 0,
      dates: 2,
    });
  });

  test("adds the link 'Skip this one' to the reminder of a date, which sets the answer can't go for that date [STAND-03]", async () => {
    const { id } = await plan(ada, { count: 3 });
    await standing(bob, id, 'going');
    const [, second] = await eventsOf(bob, id);
    await cyd.api.answers.attend({ event: second?.id ?? '' });
    const almost = addSeconds(second?.start_time ?? '', -23 * 3600);
    w.clockOffset.seconds = secondsBetween(instant(Date.now()), almost);
    await inTransaction(w.db, (db) => remindAttendees(db, almost));
    expect(await linkIn(cyd, "Can't go")).toBeDefined();
    w.clockOffset.seconds = 0;
    expect(await linkIn(bob, "Can't go")).toBeUndefined();
    const token = (await linkIn(bob, 'Skip this one')) ?? '';
    await bob.api.answers.answerByLink({ token, answer: 'no' });
    expect(await answersOf(bob, id)).toEqual(['going', 'no', 'going']);
    expect((await bob.api.series.get({ series: id })).my_standing?.answer).toBe('going');
  });

  test('ending it removes the answers that it gave to upcoming dates, and no other answers [STAND-04]', async () => {
    const { id } = await plan(ada, { count: 4 });
    await standing(bob, id, 'going');
    const dates = await eventsOf(bob, id);
    await bob.api.answers.unattend({ event: dates[0]?.id ?? '' });
    await bob.api.answers.answer({ event: dates[1]?.id ?? '', answer: 'going', note: 'Late' });
    expect((await bob.api.series.get({ series: id })).my_standing?.dates).toBe(2);
    expect(await standing(bob, id, null)).toEqual({ my_standing: null });
    expect(await answersOf(bob, id)).toEqual(['no', 'going', null, null]);
    expect(await answersOf(ada, id)).toEqual(['going', 'going', 'going', 'going']);
  });

  test('sends no email for any date [STAND-07]', async () => {
    const { id } = await plan(ada, { count: 3 });
    await standing(bob, id, 'going');
    expect(
      await all(w.db, sql`select from notice_emails where user_id = ${bob.id} and kind = 'attending'`),
    ).toEqual([]);
  });

  test('if seats are limited, members take turns, and are on the waitlist of the other dates [STAND-05]', async () => {
    const { id } = await plan(ada, { capacity: 2, everybody: true, count: 6 });
    const [ofBob, ofCyd] = [await answersOf(bob, id), await answersOf(cyd, id)];
    expect(ofBob.toSorted()).toEqual(['going', 'going', 'going', 'waiting', 'waiting', 'waiting']);
    expect(ofCyd).toEqual(ofBob.map((answer) => (answer === 'going' ? 'waiting' : 'going')));
    expect((await eventsOf(ada, id)).map(({ user_count }) => user_count)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  test('never takes a seat away; members take turns on dates created later, and the series says until when the seats are taken [STAND-05]', async () => {
    const [dan, fay] = [await w.person('Dan'), await w.person('Fay')];
    club = await w.club([ada, bob, cyd, dan, fay]);
    const { id } = await plan(ada, { capacity: 3 });
    const held = async (person: Person) => (await person.api.series.get({ series: id })).seats_held;
    expect(await held(bob)).toBeNull();
    for (const person of [bob, cyd]) await standing(person, id, 'going');
    expect(await held(bob)).toBeNull();
    for (const person of [dan, fay]) await standing(person, id, 'going');
    const seats = async (person: Person) =>
      (await answersOf(person, id)).map((answer) => Number(answer === 'going'));
    expect([await seats(bob), await seats(cyd), await seats(dan), await seats(fay)]).toEqual(
      [1, 1, 0, 0].map((seat) => Array.from({ length: 13 }, () => seat)),
    );
    const named = [bob, cyd].map(({ id: user }) => expect.objectContaining({ id: user }));
    const shown = { until: dayFrom(85), people: named, others: 0 };
    for (const person of [ada, bob, fay]) expect(await held(person)).toEqual(shown);
    // Twelve weeks later, the last of these dates is left, and there are twelve new dates.
    await passWeeks(id, 12);
    expect((await seats(bob)).length).toBe(13);
    const after = await Promise.all([bob, cyd, dan, fay].map(seats));
    expect(after.map(([first]) => first)).toEqual([1, 1, 0, 0]);
    const turns = after.map((all) => all.slice(1).reduce((sum, seat) => sum + seat, 0));
    expect(turns).toEqual([6, 6, 6, 6]);
    // Members who had no seats come first.
    expect(after.map(([, second]) => second)).toEqual([0, 0, 1, 1]);
    expect(await held(bob)).toMatchObject({ until: dayFrom(1) });
    await passWeeks(id, 1);
    expect(await held(bob)).toBeNull();
  });

  test('of a member who joins later: the members who already take turns have the seats of existing dates, and the series names them [STAND-05]', async () => {
    const others = await Promise.all(['Dan', 'Fay', 'Gil', 'Hal'].map((name) => w.person(name)));
    club = await w.club([ada, bob, cyd, ...others]);
    const { id } = await plan(ada, { capacity: 2, everybody: true, count: 9 });
    expect((await bob.api.series.get({ series: id })).seats_held).toBeNull();
    const ivy = await w.person('Ivy');
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    await ivy.api.invites.join({ invite: invite_link });
    const { seats_held } = await ivy.api.series.get({ series: id });
    expect(seats_held).toMatchObject({ until: dayFrom(57), others: 3 });
    expect(seats_held?.people.length).toBe(3);
    // If nobody waits, there is nothing to show.
    await standing(ivy, id, null);
    expect((await ivy.api.series.get({ series: id })).seats_held).toBeNull();
    await standing(ivy, id, 'going');
    await ada.api.series.end({ series: id });
    expect((await ivy.api.series.get({ series: id })).seats_held).toBeNull();
  });

  test('gives its seats to the waitlist, with a notice, when it is ended or changed to no [STAND-04 STAND-05]', async () => {
    const { id } = await plan(ada, { capacity: 2, count: 3 });
    await standing(bob, id, 'going');
    await standing(cyd, id, 'going');
    expect(await answersOf(cyd, id)).toEqual(['waiting', 'waiting', 'waiting']);
    const [first] = await eventsOf(bob, id);
    await bob.api.answers.unattend({ event: first?.id ?? '' });
    expect(await answersOf(cyd, id)).toEqual(['going', 'waiting', 'waiting']);
    await standing(bob, id, 'no');
    expect(await answersOf(cyd, id)).toEqual(['going', 'going', 'going']);
    expect((await messagesOf(cyd)).filter((message) => message.startsWith('You have a seat'))).toHaveLength(
      3,
    );
    await standing(bob, id, 'going');
    expect(await answersOf(bob, id)).toEqual(['no', 'waiting', 'waiting']);
    await standing(cyd, id, null);
    expect(await answersOf(bob, id)).toEqual(['no', 'going', 'going']);
  });

  test('without a waitlist, answers only the dates with a free seat [STAND-05]', async () => {
    const { id } = await plan(ada, { capacity: 2, waitlist: false, count: 2 });
    const [first] = await eventsOf(bob, id);
    await cyd.api.answers.attend({ event: first?.id ?? '' });
    await standing(bob, id, 'going');
    expect(await answersOf(bob, id)).toEqual([null, 'going']);
  });

  test('of a host does not change that the host is going', async () => {
    const { id } = await plan(ada, { count: 3 });
    await standing(ada, id, 'no');
    expect(await answersOf(ada, id)).toEqual(['going', 'going', 'going']);
  });

  test('is deleted with the membership, together with the answers that it gave', async () => {
    const { id } = await plan(ada, { count: 3 });
    await standing(bob, id, 'going');
    const found = await first(
      w.db,
      sql`select answer from standing_answers where user_id = ${bob.id} and series_id = ${id}`,
    );
    expect(found).toEqual({ answer: 'going' });
    await bob.api.members.leave({ club: club.id });
    expect(await all(w.db, sql`select from standing_answers where user_id = ${bob.id}`)).toEqual([]);
    expect(
      await all(
        w.db,
        sql`select from answers a join events e on e.id = a.event_id where e.series_id = ${id} and a.user_id = ${bob.id}`,
      ),
    ).toEqual([]);
  });
});
