import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { shortDayAndTime } from '#wire/format.ts';
import { votesOf } from '#features/account/store.ts';
import { passTimes, remindAttendees } from '#features/events/store.ts';
import { Vote } from '#features/events/time-contract.ts';
import { send } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

const hour = 3600;

/** Waits for an email to a person, with a subject that begins with `subject`. */
async function mailTo(person: Person, subject: string) {
  return vi.waitFor(
    async () => {
      const mails = await w.outbox();
      const mail = mails.find(
        (each) => each.to?.[0]?.address === person.email && each.subject?.startsWith(subject),
      );
      expect(mail).toBeDefined();
      return mail as (typeof mails)[number];
    },
    { timeout: 10_000, interval: 100 },
  );
}

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

const apiError = (status: number, error: string) => expect.objectContaining({ status, error });

const at = (hours: number) => addSeconds(w.now(), hours * hour);
const timeAt = (hours: number) => ({ start_time: at(hours), end_time: at(hours + 1) });

type Poll = Awaited<ReturnType<World['poll']>>;

/** Sends a person's votes, in the order of the times of the poll. */
const vote = (person: Person, { id, times }: Poll, ...votes: Vote[]) =>
  person.api.polls.vote({
    event: id,
    votes: votes.map((each, nth) => ({ time: times[nth] ?? '', vote: each })),
  });

const create = (input: object) =>
  send(w, ada, `POST /v1/clubs/${club.id}/events`, { name: 'Picnic', location_name: 'Lake', ...input });

test('create: an event may offer 2 to 12 times, and starts at the earliest of them [POLL-01]', async () => {
  const times = [timeAt(72), timeAt(24), timeAt(48)];
  const { data } = await create({ times });
  const event = await bob.api.events.get({ event: (data as { id: string }).id });
  const inOrder = [times[1], times[2], times[0]];
  expect(event).toMatchObject({
    polling: true,
    ...times[1],
    // Voting closes at the first of the times, whose start voters could no longer choose.
    entry_until_time: times[1]?.start_time,
    time_count: 3,
    has_voted: false,
    my_role: null,
    user_count: 1,
    times: inOrder.map((time) => ({ ...time, yes_count: 0, is_best: false, voters: [], my_vote: null })),
    host: { host_first_name: 'Ada' },
  });
  const page = await bob.api.clubs.get({ club: club.id });
  expect(page.events.find(({ id }) => id === event.id)).toMatchObject({
    polling: true,
    time_count: 3,
    ...times[1],
  });
  // Outsiders with the link can see that the time is open, but not who votes.
  expect(await eve.api.events.get({ event: event.id })).toMatchObject({ polling: true, times: [] });
});

test('create: refused with invalid times, or with too few or too many [POLL-01]', async () => {
  const twelve = Array.from({ length: 12 }, (_, nth) => timeAt(24 + nth));
  const [one, two] = [timeAt(24), timeAt(48)];
  for (const input of [
    {},
    { times: [] },
    { times: [one] },
    { times: [...twelve, timeAt(90)] },
    { times: [one, two, one] },
    { times: [one, timeAt(-1)] },
    { times: [one, { start_time: two.start_time }] },
    { times: [one, { start_time: two.end_time, end_time: two.start_time }] },
    { times: [one, two], ...one },
    { start_time: one.start_time },
  ])
    expect(await create(input)).toMatchObject({ status: 400 });
  expect(await create({ times: twelve })).toMatchObject({ status: 200 });
});

