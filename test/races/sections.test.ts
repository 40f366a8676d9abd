import { expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { clubsOf, eachRound, manyPeople, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

test(
  'an edit of sections against changes of the sections of members: each person is told at most once [SECT-09]',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    const clubs = await clubsOf(w, [ada, bob], [cyd, ...(await manyPeople(w, 3))]);
    for (const nth of eachRound) {
      const club = clubs[nth] ?? '';
      await run(w.db, sql`delete from rate_limits`);
      const saved = await ada.api.sections.save({ club, sections: [{ name: 'Tenor' }, { name: 'Bass' }] });
      const [tenor = '', bass = ''] = saved.map(({ id }) => id);
      const times = { start_time: '2099-01-01T10:00:00.000Z', end_time: '2099-01-01T11:00:00.000Z' };
      const plan = { club, name: 'Rehearsal', location_name: 'Hall', section_ids: [tenor], ...times };
      const { id: event } = await ada.api.events.create(plan);
      const edit = (section_ids: string[]) =>
        outcomeOf(ada.api.events.edit({ event, club, section_ids, announce: false }));
      const change = (section: string, part: 'add' | 'remove') =>
        outcomeOf(bob.api.sections.changeMembers({ club, section, [part]: [cyd.id] }));
      const outcomes = await Promise.all([
        edit([bass]),
        change(bass, 'add'),
        edit([]),
        change(tenor, 'add'),
        edit([tenor, bass]),
        change(bass, 'remove'),
      ]);
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      const notices = await all(
        w.db,
        sql<{ times: number }>`
          select count(*)::int as times from notices
          where kind = 'new_event' and facts ->> 'event_id' = ${event} group by user_id`,
      );
      expect(notices.every(({ times: n }) => n === 1)).toBe(true);
    }
  },
  timeout,
);

test(
  'a section that is removed while an event for it is planned: one of both succeeds [SECT-01]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const clubs = await clubsOf(w, [ada, bob]);
    for (const nth of eachRound) {
      const club = clubs[nth] ?? '';
      await run(w.db, sql`delete from rate_limits`);
      const [section] = await ada.api.sections.save({ club, sections: [{ name: 'Tenor' }] });
      const id = section?.id ?? '';
      const times = { start_time: '2099-01-01T10:00:00.000Z', end_time: '2099-01-01T11:00:00.000Z' };
      const plan = { club, name: 'Rehearsal', location_name: 'Hall', section_ids: [id], ...times };
      const outcomes = await Promise.all([
        outcomeOf(ada.api.events.create(plan)),
        outcomeOf(bob.api.sections.save({ club, remove: [id] })),
      ]);
      expect(['ok,409 section_in_use', '400 bad_input,ok']).toContain(outcomes.join());
      const left = sql`select count(*)::int as n from events where owner_club_id = ${club} and not exists (
        select from sections where id = ${id} and removed_at is null)`;
      expect(await first(w.db, left)).toEqual({ n: 0 });
    }
  },
  timeout,
);
