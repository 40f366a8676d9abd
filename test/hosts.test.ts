import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { broken, codeFor } from '#test/races/people.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let ben: Person;
let cyd: Person;
let dan: Person;
let zoe: Person;
let club: ClubHandle;
let event: string;

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());
/** A club of Ada, its admin, with the members Ben, Cyd and Dan, and an event of Ada. Zoe is an outsider. */
beforeEach(async () => {
  [ada, ben, cyd] = [await w.person('Ada'), await w.person('Ben'), await w.person('Cyd')];
  [dan, zoe] = [await w.person('Dan'), await w.person('Zoe')];
  club = await w.club([ada, ben, cyd, dan]);
  event = (await w.event(club, ada, { name: 'Run' })).slug;
});

const addHost = ({ api }: Person, { id: user }: Person, at = event) => api.hosts.add({ event: at, user });
const removeHost = ({ api }: Person, { id: user }: Person, at = event) =>
  api.hosts.remove({ event: at, user });
const makeFirst = ({ api }: Person, { id: user_id }: Person, at = event) =>
  api.hosts.handOver({ event: at, user_id });
const hostsOf = async (at = event) =>
  (await ada.api.events.get({ event: at })).attendees.flatMap(({ first_name, attendee_role }) =>
    attendee_role === 'organiser' ? [first_name] : [],
  );
const goingTo = async (at = event) =>
  (await ada.api.events.get({ event: at })).attendees.map(({ first_name }) => first_name).toSorted();
const notices = async ({ api }: Person) =>
  (await api.notifications.list({}))
    .map(({ message }) => message)
    .filter((message) => message.includes('host'));
const namesOf = ({ hosts }: { hosts: { first_name: string }[] }) => hosts.map(({ first_name }) => first_name);
const rolesIn = (people: { first_name: string; attendee_role: string | null }[]) =>
  people.map(({ first_name, attendee_role }) => [first_name, attendee_role]);
const stateOf = () =>
  all(
    w.db,
    sql`select to_jsonb(a) as row from answers a union all select to_jsonb(h) from event_changes h
        union all select to_jsonb(n) from notices n`,
  );

test('hosts: a planner or the first host adds any member, who is going then; a repetition changes nothing [HOST2-01]', async () => {
  await ben.api.answers.answer({ event, answer: 'no' });
  expect(namesOf(await addHost(ada, ben))).toEqual(['Ada', 'Ben']);
  expect(namesOf(await addHost(ada, cyd))).toEqual(['Ada', 'Ben', 'Cyd']);
  expect(await hostsOf()).toEqual(['Ada', 'Ben', 'Cyd']);
  expect(await ben.api.events.get({ event })).toMatchObject({ my_role: 'organiser', my_answer: 'going' });
  const before = await stateOf();
  expect(namesOf(await addHost(ada, ben))).toEqual(['Ada', 'Ben', 'Cyd']);
  expect(await stateOf()).toEqual(before);
  // A first host who is no planner adds hosts too.
  await makeFirst(ada, ben);
  expect(namesOf(await addHost(ben, dan))).toEqual(['Ben', 'Dan', 'Cyd']);
});

test('hosts: refused for other members, other hosts, outsiders and non-members, after six hosts, and once the event is over or cancelled [HOST2-01]', async () => {
  await addHost(ada, ben);
  const before = await stateOf();
  for (const person of [ben, dan]) expect(await outcomeOf(addHost(person, cyd))).toBe('403 not_runner');
  expect(await outcomeOf(addHost(zoe, zoe))).toBe('403 not_member');
  for (const stranger of [zoe, { ...zoe, id: club.id }])
    expect(await outcomeOf(addHost(ada, stranger))).toBe('404 not_found');
  expect(await stateOf()).toEqual(before);

  const many = [];
  for (let nth = 0; nth < 4; nth++) many.push(await w.person(`Host${nth}`));
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  for (const person of many) {
    await person.api.invites.join({ invite });
    await addHost(ada, person);
  }
  expect(await outcomeOf(addHost(ada, dan))).toBe('409 too_many_hosts');
  expect(await hostsOf()).toHaveLength(6);
  expect(await goingTo()).not.toContain('Dan');

  const over = (await w.event(club, ada)).slug;
  await run(
    w.db,
    sql`update events set start_time = now() - interval '2 h', end_time = now() - interval '1 h' where slug = ${over}`,
  );
  await ada.api.events.cancel({ event });
  for (const [at, error] of [
    [event, '409 event_cancelled'],
    [over, '409 event_ended'],
  ] as const)
    for (const change of [addHost, removeHost, makeFirst])
      expect(await outcomeOf(change(ada, ben, at))).toBe(error);
});

