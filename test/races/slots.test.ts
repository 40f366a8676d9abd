import { expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { clubsOf, eventsOf, manyPeople, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

test(
  'slots: concurrent claims, some of which are given back, never exceed the places [SLOTS-02]',
  async () => {
    await using w = await world();
    const [ada, ...others] = (await manyPeople(w, 9)) as [Person, ...Person[]];
    for (const event of await eventsOf(w, await clubsOf(w, [ada], others), ada)) {
      const { slots } = await ada.api.slots.create({ event, kind: 'lift', title: 'Station', places: 3 });
      const slot = slots[0]?.id ?? '';
      const claims = others.map(({ api }, nth) =>
        outcomeOf(api.slots.claim({ slot, places: (nth % 2) + 1 })),
      );
      const leave = outcomeOf((others[0] as Person).api.answers.unattend({ event }));
      const outcomes = await Promise.all(claims);
      expect(await leave).toBe('ok');
      expect(outcomes.filter((outcome) => outcome !== 'ok' && outcome !== '409 slot_full')).toEqual([]);
      const [taken] = await all(
        w.db,
        sql<{
          places: number;
        }>`select coalesce(sum(places), 0)::int as places from slot_claims where slot_id = ${slot}`,
      );
      expect(taken?.places).toBeLessThanOrEqual(3);
      expect(taken?.places).toBeGreaterThan(0);
    }
  },
  timeout,
);
