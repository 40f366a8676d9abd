import { expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { clubsOf, eventsOf, manyPeople, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

test(
  'check-ins: when two people check in members concurrently, no tap is lost, and for each member the last tap counts [CAME-03]',
  async () => {
    await using w = await world();
    const [ada, bob, ...others] = (await manyPeople(w, 14)) as [Person, Person, ...Person[]];
    const events = await eventsOf(w, await clubsOf(w, [ada, bob], others), ada);
    await sql`update events set start_time = now(), end_time = now() + interval '1 hour', entry_until_time = now()`.execute(
      w.db,
    );
    for (const event of events) {
      const [half, rest] = [others.slice(0, 6), others.slice(6)];
      const tap = ({ api }: Person, people: Person[], came: boolean | null) =>
        outcomeOf(api.checkins.save({ event, users: people.map(({ id }) => ({ user_id: id, came })) }));
      const byAda = async () => [await tap(ada, half, false), await tap(ada, half, true)];
      const byBob = async () => [await tap(bob, rest, true), await tap(bob, rest.toReversed(), null)];
      // Both check in the same people, in opposite orders, so that one of them waits.
      const both = [tap(ada, [...others], false), tap(bob, others.toReversed(), false)];
      expect(await Promise.all(both)).toEqual(['ok', 'ok']);
      expect((await Promise.all([byAda(), byBob()])).flat()).toEqual(['ok', 'ok', 'ok', 'ok']);
      const rows = await all(
        w.db,
        sql<{
          user_id: string;
          came: boolean;
        }>`select user_id, came from check_ins where event_id = ${event}`,
      );
      expect(new Map(rows.map(({ user_id, came }) => [user_id, came]))).toEqual(
        new Map(half.map(({ id }) => [id, true])),
      );
    }
  },
  timeout,
);