test('hosts: each may cancel, read answers, answer for others, nudge and check in; a member among them edits nothing [HOST2-02]', async () => {
  const { slug } = await w.event(club, ada, { startsIn: 1 });
  await addHost(ada, ben, slug);
  await cyd.api.answers.answer({ event: slug, answer: 'maybe', note: 'Late' });
  const { answers } = await ben.api.answers.list({ event: slug, state: 'maybe' });
  expect(answers).toMatchObject([{ first_name: 'Cyd', note: 'Late' }]);
  await ben.api.answers.answerFor({ event: slug, user: dan.id, answer: 'maybe' });
  await ben.api.answers.nudge({ event: slug, to: 'maybe' });
  await ben.api.checkins.save({ event: slug, users: [{ user_id: dan.id, came: true }] });
  expect((await ben.api.events.get({ event: slug })).audience).not.toBeNull();
  for (const organisers_plan of [true, false]) {
    await ada.api.clubs.update({ club: club.id, organisers_plan });
    const edit = ben.api.events.edit({ event: slug, club: club.id, name: 'Mine' });
    expect(await outcomeOf(edit)).toBe('403 not_admin');
  }
  await ben.api.events.cancel({ event: slug });
  expect((await ada.api.events.get({ event: slug })).deleted_at).not.toBeNull();
});

test('hosts: cards and pages show the first host, lists begin with all hosts in their order, and no host can say no [HOST2-03]', async () => {
  await dan.api.answers.attend({ event });
  for (const host of [cyd, ben]) await addHost(ada, host);
  const page = await dan.api.events.get({ event });
  expect(page.host?.host_first_name).toBe('Ada');
  const roles = [
    ['Ada', 'organiser'],
    ['Cyd', 'organiser'],
    ['Ben', 'organiser'],
    ['Dan', 'attendee'],
  ];
  expect(rolesIn(page.attendees)).toEqual(roles);
  const { people } = await dan.api.answers.people({ event });
  expect(rolesIn(people)).toEqual(roles);
  const [card] = (await dan.api.events.ofClub({ club: club.id })).events;
  expect([card?.host?.host_first_name, rolesIn(card?.faces ?? [])]).toEqual(['Ada', roles]);
  const { answers } = await cyd.api.answers.list({ event });
  expect(rolesIn(answers).toSorted()).toEqual(roles.toSorted());
  for (const { api } of [ada, ben, cyd]) {
    expect(await outcomeOf(api.answers.unattend({ event }))).toBe('400 host_stays');
    expect(await outcomeOf(api.answers.answer({ event, answer: 'maybe' }))).toBe('400 host_stays');
  }
  const answerFor = ada.api.answers.answerFor({ event, user: ben.id, answer: 'no' });
  expect(await outcomeOf(answerFor)).toBe('400 host_stays');
});

test('hosts: a cached page and card show a new order at once [HOST2-03]', async () => {
  await addHost(ada, ben);
  const shown = async () => {
    const [card] = (await dan.api.events.ofClub({ club: club.id })).events;
    return [(await dan.api.events.get({ event })).host, card?.host].map((host) => host?.host_first_name);
  };
  expect(await shown()).toEqual(['Ada', 'Ada']);
  await removeHost(ada, ada);
  expect(await shown()).toEqual(['Ben', 'Ben']);
  expect((await dan.api.events.get({ event })).attendees[1]).toMatchObject({ attendee_role: 'attendee' });
  await makeFirst(ada, ada);
  expect(await shown()).toEqual(['Ada', 'Ada']);
});