test('a time that has passed cannot win, and the event moves to the next time [POLL-01]', async () => {
  const poll = await w.poll(club, ada, { at: [24, 48, 72] });
  await vote(bob, poll, 'yes', 'no', 'if_needed');
  const pass = (time: string) => inTransaction(w.db, (db) => passTimes(db, time));
  await pass(at(23));
  const event = () => bob.api.events.get({ event: poll.id });
  expect((await event()).times.map(({ is_best }) => is_best)).toEqual([true, false, false]);
  const [first, second, third] = (await event()).times;
  expect(await event()).toMatchObject({ start_time: first?.start_time });
  await pass(at(25));
  expect(await event()).toMatchObject({
    start_time: second?.start_time,
    end_time: second?.end_time,
    polling: true,
  });
  await pass(at(100));
  expect(await event()).toMatchObject({ start_time: second?.start_time });
  await run(
    w.db,
    sql`update event_times set start_time = now() - interval '2 hours', end_time = now() - interval '1 hour'
        where id = ${first?.id}`,
  );
  expect((await event()).times.find(({ is_best }) => is_best)?.id).toBe(third?.id);
  const decide = (time = '') => ada.api.polls.decide({ event: poll.id, time });
  await expect(decide(first?.id)).rejects.toEqual(apiError(400, 'starts_in_past'));
  // The votes are complete without one for the time that has passed.
  await bob.api.polls.vote({
    event: poll.id,
    votes: [second, third].map((time) => ({ time: time?.id ?? '', vote: 'yes' })),
  });
  await expect(decide(third?.id)).resolves.toMatchObject({ start_time: third?.start_time });
});

const voter = ({ id: attendee_id }: Person, first_name: string, which: Vote) =>
  expect.objectContaining({ attendee_id, first_name, vote: which });

test('vote: replaces the votes of the member; members see names and counts [POLL-02]', async () => {
  const poll = await w.poll(club, ada, { at: [24, 48, 72] });
  await vote(bob, poll, 'no', 'if_needed', 'yes');
  await vote(bob, poll, 'no', 'yes', 'if_needed');
  const { times } = await vote(cyd, poll, 'if_needed', 'yes', 'if_needed');
  expect(times).toMatchObject([
    {
      yes_count: 0,
      if_needed_count: 1,
      no_count: 1,
      is_best: false,
      voters: [voter(cyd, 'Cyd', 'if_needed'), voter(bob, 'Bob', 'no')],
      my_vote: 'if_needed',
    },
    {
      yes_count: 2,
      if_needed_count: 0,
      no_count: 0,
      is_best: true,
      voters: [voter(bob, 'Bob', 'yes'), voter(cyd, 'Cyd', 'yes')],
      my_vote: 'yes',
    },
    { yes_count: 0, if_needed_count: 2, is_best: false, my_vote: 'if_needed' },
  ]);
  const seen = await ada.api.events.get({ event: poll.slug });
  expect(seen.times).toEqual(times.map((time) => ({ ...time, my_vote: null })));
});

test('vote: requires a vote for each remaining time, from members only, until the cut-off [POLL-02]', async () => {
  const poll = await w.poll(club, ada);
  const [one, two] = poll.times;
  const other = await w.poll(club, ada);
  const wanted = [
    [],
    [{ time: one, vote: 'yes' }],
    [
      { time: one, vote: 'yes' },
      { time: one, vote: 'no' },
    ],
    [
      { time: one, vote: 'yes' },
      { time: two, vote: 'perhaps' },
    ],
    [one, two, other.times[0]].map((time) => ({ time, vote: 'yes' })),
  ];
  for (const votes of wanted)
    expect(await send(w, bob, `PUT /v1/events/${poll.id}/votes`, { votes })).toMatchObject({ status: 400 });
  await expect(vote(eve, poll, 'yes', 'yes')).rejects.toEqual(apiError(403, 'not_member'));
  await run(
    w.db,
    sql`update events set entry_until_time = now() - interval '1 minute' where id = ${poll.id}`,
  );
  await expect(vote(bob, poll, 'yes', 'no')).rejects.toEqual(apiError(409, 'event_closed'));
  const usual = await w.event(club, ada);
  await expect(vote(bob, { ...poll, id: usual.id }, 'yes', 'no')).rejects.toEqual(
    apiError(409, 'event_closed'),
  );
  await ada.api.events.cancel({ event: poll.id });
  await expect(vote(bob, poll, 'yes', 'no')).rejects.toEqual(apiError(409, 'event_cancelled'));
});

