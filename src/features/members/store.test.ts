import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { byText } from '#platform/db/text.ts';
import { cursorOf } from '#platform/db/pagination.ts';
import { outcomeOf, whileHeld } from '#test/calls.ts';
import { clubsOf, manyPeople } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

test('eject: refused when the admin is demoted while the request waits for the lock [C2]', async () => {
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

test('leave: removes an attendance that was added concurrently', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  const { id } = await w.event(club, ada);
  const leaves = await whileHeld(
    w,
    sql`select 1 from events where id = ${id} for no key update`,
    () => bob.api.members.leave({ club: club.id }),
    (held) =>
      run(held, sql`insert into answers (event_id, user_id, answered_at) values (${id}, ${bob.id}, now())`),
  );
  expect(leaves).toBe('ok');
  expect(await all(w.db, sql`select user_id from answers`)).toEqual([{ user_id: ada.id }]);
});

interface Named {
  first: string;
  last: string;
  role: number;
}

const clubOf = async (w: World, admin: Person) => (await clubsOf(w, [admin], [], 1))[0] as string;

/** Adds members that have no session. */
const addMembers = (w: World, club: string, people: readonly Named[]) =>
  run(
    w.db,
    sql`with people as materialized (
          select gen_random_uuid() as id, p.* from unnest(${people.map(({ first }) => first)}::text[],
            ${people.map(({ last }) => last)}::text[], ${people.map(({ role }) => role)}::int[]) as p (f, l, r)
        ), made as (
          insert into users (id, email, first_name, last_name, calendar_secret, created_at)
          select id, id || '@example.org', f, l, id, now() from people)
        insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
        select ${club}, id, r, id, now() from people`,
  );

describe('member list of a large club', () => {
  interface Place {
    after?: string;
  }
  interface Page {
    members: { id: string }[];
    more: string | null;
  }

  async function readAll(ask: (place: Place) => Promise<Page>, between = async () => {}): Promise<string[]> {
    const seen: string[] = [];
    for (let place: Place = {}; ;) {
      const { members, more } = await ask(place);
      expect(members.length).toBeLessThanOrEqual(100);
      seen.push(...members.map(({ id }) => id));
      if (more === null) return seen;
      place = { after: more };
      await between();
    }
  }

  const name = fc.constantFrom('', 'Ada', 'ada', 'Bob', 'Zoë', 'Émile', "O'Neil", '"\\%_', '李');
  const named = fc.record({ first: name, last: name, role: fc.constantFrom(0, 0, 0, 100, 200) });

  test('returns every member once and in order, page by page, while others join and leave', async () => {
    await using w = await world();
    const [ada] = (await manyPeople(w, 1)) as [Person];
    await fc.assert(
      fc.asyncProperty(fc.array(named, { minLength: 150, maxLength: 400, size: 'max' }), async (people) => {
        const club = await clubOf(w, ada);
        await addMembers(w, club, people);
        const order = (by: ReturnType<typeof sql>) =>
          all(
            w.db,
            sql<{ id: string }>`select u.id from members m join users u on u.id = m.user_id
                 where m.club_id = ${club} order by ${by}`,
          );
        const [first, last] = [byText(sql`u.first_name`), byText(sql`u.last_name`)];
        const byName = sql`u.first_name = '', ${first}, ${last}, u.id`;
        for (const [ask, by] of [
          [(place: Place) => ada.api.members.ofClub({ club, ...place }), sql`m.club_role desc, ${byName}`],
          [(place: Place) => ada.api.members.forAdmin({ club, ...place }), byName],
        ] as const) {
          const before = (await order(by)).map(({ id }) => id);
          const seen = await readAll(ask, async () => {
            await addMembers(w, club, people.slice(0, 3));
            await run(
              w.db,
              sql`delete from members where user_id = (select user_id from members
                    where club_id = ${club} and user_id <> ${ada.id} order by md5(user_id::text) limit 1)`,
            );
          });
          expect(new Set(seen).size).toBe(seen.length);
          const after = new Set((await order(by)).map(({ id }) => id));
          const stayed = before.filter((id) => after.has(id));
          const stayedIds = new Set(stayed);
          expect(seen.filter((id) => stayedIds.has(id))).toEqual(stayed);
        }
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });

  test('shows the first hundred members on the club page; my_club_role is the role of a viewer who is not among them', async () => {
    await using w = await world();
    const [ada, zoe] = (await manyPeople(w, 2)) as [Person, Person];
    const club = await clubOf(w, ada);
    await addMembers(
      w,
      club,
      Array.from({ length: 150 }, (_, n) => ({ first: `P${n}`, last: '', role: 0 })),
    );
    await run(w.db, sql`update users set first_name = 'Zoe' where id = ${zoe.id}`);
    await run(w.db, sql`insert into members values (${club}, ${zoe.id}, 0, 'zoe', now())`);
    const page = await zoe.api.clubs.get({ club });
    expect(page).toMatchObject({ member_count: 152, my_club_role: 0 });
    expect(page.members).toHaveLength(100);
    expect(page.members[0]?.id).toBe(ada.id);
    expect(page.members.some(({ id }) => id === zoe.id)).toBe(false);
    const rest = await zoe.api.members.ofClub({ club, after: page.more_members ?? '' });
    expect([rest.members.length, rest.members.at(-1)?.id, rest.more]).toEqual([52, zoe.id, null]);
    await ada.api.members.changeRole({ club, member: zoe.id, role: 200 });
    expect((await zoe.api.clubs.get({ club })).my_club_role).toBe(200);
    expect((await ada.api.clubs.get({ club })).members.slice(0, 2).map(({ id }) => id)).toEqual([
      ada.id,
      zoe.id,
    ]);
    const admins = await ada.api.clubs.getForAdmin({ club });
    expect(admins.members_for_admin).toHaveLength(100);
    const last = await ada.api.members.forAdmin({ club, after: admins.more_members_for_admin ?? '' });
    expect([last.members.at(-1)?.id, last.members.at(-1)?.email, last.more]).toEqual([
      zoe.id,
      zoe.email,
      null,
    ]);
  });

  test('search matches any part of names and email addresses literally, without wildcards', async () => {
    await using w = await world();
    const [ada] = (await manyPeople(w, 1)) as [Person];
    const club = await clubOf(w, ada);
    const people = ['Ann Lee', 'Annabel Ash', '50% Off', 'a_b Under'].map((full) => {
      const [first = '', last = ''] = full.split(' ');
      return { first, last, role: 0 };
    });
    await addMembers(w, club, people);
    const found = async (q: string) =>
      (await ada.api.members.forAdmin({ club, q })).members.map((member) => member.first_name);
    expect(await found('ann')).toEqual(['Ann', 'Annabel']);
    expect(await found('LEE ann')).toEqual(['Ann']);
    expect(await found('%')).toEqual(['50%']);
    expect(await found('_')).toEqual(['a_b']);
    expect(await found(ada.email.toUpperCase())).toEqual(['Racer']);
    expect(await found('nobody of this name')).toEqual([]);
    expect(await found(' ')).toHaveLength(5);
  });

  const nobody = '00000000-0000-0000-0000-000000000000';
  test.each([
    ['that is malformed', 'x'],
    ['with an unknown role', cursorOf([300, 'Ada', '', nobody])],
    ['with a name that no row can have', cursorOf([0, 'A\0da', '', nobody])],
    ['with a lone surrogate', cursorOf([0, '\ud800', '', nobody])],
    ['of an event list', cursorOf(['2026-01-01T00:00:00Z', nobody])],
  ])('rejects a cursor %s', async (_what, after) => {
    await using w = await world();
    const [ada] = (await manyPeople(w, 1)) as [Person];
    const club = await clubOf(w, ada);
    expect(await outcomeOf(ada.api.members.ofClub({ club, after }))).toBe('400 bad_input');
    expect(await outcomeOf(ada.api.members.forAdmin({ club, after }))).toBe('400 bad_input');
  });
});
