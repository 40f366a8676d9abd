import { expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { world, type Api, type ClubHandle, type Person, type World } from '#test/world.ts';

type Operation = (api: Api, club: ClubHandle, member: Person, link: string) => Promise<unknown>;

const adminOperations: Record<string, Operation> = {
  'see the members': (api, { id }) => api.clubs.getForAdmin({ club: id }),
  'change the club': (api, { id }) => api.clubs.update({ club: id, club_name: 'Mine now' }),
  'delete the club': (api, { id }) => api.clubs.remove({ club: id }),
  eject: (api, { id }, member) => api.members.eject({ club: id, member: member.id }),
  'change a role': (api, { id }, member) =>
    api.members.changeRole({ club: id, member: member.id, role: 200 }),
  'make a link': (api, { id }) => api.invites.create({ club_id: id }),
  'see the link': (api, { id }) => api.invites.ofClub({ club: id }),
  'delete the link': (api, _, __, link) => api.invites.remove({ invite: link }),
  publish: (api, { id }) => api.updates.publish({ club: id, content: 'News' }),
  'plan an event': (api, { id }) =>
    api.events.create({
      club: id,
      name: 'Run',
      location_name: 'Pier 3',
      start_time: '2100-01-01T10:00:00Z',
      end_time: '2100-01-01T11:00:00Z',
    }),
};

const allRows = (w: World) =>
  all(
    w.db,
    sql`select (select json_agg(c order by id) from clubs c) as clubs,
          (select json_agg(m order by club_id, user_id) from members m) as members,
          (select json_agg(l order by id) from invite_links l) as links,
          (select json_agg(u) from club_updates u) as updates, (select json_agg(e) from ejections e) as ejections,
          (select json_agg(e) from events e) as events`,
  );

test('admin operations: refused to everybody but admins, and a refused request changes nothing [ROLE-03 ROLE-04 ROLE-05 ROLE-06 ROLE-07 ROLE-08 ROLE-09 ROLE-11 ROLE-12 ROLE-14]', async () => {
  await using w = await world();
  const [ada, bob, gus, eve, zoe] = await people(w, 'Ada', 'Bob', 'Gus', 'Eve', 'Zoe');
  const club = await w.club([ada, bob, gus, eve]);
  await ada.api.members.changeRole({ club: club.id, member: gus.id, role: 100 });
  await ada.api.members.eject({ club: club.id, member: eve.id });
  await w.club([zoe], 'Somewhere else');
  const event = await w.event(club, ada);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });

  const before = await allRows(w);
  const errorCodes = [
    ['a member', bob.api, '403 not_admin'],
    ['an organiser', gus.api, '403 not_admin'],
    ['somebody ejected', eve.api, '404 not_found'],
    ['an admin of another club', zoe.api, '404 not_found'],
    ['nobody', w.anyone, '401 not_signed_in'],
  ] as const;
  for (const [who, api, error] of errorCodes)
    for (const [name, operation] of Object.entries(adminOperations))
      expect(`${who}, ${name}: ${await outcomeOf(operation(api, club, bob, invite_link))}`).toBe(
        `${who}, ${name}: ${error}`,
      );
  const edit = gus.api.events.edit({ event: event.slug, club: club.id, name: 'Mine now' });
  expect(await outcomeOf(edit)).toBe('403 not_admin');
  expect(await allRows(w)).toEqual(before);
});