test('hosts: another first host replaces the former one, who stays going; planners and the first host decide [HOST2-04 HOST-01]', async () => {
  for (const host of [ben, cyd]) await addHost(ada, host);
  expect(await outcomeOf(makeFirst(cyd, cyd))).toBe('403 not_runner');
  expect(await outcomeOf(makeFirst(ada, zoe))).toBe('404 not_found');
  expect(await makeFirst(ada, cyd)).toMatchObject({
    host: { host_first_name: 'Cyd' },
    my_role: 'attendee',
  });
  expect(await hostsOf()).toEqual(['Cyd', 'Ben']);
  expect(await goingTo()).toEqual(['Ada', 'Ben', 'Cyd']);
  expect(await makeFirst(cyd, dan)).toMatchObject({ host: { host_first_name: 'Dan' } });
  expect(await hostsOf()).toEqual(['Dan', 'Ben']);
  expect(await notices(cyd)).toEqual(['Ada made you a host of “Run”.']);
  expect(await notices(dan)).toEqual(['Cyd made you a host of “Run”.']);
  expect(await notices(ada)).toEqual([]);
  expect(await broken(w)).toEqual([]);
});

test('hosts: a host is removed or steps down and stays going; the next one becomes the first; the last one stays [HOST2-05]', async () => {
  const eve = await w.person('Eve');
  const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
  await eve.api.invites.join({ invite });
  await makeFirst(ada, ben);
  for (const host of [cyd, dan, eve]) await addHost(ben, host);
  for (const person of [ben, cyd]) expect(await outcomeOf(removeHost(person, zoe))).toMatch(/^40[34] not_/);
  expect(await outcomeOf(removeHost(cyd, dan))).toBe('403 not_runner');
  // The first host, who is no planner.
  expect(namesOf(await removeHost(ben, cyd))).toEqual(['Ben', 'Dan', 'Eve']);
  // Another host, who steps down.
  expect(namesOf(await removeHost(dan, dan))).toEqual(['Ben', 'Eve']);
  expect(await outcomeOf(removeHost(dan, eve))).toBe('403 not_runner');
  expect(namesOf(await removeHost(ben, ben))).toEqual(['Eve']);
  expect(await outcomeOf(removeHost(eve, eve))).toBe('409 last_host');
  // A planner, who hosts nothing. A repetition changes nothing.
  expect(namesOf(await removeHost(ada, ben))).toEqual(['Eve']);
  expect(await outcomeOf(removeHost(ada, zoe))).toBe('404 not_found');
  expect(await goingTo()).toEqual(['Ada', 'Ben', 'Cyd', 'Dan', 'Eve']);
  expect(await outcomeOf(ben.api.answers.list({ event }))).toBe('403 not_runner');
  expect(await outcomeOf(ben.api.answers.unattend({ event }))).toBe('ok');
  expect(await broken(w)).toEqual([]);
});

const planSeries = (count: number) =>
  ada.api.series.plan({
    ...newSeries,
    starts_on: addSeconds(w.now(), 86_400).slice(0, 10),
    club: club.id,
    count,
  });

