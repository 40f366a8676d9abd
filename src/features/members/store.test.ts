import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db.ts';
import { outcomeOf, whileHeld } from '#test/calls.ts';
import { world, type Person, type World } from '#test/world.ts';

const times = 50;

/** Clubs of which all of `admins` are admins. */
const clubsOf = (w: World, admins: Person[]) =>
  all(
    w.db,
    sql<{ id: string }>`
      with founded as (
        insert into clubs (id, slug, club_name, created_at)
        select gen_random_uuid(), 'race-' || gen_random_uuid(), 'Race', now() from generate_series(1, ${times}) returning id
      ), seated as (
        insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
        select id, admin, 200, gen_random_uuid(), now() from founded, unnest(${admins.map(({ id }) => id)}::uuid[]) as admin
      )
      select id from founded`,
  );

const withoutAdmin = (w: World) =>
  all(
    w.db,
    sql`select id from clubs where not exists (select from members where club_id = id and club_role = 200)`,
  );

const races: [string, string[], (club: string, ada: Person, bob: Person) => Promise<unknown>[]][] = [
  [
    'both leave',
    ['400 only_admin_left', 'ok'],
    (club, ada, bob) => [ada.api.members.leave({ club }), bob.api.members.leave({ club })],
  ],
  [
    'one leaves and the other steps down',
    ['400 only_admin_left', 'ok'],
    (club, ada, bob) => [
      ada.api.members.leave({ club }),
      bob.api.members.changeRole({ club, member: bob.id, role: 0 }),
    ],
  ],
  [
    'both step down',
    ['400 only_admin_left', 'ok'],
    (club, ada, bob) => [
      ada.api.members.changeRole({ club, member: ada.id, role: 100 }),
      bob.api.members.changeRole({ club, member: bob.id, role: 0 }),
    ],
  ],
  [
    'each takes the role of the other',
    ['403 not_admin', 'ok'],
    (club, ada, bob) => [
      ada.api.members.changeRole({ club, member: bob.id, role: 0 }),
      bob.api.members.changeRole({ club, member: ada.id, role: 0 }),
    ],
  ],
  [
    'each ejects the other',
    ['404 not_found', 'ok'],
    (club, ada, bob) => [
      ada.api.members.eject({ club, member: bob.id }),
      bob.api.members.eject({ club, member: ada.id }),
    ],
  ],
];

test.each(races)('two admins at the same moment: %s [CONST-15]', async (_, outcomes, start) => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  for (const { id } of await clubsOf(w, [ada, bob]))
    expect((await Promise.all(start(id, ada, bob).map(outcomeOf))).sort()).toEqual(outcomes);
  expect(await withoutAdmin(w)).toEqual([]);
});

test('an admin who is demoted while an ejection waits ejects nobody', async () => {
  await using w = await world();
  const [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
  const club = await w.club([ada, bob, cyd]);
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  const ejects = await whileHeld(
    w,
    sql`select 1 from clubs where id = ${club.id} for update`,
    () => bob.api.members.eject({ club: club.id, member: cyd.id }),
    (held) => run(held, sql`update members set club_role = 0 where user_id = ${bob.id}`),
  );
  expect(ejects).toBe('403 not_admin');
  expect(await outcomeOf(cyd.api.clubs.get({ club: club.id }))).toBe('ok');
});

test('who leaves in the moment of signing up for an event does not stay on its list', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  const { id } = await w.event(club, ada);
  const leaves = await whileHeld(
    w,
    sql`select 1 from events where id = ${id} for no key update`,
    () => bob.api.members.leave({ club: club.id }),
    (held) =>
      run(
        held,
        sql`insert into attendances (event_id, user_id, attended_at) values (${id}, ${bob.id}, now())`,
      ),
  );
  expect(leaves).toBe('ok');
  expect(await all(w.db, sql`select user_id from attendances`)).toEqual([{ user_id: ada.id }]);
});
