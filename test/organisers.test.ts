import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let olga: Person;
let bob: Person;
let zoe: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());
/** A club of Ada, its admin, Olga, an organiser, and Bob, a member. Zoe is an outsider. */
beforeEach(async () => {
  [ada, olga, bob, zoe] = [
    await w.person('Ada'),
    await w.person('Olga'),
    await w.person('Bob'),
    await w.person('Zoe'),
  ];
  club = await w.club([ada, olga, bob]);
  await ada.api.members.changeRole({ club: club.id, member: olga.id, role: 100 });
});

const letPlan = (organisers_plan: boolean) => ada.api.clubs.update({ club: club.id, organisers_plan });
const rightsOf = async ({ api }: Person) => ({
  page: (await api.clubs.get({ club: club.id })).is_planner,
  me: (await api.users.me({})).clubs.map(({ is_planner }) => is_planner),
});
const notices = async ({ api }: Person) => (await api.notifications.list({})).map(({ message }) => message);
const both = (is_planner: boolean) => ({ page: is_planner, me: [is_planner] });

test('organisers_plan: null until an admin decides, saved for admins alone, and refused if it is no boolean [ROLE2-01]', async () => {
  const line = `PATCH /v1/clubs/${club.slug}`;
  const stored = async () => (await bob.api.clubs.get({ club: club.id })).organisers_plan;
  const { version } = await ada.api.clubs.get({ club: club.id });
  expect(await stored()).toBeNull();
  for (const [person, status, error] of [
    [bob, 403, 'not_admin'],
    [olga, 403, 'not_admin'],
    [zoe, 404, 'not_found'],
  ] as const)
    expect(await send(w, person, line, { organisers_plan: true })).toMatchObject({ status, error });
  for (const organisers_plan of ['true', 1, null, {}])
    expect(await send(w, ada, line, { organisers_plan })).toMatchObject({ status: 400, error: 'bad_input' });
  expect(await stored()).toBeNull();
  for (const organisers_plan of [true, false]) {
    expect(await send(w, ada, line, { organisers_plan })).toMatchObject({ status: 200 });
    expect(await stored()).toBe(organisers_plan);
  }
  expect((await ada.api.clubs.get({ club: club.id })).version).toBe(version + 2);
  await letPlan(true);
  expect(await send(w, olga, line, { organisers_plan: false })).toMatchObject({ status: 403 });
});

test('is_planner: admins are, organisers with the switch on, members never [ROLE2-01 ROLE2-02]', async () => {
  for (const isOn of [undefined, true, false]) {
    if (isOn !== undefined) await letPlan(isOn);
    expect(await rightsOf(ada)).toEqual(both(true));
    expect(await rightsOf(olga)).toEqual(both(isOn === true));
    expect(await rightsOf(bob)).toEqual(both(false));
  }
  await letPlan(true);
  await ada.api.members.changeRole({ club: club.id, member: olga.id, role: 0 });
  expect(await rightsOf(olga)).toEqual(both(false));
});

test('an organiser who plans: the club gets the notices and has the limits that it has with admins [ROLE2-04]', async () => {
  await letPlan(true);
  const event = await w.event(club, olga, { name: 'Olga’s run' });
  for (let n = 0; n < 5; n++) await olga.api.updates.publish({ club: club.id, content: `News ${n}` });
  expect(await send(w, ada, `POST /v1/updates/${club.id}`, { content: 'More' })).toMatchObject({
    status: 429,
    error: 'too_often',
  });
  await expect.poll(() => notices(bob)).toHaveLength(6);
  expect(await notices(bob)).toContain('Olga planned “Olga’s run” in Harbour Rowers.');
  expect(await notices(olga)).toEqual([expect.stringMatching('made you an organiser')]);
  expect((await bob.api.events.get({ event: event.id })).host).toMatchObject({ host_first_name: 'Olga' });
});

test('an organiser who plans: edits events of others, undoes only their own change, and fixes the time of a poll [ROLE2-04]', async () => {
  await letPlan(true);
  const event = await w.event(club, ada);
  const poll = await w.poll(club, ada);
  await ada.api.events.edit({ event: event.slug, club: club.slug, name: 'By Ada' });
  await olga.api.events.edit({ event: event.slug, club: club.slug, name: 'By Olga' });
  const changes = (await olga.api.events.get({ event: event.id })).changes;
  const [last, earlier] = changes;
  expect(await outcomeOf(olga.api.events.undo({ event: event.slug, change: earlier?.id ?? '' }))).toMatch(
    /^403 not_yours|^409/,
  );
  await olga.api.events.undo({ event: event.slug, change: last?.id ?? '' });
  expect((await bob.api.events.get({ event: event.id })).name).toBe('By Ada');
  await olga.api.polls.decide({ event: poll.slug, time: poll.times[0] });
  expect(await outcomeOf(bob.api.events.edit({ event: event.slug, club: club.slug, name: 'Mine' }))).toBe(
    '403 not_admin',
  );
});