test.each([
  ['leaves', () => ben.api.members.leave({ club: club.id })],
  ['is ejected', () => ada.api.members.eject({ club: club.id, member: ben.id })],
  [
    'deletes the account',
    async (): Promise<unknown> =>
      ben.api.account.remove({ code: await codeFor(w, ben.email, 'ABCDEF', 'deletion') }),
  ],
] as const)(
  'hosts: when the first host %s, the next host becomes the first, and without one the decision of before holds [HOST2-06]',
  async (_how, end) => {
    const alone = (await w.event(club, ada)).slug;
    const { id: series } = await planSeries(3);
    const dates = (await ada.api.series.get({ series })).events.map(({ slug }) => slug);
    await makeFirst(ada, ben, alone);
    for (const at of [event, ...dates]) {
      await makeFirst(ada, ben, at);
      await addHost(ada, cyd, at);
      await addHost(ada, dan, at);
      await removeHost(ada, cyd, at);
    }
    await end();
    for (const at of [event, ...dates]) expect(await hostsOf(at)).toEqual(['Dan']);
    expect(await hostsOf(alone)).toEqual(['Ada']);
    const { host, is_host } = await dan.api.series.get({ series });
    expect([host?.host_first_name, is_host]).toEqual(['Dan', true]);
    expect(await broken(w)).toEqual([]);
    await dan.api.series.end({ series });
  },
);

test('hosts: later dates of a series have the hosts of its last date, and a change of one date is for that date alone [HOST2-07]', async () => {
  const { id: series } = await planSeries(3);
  const datesOf = async () => (await ada.api.series.get({ series })).events.map(({ slug }) => slug);
  const [first = '', second = '', last = ''] = await datesOf();
  await addHost(ada, dan, first);
  for (const host of [ben, cyd]) await addHost(ada, host, last);
  await removeHost(ada, ben, last);
  await ada.api.series.edit({ series, count: 5 });
  expect(await Promise.all((await datesOf()).map(hostsOf))).toEqual([
    ['Ada', 'Dan'],
    ['Ada'],
    ['Ada', 'Cyd'],
    ['Ada', 'Cyd'],
    ['Ada', 'Cyd'],
  ]);
  expect(await hostsOf(second)).toEqual(['Ada']);
  // The hosts of the last date are those of the series, and may end it.
  expect((await dan.api.series.get({ series })).is_host).toBe(false);
  expect(await outcomeOf(dan.api.series.end({ series }))).toBe('403 not_host');
  expect((await cyd.api.series.get({ series })).is_host).toBe(true);
  await cyd.api.series.end({ series });
});

test('hosts: later dates have the former members among the hosts of a past date no more [HOST2-07]', async () => {
  const { id: series } = await planSeries(2);
  const [, last = ''] = (await ada.api.series.get({ series })).events.map(({ slug }) => slug);
  await addHost(ada, ben, last);
  await ben.api.members.leave({ club: club.id });
  await ada.api.series.edit({ series, count: 3 });
  const dates = (await ada.api.series.get({ series })).events.map(({ slug }) => slug);
  expect(await Promise.all(dates.map(hostsOf))).toEqual([['Ada'], ['Ada'], ['Ada']]);
});

test('hosts: the seventh seat of a full event is an extra one, and a seat of an added host takes nobody else’s [HOST2-01]', async () => {
  const { slug } = await w.event(club, ada, { capacity: 2 });
  await dan.api.answers.attend({ event: slug });
  await cyd.api.answers.attend({ event: slug });
  expect((await cyd.api.events.get({ event: slug })).my_answer).toBe('waiting');
  await addHost(ada, ben, slug);
  await addHost(ada, cyd, slug);
  expect((await ada.api.events.get({ event: slug })).user_count).toBe(4);
  const { answers } = await ada.api.answers.list({ event: slug });
  expect(answers.filter(({ over }) => over).map(({ first_name }) => first_name)).toEqual(['Ben', 'Cyd']);
  expect(await broken(w)).toEqual([]);
});