test('answers: refused with time_open while times are open [POLL-03 ANSWER-09]', async () => {
  const { id: event } = await w.poll(club, ada);
  const open = apiError(409, 'time_open');
  await expect(bob.api.answers.attend({ event })).rejects.toEqual(open);
  await expect(bob.api.answers.unattend({ event })).rejects.toEqual(open);
  for (const answer of ['going', 'maybe', 'no'] as const)
    await expect(bob.api.answers.answer({ event, answer })).rejects.toEqual(open);
  await expect(ada.api.answers.answerFor({ event, user: bob.id, answer: 'going' })).rejects.toEqual(open);
  await expect(ada.api.answers.nudge({ event, to: 'silent' })).rejects.toEqual(open);
  const edit = (patch: object) => ada.api.events.edit({ event, club: club.id, ...patch });
  await expect(edit({ start_time: at(30) })).rejects.toEqual(open);
  await expect(edit({ name: 'Picnic', ask_again: true })).rejects.toEqual(open);
  await edit({ name: 'Picnic' });
  expect(await bob.api.events.get({ event })).toMatchObject({ name: 'Picnic', user_count: 1, polling: true });
  await ada.api.events.cancel({ event });
  await expect(bob.api.answers.attend({ event })).rejects.toEqual(apiError(409, 'event_cancelled'));
  const over = await w.poll(club, ada);
  await run(
    w.db,
    sql`update events set start_time = now() - interval '2 hours', end_time = now() - interval '1 hour'
        where id = ${over.id}`,
  );
  await expect(bob.api.answers.answer({ event: over.id, answer: 'going' })).rejects.toEqual(
    apiError(409, 'event_ended'),
  );
});

test('open times: cause no conflicts and no reminders [POLL-03]', async () => {
  const usual = await w.event(club, ada, { startsIn: 10 });
  await bob.api.answers.attend({ event: usual.id });
  const poll = await w.poll(club, ada, { at: [10, 30] });
  for (const person of [ada, bob])
    for (const event of [usual.id, poll.id])
      expect(await person.api.events.get({ event })).toMatchObject({ conflicting_events: [] });
  const page = await ada.api.clubs.get({ club: club.id });
  const conflicts = page.events.filter(({ id }) => id === usual.id || id === poll.id);
  expect(conflicts.map(({ conflicting_events }) => conflicting_events)).toEqual([[], []]);
  await run(w.db, sql`update answers set answered_at = now() - interval '9 days'`);
  await inTransaction(w.db, (db) => remindAttendees(db, w.now()));
  const reminded = (await ada.api.notifications.list({})).filter(({ message }) =>
    /[ap]m: Tuesday run$/.test(message),
  );
  const slugs = new Set(reminded.map(({ metadata }) => metadata.event_slug));
  expect([slugs.has(usual.slug), slugs.has(poll.slug)]).toEqual([true, false]);
});

/** Adds members to the club of a poll. In turn, they vote yes, if needed or no for all of its times. */
async function crowd({ id }: Poll, to: ClubHandle, count: number): Promise<void> {
  await run(
    w.db,
    sql`with people as (
          insert into users (id, email, first_name, last_name, calendar_secret, created_at)
          select gen_random_uuid(), gen_random_uuid() || '@example.org', 'Voter', n::text, gen_random_uuid(), now()
          from generate_series(1, ${count}::int) as n returning id)
        insert into members (club_id, user_id, calendar_secret, joined_at)
        select ${to.id}, id, gen_random_uuid(), now() from people`,
  );
  await run(
    w.db,
    sql`insert into time_votes (event_id, time_id, user_id, vote, voted_at)
        select t.event_id, t.id, u.id, (array['yes', 'if_needed', 'no'])[1 + u.last_name::int % 3],
          date_trunc('milliseconds', now()) + u.last_name::int * interval '1 millisecond'
        from event_times t, members m join users u on u.id = m.user_id
        where t.event_id = ${id} and m.club_id = ${to.id} and u.first_name = 'Voter'`,
  );
}

