import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let dan: Person;
let club: ClubHandle;

/** Ada, Cyd and Dan are admins, Bob is a member. */
beforeAll(async () => {
  w = await world();
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  [cyd, dan] = [await w.person('Cyd'), await w.person('Dan')];
  club = await w.club([ada, bob, cyd, dan]);
  for (const { id } of [cyd, dan]) await ada.api.members.changeRole({ club: club.id, member: id, role: 200 });
});
afterAll(() => w[Symbol.asyncDispose]());

const apiError = (status: number, error: string) => expect.objectContaining({ status, error });
const handOver = ({ api }: Person, event: string, { id: user_id }: Person) =>
  api.hosts.handOver({ event, user_id });
const roles = async (event: string) =>
  Object.fromEntries(
    (await ada.api.events.get({ event })).attendees.map(({ first_name, attendee_role }) => [
      first_name,
      attendee_role,
    ]),
  );
const messages = async ({ api }: Person) =>
  (await api.notifications.list({})).map(({ message }) => message).filter((text) => text.includes('host of'));

test('host: when an admin takes over, the former host stays going and gets a notice, and the history contains the change [HOST-01]', async () => {
  const { slug } = await w.event(club, ada, { name: 'Run' });
  await cyd.api.answers.answer({ event: slug, answer: 'no' });
  const host = { host_first_name: 'Cyd', host_last_name: '', host_profile_picture_url: null };
  expect(await handOver(cyd, slug, cyd)).toEqual({ host, my_role: 'organiser' });
  expect(await roles(slug)).toEqual({ Ada: 'attendee', Cyd: 'organiser' });
  expect(await messages(ada)).toEqual(['Cyd took over from you as the host of “Run”.']);
  expect(await messages(cyd)).toEqual([]);
  expect((await bob.api.events.get({ event: slug })).changes).toMatchObject([
    { kind: 'host', changed_by: { first_name: 'Cyd' }, new_host: { first_name: 'Cyd' } },
  ]);
  expect(await handOver(cyd, slug, cyd)).toEqual({ host, my_role: 'organiser' });
  expect((await ada.api.events.get({ event: slug })).changes).toHaveLength(1);
  await expect(ada.api.events.cancel({ event: slug })).rejects.toEqual(apiError(403, 'not_host'));
  await cyd.api.events.cancel({ event: slug });
  await expect(handOver(ada, slug, ada)).rejects.toEqual(apiError(409, 'event_cancelled'));
});

test('host: an admin, or a host who is not an admin, makes another admin the host; the new and the former host get a notice [HOST-01]', async () => {
  const { slug } = await w.event(club, cyd, { name: 'Swim' });
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 0 });
  expect(await handOver(cyd, slug, dan)).toMatchObject({ my_role: 'attendee' });
  expect(await messages(dan)).toEqual(['Cyd made you a host of “Swim”.']);
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
  expect(await handOver(ada, slug, cyd)).toMatchObject({ my_role: null });
  expect(await messages(dan)).toEqual([
    'Ada made someone else the host of “Swim”.',
    'Cyd made you a host of “Swim”.',
  ]);
  expect(await roles(slug)).toEqual({ Cyd: 'organiser', Dan: 'attendee' });
});

test('host: only a member of the club can become host; a refused request changes nothing [HOST-01]', async () => {
  const { slug } = await w.event(club, ada);
  const eve = await w.person('Eve');
  await w.club([eve], 'Evening Readers');
  const state = () =>
    all(
      w.db,
      sql`select to_jsonb(a) as row from answers a union all select to_jsonb(h) from event_changes h`,
    );
  const before = await state();
  for (const next of [eve, { ...bob, id: club.id }])
    await expect(handOver(ada, slug, next)).rejects.toEqual(apiError(404, 'not_found'));
  await expect(handOver(bob, slug, ada)).rejects.toEqual(apiError(403, 'not_runner'));
  await expect(handOver(eve, slug, eve)).rejects.toEqual(apiError(403, 'not_member'));
  expect(await state()).toEqual(before);
  await run(
    w.db,
    sql`update events set start_time = now() - interval '2 h', end_time = now() - interval '1 h' where slug = ${slug}`,
  );
  await expect(handOver(cyd, slug, cyd)).rejects.toEqual(apiError(409, 'event_ended'));
});

test('host: a member becomes the first host, and may make another member one [HOST-01 HOST2-04]', async () => {
  const { slug } = await w.event(club, ada, { name: 'Row' });
  await handOver(ada, slug, bob);
  expect(await roles(slug)).toEqual({ Ada: 'attendee', Bob: 'organiser' });
  expect(await messages(bob)).toEqual(['Ada made you a host of “Row”.']);
  expect(await handOver(bob, slug, dan)).toMatchObject({ my_role: 'attendee' });
});