test('leave: removes attendance at running and upcoming events and keeps attendance at past events [API-18 CLUB-28]', async () => {
  await using w = await world();
  const [ada, bob] = await people(w, 'Ada', 'Bob');
  const club = await w.club([ada, bob]);
  const past = await w.event(club, ada, { startsIn: 1, name: 'Past' });
  const running = await w.event(club, ada, { startsIn: 3, lasts: 5, name: 'Running' });
  const upcoming = await w.event(club, ada, { startsIn: 48, name: 'Coming' });
  for (const { slug } of [past, running, upcoming]) await bob.api.answers.attend({ event: slug });
  const other = await w.club([bob], 'Another club');
  const elsewhere = await w.event(other, bob);
  w.later('4 hours');

  const response = await bob.api.users.me({}).then(() => send(w, bob, `PUT /v1/clubs/${club.slug}/leave`));
  expect(response).toMatchObject({ status: 200, error: null, data: null });
  expect(await eventsOf(w, bob)).toEqual([elsewhere.id, past.id].sort());
  expect(await outcomeOf(bob.api.clubs.get({ club: club.id }))).toBe('404 not_found');
  expect(await outcomeOf(bob.api.members.leave({ club: club.id }))).toBe('404 not_found');
});

test('leave: refused to the only admin, with or without other members [API-18 CLUB-27 MEMBERS-11]', async () => {
  await using w = await world();
  const [ada, bob] = await people(w, 'Ada', 'Bob');
  const club = await w.club([ada, bob]);
  expect(await outcomeOf(ada.api.members.leave({ club: club.id }))).toBe('400 only_admin_left');
  await bob.api.members.leave({ club: club.id });
  expect(await outcomeOf(ada.api.members.leave({ club: club.id }))).toBe('400 only_admin_left');
});

test('leave: the longest-standing admin takes over hosting', async () => {
  await using w = await world();
  const [ada, bob, cyd] = await people(w, 'Ada', 'Bob', 'Cyd');
  const club = await w.club([ada, bob, cyd]);
  for (const { id } of [cyd, bob]) await ada.api.members.changeRole({ club: club.id, member: id, role: 200 });
  const hosted = await w.event(club, cyd);
  const both = await w.event(club, cyd, { name: 'The successor attends already' });
  await ada.api.answers.attend({ event: both.slug });
  const cancelled = await w.event(club, cyd, { name: 'Cancelled' });
  await cyd.api.events.cancel({ event: cancelled.slug });

  await cyd.api.members.leave({ club: club.id });
  expect(await rolesIn(w, hosted.id)).toEqual([[ada.id, 'organiser']]);
  expect(await rolesIn(w, both.id)).toEqual([[ada.id, 'organiser']]);
  expect(await rolesIn(w, cancelled.id)).toEqual([]);
});

test('eject: ends membership, upcoming attendance and the invite link; the ejecting admin takes over hosting [API-19]', async () => {
  await using w = await world();
  const [ada, bob, cyd] = await people(w, 'Ada', 'Bob', 'Cyd');
  const club = await w.club([ada, bob, cyd]);
  for (const { id } of [bob, cyd]) await ada.api.members.changeRole({ club: club.id, member: id, role: 200 });
  const hosted = await w.event(club, cyd);
  const { invite_link } = await cyd.api.invites.create({ club_id: club.id });

  const response = await send(w, bob, `PUT /v1/clubs/${club.slug}/eject/${cyd.id}`);
  expect(response).toMatchObject({ status: 200, data: null });
  expect(await rolesIn(w, hosted.id)).toEqual([[bob.id, 'organiser']]);
  expect(await outcomeOf(cyd.api.clubs.get({ club: club.id }))).toBe('404 not_found');
  expect(await outcomeOf(w.anyone.invites.get({ invite: invite_link }))).toBe('404 not_found');
});

test('eject: refused for oneself and for members of another club [API-19 MEMBERS-10 MEMBERS-11]', async () => {
  await using w = await world();
  const [ada, bob, zoe] = await people(w, 'Ada', 'Bob', 'Zoe');
  const club = await w.club([ada, bob]);
  const other = await w.club([zoe], 'Another club');
  const ejectHerself = () => outcomeOf(ada.api.members.eject({ club: club.id, member: ada.id }));
  expect(await ejectHerself()).toBe('400 only_admin_left');
  expect(await outcomeOf(ada.api.members.eject({ club: club.id, member: zoe.id }))).toBe('404 not_found');
  expect(await outcomeOf(zoe.api.members.eject({ club: other.id, member: bob.id }))).toBe('404 not_found');
  expect(await outcomeOf(bob.api.members.eject({ club: club.id, member: ada.id }))).toBe('403 not_admin');
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  expect(await ejectHerself()).toBe('400 not_yourself');
  expect(await rolesOf(w, club)).toEqual({ [ada.id]: 200, [bob.id]: 200 });
});