test('hosts: who becomes or stops being a host is told once, nobody about their own change, and the history says it [HOST2-08]', async () => {
  await addHost(ada, ben);
  expect(await notices(ben)).toEqual(['Ada made you a host of “Run”.']);
  await removeHost(ada, ben);
  expect(await notices(ben)).toEqual([
    'Ada removed you as a host of “Run”.',
    'Ada made you a host of “Run”.',
  ]);
  await addHost(ada, cyd);
  await removeHost(cyd, cyd);
  expect(await notices(cyd)).toEqual(['Ada made you a host of “Run”.']);
  expect(await notices(ada)).toEqual([]);
  // A host who becomes the first one is a host already.
  await addHost(ada, dan);
  await makeFirst(ada, dan);
  expect(await notices(dan)).toEqual(['Ada made you a host of “Run”.']);
  const history = (await dan.api.events.get({ event })).changes.map(({ kind, changed_by, new_host }) => [
    kind,
    changed_by?.first_name,
    new_host?.first_name,
  ]);
  expect(history).toEqual([
    ['host', 'Ada', 'Dan'],
    ['host_added', 'Ada', 'Dan'],
    ['host_removed', 'Cyd', 'Cyd'],
    ['host_added', 'Ada', 'Cyd'],
    ['host_removed', 'Ada', 'Ben'],
    ['host_added', 'Ada', 'Ben'],
  ]);
});

test('hosts: the email to a new host, and at most two emails about 30 changes to and fro [HOST2-08]', async () => {
  // The first email is about the new event.
  await w.mail(ben.email);
  await addHost(ada, ben);
  await w.hurry();
  const { subject, text } = await w.mail(ben.email, 1);
  expect(subject).toMatch(/^You're a host: Run, \w{3} \d+ \w{3}$/);
  expect(text).toContain('Ada made you a host of “Run”.');
  for (let nth = 0; nth < 29; nth++) await (nth % 2 ? addHost : removeHost)(ada, ben);
  await w.hurry();
  const last = await w.mail(ben.email, 2);
  expect(last.subject).toMatch(/^You're no longer a host: Run, \w{3} \d+ \w{3}$/);
  await expect.poll(() => all(w.db, sql`select from jobs where name = 'send_notice'`)).toEqual([]);
  const emails = (await w.outbox()).filter(({ to }) => to?.[0]?.address === ben.email);
  expect(emails).toHaveLength(3);
});

test('hosts: 30 changes of an event an hour, then 429 too_often [HOST2-08]', async () => {
  for (let nth = 0; nth < 15; nth++) {
    await addHost(ada, ben);
    await removeHost(ada, ben);
    // Repetitions do not count.
    await removeHost(ada, ben);
  }
  expect(await outcomeOf(addHost(ada, ben))).toBe('429 too_often');
  expect(await outcomeOf(makeFirst(ada, ben))).toBe('429 too_often');
  expect(await hostsOf()).toEqual(['Ada']);
  const other = (await w.event(club, ada)).slug;
  expect(await outcomeOf(addHost(ada, ben, other))).toBe('ok');
  w.later('61 minutes');
  expect(await outcomeOf(addHost(ada, ben))).toBe('ok');
});

test('hosts: the release before finds one host, and its writes leave exactly one first host [HOST2-09]', async () => {
  const { id } = await ada.api.events.get({ event });
  for (const host of [ben, cyd]) await addHost(ada, host);
  const oneHost = () =>
    all(
      w.db,
      sql`select u.first_name from answers a join users u on u.id = a.user_id
      where event_id = ${id} and attendee_role = 'organiser'`,
    );
  expect(await oneHost()).toEqual([{ first_name: 'Ada' }]);
  // It makes Cyd the host, and lets Ben say that he can't go.
  await run(
    w.db,
    sql`update answers set attendee_role = 'attendee' where event_id = ${id} and attendee_role = 'organiser'`,
  );
  await run(
    w.db,
    sql`insert into answers (event_id, user_id, attendee_role, answered_at) values (${id}, ${cyd.id}, 'organiser', now())
        on conflict (event_id, user_id) do update set attendee_role = 'organiser', answer = 'going'`,
  );
  await run(w.db, sql`update answers set answer = 'no' where event_id = ${id} and user_id = ${ben.id}`);
  expect(await oneHost()).toEqual([{ first_name: 'Cyd' }]);
  expect(await hostsOf()).toEqual(['Cyd']);
  expect(await goingTo()).toEqual(['Ada', 'Cyd']);
  expect(await broken(w)).toEqual([]);
});
