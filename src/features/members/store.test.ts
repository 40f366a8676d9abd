import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db.ts';
import { outcomeOf, whileHeld } from '#test/calls.ts';
import { world } from '#test/world.ts';

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