test('change role: accepts the three roles and keeps at least one admin [API-20 MEMBERS-09 ROLE-01]', async () => {
  await using w = await world();
  const [ada, bob, zoe] = await people(w, 'Ada', 'Bob', 'Zoe');
  const club = await w.club([ada, bob]);
  const give = (member: Person, role: 0 | 100 | 200) =>
    outcomeOf(ada.api.members.changeRole({ club: club.slug, member: member.id, role }));

  expect(await give(ada, 0)).toBe('400 only_admin_left');
  expect(await give(ada, 100)).toBe('400 only_admin_left');
  expect(await give(bob, 1 as never)).toBe('400 bad_input');
  expect(await give(zoe, 200)).toBe('404 not_found');
  const address = `PATCH /v1/clubs/${club.id}/role/${bob.id}`;
  expect(await send(w, ada, address, { role: 100 })).toMatchObject({ status: 200, data: null });
  expect(await rolesOf(w, club)).toEqual({ [ada.id]: 200, [bob.id]: 100 });
  expect(await give(bob, 200)).toBe('ok');
  expect(await give(ada, 0)).toBe('ok');
  expect(await rolesOf(w, club)).toEqual({ [ada.id]: 0, [bob.id]: 200 });
  expect(await give(bob, 0)).toBe('403 not_admin');
});

test('members: the database rejects a club without an admin [CONST-15]', async () => {
  await using w = await world();
  const [ada] = await people(w, 'Ada');
  await w.club([ada]);
  await expect(run(w.db, sql`delete from members`)).rejects.toThrow('no admin');
  await expect(run(w.db, sql`update members set club_role = 100`)).rejects.toThrow('no admin');
  expect(await first(w.db, sql`select club_role from members`)).toEqual({ club_role: 200 });
});

async function people<const Names extends string[]>(w: World, ...names: Names) {
  return (await Promise.all(names.map((name) => w.person(name)))) as { [Name in keyof Names]: Person };
}

const rolesOf = async (w: World, { id }: { id: string }) =>
  Object.fromEntries(
    (
      await all(
        w.db,
        sql<{
          user_id: string;
          club_role: number;
        }>`select user_id, club_role from members where club_id = ${id}`,
      )
    ).map(({ user_id, club_role }) => [user_id, club_role]),
  );

const rolesIn = async (w: World, event: string) =>
  (
    await all(
      w.db,
      sql<{ user_id: string; role: string }>`
        select user_id, attendee_role as role from answers where event_id = ${event} order by answered_at`,
    )
  ).map(({ user_id, role }) => [user_id, role]);

const eventsOf = async (w: World, { id }: Person) =>
  (
    await all(
      w.db,
      sql<{ event_id: string }>`select event_id from answers where user_id = ${id} order by event_id`,
    )
  ).map(({ event_id }) => event_id);

test('members: a search finds names that contain all words, never an email, in the usual order [CLUBUX-03]', async () => {
  await using w = await world();
  const ada = await w.person('Ada', 'Lovelace');
  const bob = await w.person('Bob', 'Adams');
  const carla = await w.person('Carla', 'Adams');
  const nameless = await w.person('');
  const club = await w.club([ada, bob, carla, nameless]);
  const found = async (q: string) =>
    (await bob.api.members.ofClub({ club: club.id, q })).members.map(({ first_name }) => first_name);
  expect(await found('ada')).toEqual(['Ada', 'Bob', 'Carla']);
  expect(await found('ADAMS car')).toEqual(['Carla']);
  expect(await found('ada@')).toEqual([]);
  expect(await found('example.org')).toEqual([]);
  expect(await found('  ')).toEqual(['Ada', 'Bob', 'Carla', '']);
});