test('voters: the event lists the first twenty voters of each time, and pages list each of the other voters once [POLL-02 T50]', async () => {
  const group = await w.club([ada, bob]);
  const poll = await w.poll(group, ada);
  await crowd(poll, group, 250);
  const [time] = (await bob.api.events.get({ event: poll.id })).times;
  expect(time).toMatchObject({ yes_count: 83, if_needed_count: 84, no_count: 83 });
  expect(time?.voters.map(({ vote: which }) => which)).toEqual(Array.from({ length: 20 }, () => 'yes'));
  const seen = [...(time?.voters ?? [])];
  const sizes = [];
  for (let after = time?.more_voters; after;) {
    const page = await bob.api.polls.voters({ event: poll.slug, time: poll.times[0], after });
    sizes.push(page.voters.length);
    seen.push(...page.voters);
    after = page.more;
  }
  expect(sizes).toEqual([100, 100, 30]);
  expect(new Set(seen.map(({ attendee_id }) => attendee_id)).size).toBe(250);
  const order = ['yes', 'if_needed', 'no'];
  const places = seen.map(({ vote: which, last_name }) => 1000 * order.indexOf(which) + Number(last_name));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  await expect(eve.api.polls.voters({ event: poll.id, time: poll.times[0] })).rejects.toEqual(
    apiError(403, 'not_member'),
  );
  await expect(
    bob.api.polls.voters({ event: poll.id, time: poll.times[0], after: 'no cursor' }),
  ).rejects.toEqual(apiError(400, 'bad_input'));
});

const storedCounts = (event: string) =>
  all(
    w.db,
    sql`select yes_count, if_needed_count, no_count,
          coalesce((select suited from event_counts c where c.event_id = t.event_id), 0) as suited
        from event_times t where event_id = ${event} order by id`,
  );
const votesCounted = (event: string) =>
  all(
    w.db,
    sql`select count(*) filter (where vote = 'yes')::int as yes_count,
          count(*) filter (where vote = 'if_needed')::int as if_needed_count,
          count(*) filter (where vote = 'no')::int as no_count, (
            select count(distinct user_id)::int from time_votes where event_id = ${event} and vote <> 'no') as suited
        from event_times t left join time_votes v on v.time_id = t.id where t.event_id = ${event}
        group by t.id order by t.id`,
  );

const randomVote = () => Vote.options[Math.floor(Math.random() * 3)] as Vote;