test('an organiser who plans: plans and edits a series, and ends only a series of their own [ROLE2-04 ROLE2-05]', async () => {
  await letPlan(true);
  const adas = await ada.api.series.plan({ ...newSeries, club: club.id });
  const olgas = await olga.api.series.plan({ ...newSeries, club: club.id });
  for (const { slug } of [adas, olgas]) await olga.api.series.edit({ series: slug, name: 'Renamed' });
  expect(await outcomeOf(olga.api.series.end({ series: adas.slug }))).toBe('403 not_host');
  expect(await outcomeOf(olga.api.series.end({ series: olgas.slug }))).toBe('ok');
  expect(await outcomeOf(bob.api.series.plan({ ...newSeries, club: club.id }))).toBe('403 not_admin');
});

test('an organiser who plans: uploads a picture for an update before having written one [ROLE2-04]', async () => {
  const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#456' } })
    .png()
    .toBuffer();
  const upload = () =>
    olga.api.media.addToUpdate({ club: club.id, file: new Blob([png], { type: 'image/png' }) });
  expect(await outcomeOf(upload())).toBe('403 not_author');
  await letPlan(true);
  const { name } = await upload();
  const { id } = await olga.api.updates.publish({ club: club.id, content: 'Look', pictures: [name] });
  const written = await ada.api.updates.publish({ club: club.id, content: 'By Ada' });
  await olga.api.updates.edit({ club: club.id, update: written.id, content: 'Edited by Olga' });
  await letPlan(false);
  await olga.api.updates.edit({ club: club.id, update: id, content: 'My own' });
  expect(
    await outcomeOf(olga.api.updates.edit({ club: club.id, update: written.id, content: 'Again' })),
  ).toBe('403 not_author');
});

test('an organiser who plans: runs every event of the club, but cancels none that somebody else hosts [ROLE2-05]', async () => {
  const event = await w.event(club, ada, { startsIn: 1 });
  await bob.api.answers.answer({ event: event.id, answer: 'going', note: 'Late' });
  const runs = {
    list: () => olga.api.answers.list({ event: event.id }),
    'answer for another': () =>
      olga.api.answers.answerFor({ event: event.id, user: bob.id, answer: 'maybe' }),
    nudge: () => olga.api.answers.nudge({ event: event.id, to: 'maybe' }),
    'check in': () => olga.api.checkins.save({ event: event.id, users: [{ user_id: bob.id, came: true }] }),
  };
  for (const [name, call] of Object.entries(runs))
    expect([name, await outcomeOf(call())]).toEqual([name, '403 not_runner']);
  await letPlan(true);
  const { answers } = await runs.list();
  expect(answers).toContainEqual(expect.objectContaining({ first_name: 'Bob', note: 'Late' }));
  expect(JSON.stringify(answers)).not.toContain('@');
  for (const [name, call] of Object.entries(runs))
    expect([name, await outcomeOf(call())]).toEqual([name, 'ok']);
  expect(await outcomeOf(olga.api.events.cancel({ event: event.id }))).toBe('403 not_host');
  const takeOver = olga.api.hosts.handOver({ event: event.id, user_id: olga.id });
  expect(await outcomeOf(takeOver)).toBe('ok');
  expect(await outcomeOf(olga.api.events.cancel({ event: event.id }))).toBe('ok');
});

test('host: an organiser takes over only while organisers plan, and is made a host like any member [ROLE2-02 ROLE2-04 HOST2-01]', async () => {
  const event = await w.event(club, ada);
  const takeOver = () => outcomeOf(olga.api.hosts.handOver({ event: event.id, user_id: olga.id }));
  expect(await takeOver()).toBe('403 not_runner');
  await ada.api.hosts.add({ event: event.id, user: olga.id });
  expect(await takeOver()).toBe('403 not_runner');
  await letPlan(true);
  expect(await takeOver()).toBe('ok');
});

test('switching off: ends the rights with the next request, and events keep their hosts [ROLE2-07]', async () => {
  await letPlan(true);
  const event = await w.event(club, olga);
  await letPlan(false);
  const start_time = addSeconds(w.now(), 3600);
  const planned = olga.api.events.create({
    club: club.id,
    name: 'Too late',
    location_name: 'Pier 3',
    start_time,
    end_time: addSeconds(start_time, 60),
  });
  expect(await outcomeOf(planned)).toBe('403 not_admin');
  expect(await outcomeOf(olga.api.updates.publish({ club: club.id, content: 'Late' }))).toBe('403 not_admin');
  expect(await all(w.db, sql`select 1 from events where name = 'Too late'`)).toEqual([]);
  const { host, my_role } = await olga.api.events.get({ event: event.id });
  expect([host?.host_first_name, my_role]).toEqual(['Olga', 'organiser']);
  expect((await olga.api.answers.list({ event: event.id })).answers.length).toBeGreaterThan(0);
  expect(await outcomeOf(olga.api.events.cancel({ event: event.id }))).toBe('ok');
});