test('counts: equal the votes after every kind of change, including changes by another release and deletions [POLL-02]', async () => {
  const group = await w.club([ada, bob, cyd]);
  const poll = await w.poll(group, ada, { at: [24, 48, 72] });
  const [first, second] = poll.times;
  await crowd(poll, group, 30);
  const changes: (() => Promise<unknown>)[] = [
    () => vote(bob, poll, 'yes', 'if_needed', 'no'),
    () => vote(bob, poll, 'no', 'no', 'no'),
    () => vote(bob, poll, 'no', 'no', 'yes'),
    () => vote(cyd, poll, 'no', 'no', 'no'),
    ...Array.from({ length: 20 }, () => () => {
      return vote(
        [ada, bob, cyd][Math.floor(Math.random() * 3)] as Person,
        poll,
        randomVote(),
        randomVote(),
        randomVote(),
      );
    }),
    () => run(w.db, sql`update time_votes set vote = 'no' where time_id = ${first}`),
    () =>
      run(
        w.db,
        sql`update time_votes set vote = case vote when 'no' then 'yes' else 'no' end where event_id = ${poll.id}`,
      ),
    () => run(w.db, sql`delete from time_votes where time_id = ${second} and vote = 'yes'`),
    () => run(w.db, sql`delete from users where first_name = 'Voter' and last_name::int < 10`),
    () => cyd.api.members.leave({ club: group.id }),
  ];
  await run(w.db, sql`delete from rate_limits`);
  for (const change of changes) {
    await change();
    await run(w.db, sql`delete from rate_limits`);
    expect(await storedCounts(poll.id), String(change)).toEqual(await votesCounted(poll.id));
  }
  const { audience } = await ada.api.events.get({ event: poll.id });
  const others = sql<{ count: number }>`
    select count(distinct user_id)::int as count from time_votes where event_id = ${poll.id} and vote <> 'no' and user_id <> ${ada.id}`;
  expect(audience?.followers).toBe((await all(w.db, others))[0]?.count);
  await ada.api.polls.decide({ event: poll.id, time: first });
  expect(await storedCounts(poll.id)).toEqual([{ yes_count: 0, if_needed_count: 0, no_count: 0, suited: 0 }]);
  await ada.api.clubs.remove({ club: group.id });
  expect(await all(w.db, sql`select from event_counts where event_id = ${poll.id}`)).toEqual([]);
});

const names = (people: { first_name: string }[]) => people.map(({ first_name }) => first_name);

test('decide: votes become answers in the order of voting, and the event keeps its id [POLL-04]', async () => {
  const [dan, fay] = [await w.person('Dan'), await w.person('Fay')];
  const group = await w.club([ada, bob, cyd, dan, fay]);
  const poll = await w.poll(group, ada, { capacity: 2 });
  await vote(ada, poll, 'yes', 'no');
  await vote(dan, poll, 'no', 'no');
  await vote(cyd, poll, 'yes', 'yes');
  await vote(bob, poll, 'no', 'yes');
  await vote(fay, poll, 'yes', 'if_needed');
  // A repeated vote keeps its time, and with it the order in which seats are given.
  await vote(cyd, poll, 'no', 'yes');
  const [, time] = poll.times;
  const offered = (await ada.api.events.get({ event: poll.id })).times[1];
  await expect(bob.api.polls.decide({ event: poll.id, time })).rejects.toEqual(apiError(403, 'not_admin'));
  await expect(ada.api.polls.decide({ event: poll.id, time: club.id })).rejects.toEqual(
    apiError(404, 'not_found'),
  );
  const { start_time, end_time } = offered ?? {};
  const fixed = { slug: poll.slug, start_time, end_time };
  const decide = () => ada.api.polls.decide({ event: poll.slug, time });
  expect(await decide()).toEqual(fixed);
  const event = await bob.api.events.get({ event: poll.slug });
  expect(event).toMatchObject({
    id: poll.id,
    ...fixed,
    entry_until_time: start_time,
    polling: false,
    times: [],
    version: 1,
    user_count: 2,
    no_count: 1,
    waiting_count: 1,
    my_answer: 'waiting',
    moved_from: null,
    changes: [{ kind: 'decided', changed_by: { first_name: 'Ada' }, after: { start_time, end_time } }],
  });
  expect(names(event.attendees)).toEqual(['Ada', 'Cyd']);
  expect(names(event.waiting)).toEqual(['Bob']);
  expect(names(event.maybe)).toEqual(['Fay']);
  expect(event.attendees[0]).toMatchObject({ attendee_role: 'organiser' });
  // A repeat changes nothing, and another time is refused.
  expect(await decide()).toEqual(fixed);
  expect(await bob.api.events.get({ event: poll.slug })).toMatchObject({ version: 1 });
  await expect(ada.api.polls.decide({ event: poll.id, time: poll.times[0] })).rejects.toEqual(
    apiError(409, 'time_fixed'),
  );
  await expect(vote(bob, poll, 'yes', 'no')).rejects.toEqual(apiError(409, 'event_closed'));
  await bob.api.answers.answer({ event: poll.id, answer: 'no' });
});

test('decide: refused for an event without open times', async () => {
  const usual = await w.event(club, ada);
  const poll = await w.poll(club, ada);
  const decide = (event: string) => ada.api.polls.decide({ event, time: poll.times[0] });
  await expect(decide(usual.id)).rejects.toEqual(apiError(409, 'time_fixed'));
  await ada.api.events.cancel({ event: poll.id });
  await expect(decide(poll.id)).rejects.toEqual(apiError(409, 'event_cancelled'));
});

/** The entries of a feed, keyed by UID. */
async function entriesOf(feed: string): Promise<Map<string, Record<string, string>>> {
  const text = (await (await fetch(w.origin + feed)).text()).replaceAll('\r\n ', '');
  const entries = text.split('BEGIN:VEVENT').slice(1);
  return new Map(
    entries.map((entry) => {
      const lines = entry.split('\r\n').map((line): [string, string] => {
        const [name = '', ...value] = line.split(':');
        return [name, value.join(':')];
      });
      const values = Object.fromEntries(lines);
      return [values['UID'] ?? '', values];
    }),
  );
}

test('feeds: each open time is a tentative entry of its own until one of the times is fixed [POLL-06]', async () => {
  const iris = await w.person('Iris');
  const group = await w.club([ada, iris]);
  const [user] = await all(
    w.db,
    sql<{ personal: string; club: string }>`
      select u.calendar_secret as personal, m.calendar_secret as club from users u join members m on m.user_id = u.id
      where u.id = ${iris.id} and m.club_id = ${group.id}`,
  );
  const personal = () => entriesOf(`/api/v1/users/${user?.personal}/ical/calendar.ics`);
  const ofClub = () => entriesOf(`/api/v1/clubs/${group.id}/ical/${user?.club}/calendar.ics`);
  const poll = await w.poll(group, ada, { at: [24, 48, 72] });
  const [one, two, three] = poll.times;
  expect([...(await ofClub()).keys()]).toEqual(poll.times);
  expect((await personal()).has(one)).toBe(false);
  await vote(iris, poll, 'no', 'yes', 'if_needed');
  const entries = await personal();
  expect([...entries.keys()]).toEqual([two, three]);
  for (const entry of [...entries.values(), ...(await ofClub()).values()])
    expect(entry).toMatchObject({
      SUMMARY: 'Time poll: Tuesday run',
      STATUS: 'TENTATIVE',
      TRANSP: 'TRANSPARENT',
      URL: expect.stringContaining(`/app/events/${poll.slug}`),
    });
  // A new vote changes the feeds at once, and a time that has passed disappears at once.
  await vote(iris, poll, 'yes', 'yes', 'no');
  expect([...(await personal()).keys()]).toEqual([one, two]);
  await inTransaction(w.db, (db) => passTimes(db, at(25)));
  expect([...(await personal()).keys()]).toEqual([two]);
  expect([...(await ofClub()).keys()]).toEqual([two, three]);
  const file = () => send(w, iris, `GET /v1/events/${poll.id}/calendar.ics`).catch(() => undefined);
  expect(await file()).toMatchObject({ status: 409, error: 'time_open' });
  await ada.api.polls.decide({ event: poll.id, time: two ?? '' });
  for (const feed of [await personal(), await ofClub()]) {
    expect([...feed.keys()]).toEqual([poll.id]);
    expect(feed.get(poll.id)).toMatchObject({
      SUMMARY: 'Tuesday run',
      STATUS: 'CONFIRMED',
      TRANSP: 'OPAQUE',
    });
  }
});

const messages = async (person: Person) =>
  (await person.api.notifications.list({})).map(({ message }) => message);

test('notices: all members get a notice of a poll and of its decision; voters get the latter regardless of their settings [POLL-05]', async () => {
  const [jon, kim] = [await w.person('Jon'), await w.person('Kim')];
  const group = await w.club([ada, jon, kim]);
  const poll = await w.poll(group, ada, { name: 'Picnic' });
  const nudge = 'Pick your times: Picnic';
  for (const person of [jon, kim]) expect(await messages(person)).toEqual([nudge]);
  expect(await messages(ada)).not.toContain(nudge);
  const invitation = await mailTo(jon, 'Which time suits you?');
  expect(invitation.subject).toBe('Which time suits you? Picnic');
  expect(invitation.text).toContain('Ada is looking for a time that suits everyone.');
  expect(invitation.text).toContain('Time 2:');
  expect(invitation.text).not.toContain('/answer/');
  expect(invitation.attachments).toEqual([]);

  await vote(jon, poll, 'yes', 'yes');
  for (const person of [jon, kim])
    await person.api.notifications.saveSettings({ event_updated: false, email_event_updated: false });
  const { start_time } = await ada.api.polls.decide({ event: poll.id, time: poll.times[1] });
  await ada.api.polls.decide({ event: poll.id, time: poll.times[1] });
  const when = shortDayAndTime(start_time, 'UTC');
  expect(await messages(jon)).toEqual([`Ada chose the time of “Picnic”: ${when}.`, nudge]);
  expect(await messages(kim)).toEqual([nudge]);
  // Emails wait until the change is final.
  await w.hurry();
  const fixed = await mailTo(jon, 'Fixed');
  expect(fixed.subject).toBe(`Fixed: Picnic, ${when}`);
  expect(fixed.attachments).toHaveLength(1);
  expect(
    (await w.outbox()).filter(({ to }) => to?.[0]?.address === kim.email).map(({ subject }) => subject),
  ).not.toContain(fixed.subject);
});

test('notices: when a poll is cancelled, only members who voted yes or if needed for one of its times get a notice', async () => {
  const [lea, max] = [await w.person('Lea'), await w.person('Max')];
  const group = await w.club([ada, lea, max]);
  const poll = await w.poll(group, ada);
  await vote(lea, poll, 'no', 'if_needed');
  await vote(max, poll, 'no', 'no');
  await ada.api.events.cancel({ event: poll.id });

  expect((await messages(lea))[0]).toContain('cancelled');
  expect((await messages(max))[0]).not.toContain('cancelled');
});

test('export: contains the votes of the user, and nobody else’s', async () => {
  const ned = await w.person('Ned');
  const group = await w.club([ada, ned]);
  const poll = await w.poll(group, ada, { name: 'Picnic' });
  await vote(ned, poll, 'if_needed', 'no');
  await vote(ada, poll, 'yes', 'yes');
  expect(await votesOf(w.db, ned.id)).toMatchObject([
    { event_name: 'Picnic', vote: 'if_needed' },
    { event_name: 'Picnic', vote: 'no' },
  ]);
});

test('end of a membership: votes on events that have not ended are deleted, votes on past events stay', async () => {
  const [gil, hal] = [await w.person('Gil'), await w.person('Hal')];
  const group = await w.club([ada, gil, hal]);
  const [upcoming, past] = [await w.poll(group, ada), await w.poll(group, ada)];
  for (const person of [gil, hal]) for (const poll of [upcoming, past]) await vote(person, poll, 'yes', 'no');
  await run(
    w.db,
    sql`update events set start_time = ${instant(0)}, end_time = ${instant(1000)} where id = ${past.id}`,
  );
  const voted = async (person: Person) => {
    const rows = await all(
      w.db,
      sql<{ event_id: string }>`select distinct event_id from time_votes where user_id = ${person.id}`,
    );
    return rows.map(({ event_id }) => event_id);
  };
  await gil.api.members.leave({ club: group.id });
  await ada.api.members.eject({ club: group.id, member: hal.id });
  for (const person of [gil, hal]) expect(await voted(person)).toEqual([past.id]);
});
