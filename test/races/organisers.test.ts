import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, manyPeople, recordChanges, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

const pause = () => sleep(Math.random() * 8);

test(
  'organisers_plan: after it is switched off, no concurrent request of an organiser creates an event or an update [ROLE2-07]',
  async () => {
    await using w = await world();
    const [ada, olga] = (await manyPeople(w, 2)) as [Person, Person];
    const clubs = await clubsOf(w, [ada], [olga]);
    await run(w.db, sql`update clubs set organisers_plan = true`);
    await run(w.db, sql`update members set club_role = 100 where user_id = ${olga.id}`);
    const takeChanges = await recordChanges(w, 'clubs', 'events', 'posts');
    const [start_time, end_time] = [addSeconds(w.now(), 86_400), addSeconds(w.now(), 90_000)];
    const seen = new Set<string>();
    for (const [nth, club] of clubs.entries()) {
      await takeChanges();
      // The order of the first two rounds is fixed, so that both orders occur.
      const created = Promise.withResolvers<unknown>();
      const switching = (nth === 1 ? created.promise : nth % 2 ? pause() : Promise.resolve()).then(() =>
        ada.api.clubs.update({ club, organisers_plan: false }),
      );
      if (nth === 0) await switching;
      const creating = [
        olga.api.events.create({ club, name: 'Race', location_name: 'Pier', start_time, end_time }),
        olga.api.updates.publish({ club, content: 'News' }),
      ].map(outcomeOf);
      void Promise.all(creating).then(created.resolve);
      const [event, update] = await Promise.all(creating);
      await switching;
      const order = (await takeChanges()).map(({ operation }) => operation);
      const before = order.slice(0, order.indexOf('UPDATE clubs'));
      expect(order.slice(before.length)).toEqual(['UPDATE clubs']);
      expect([event, update]).toEqual([
        before.includes('INSERT events') ? 'ok' : '403 not_admin',
        before.includes('INSERT posts') ? 'ok' : '403 not_admin',
      ]);
      seen.add(`${event}, ${update}`);
    }
    expect([...seen]).toEqual(expect.arrayContaining(['ok, ok', '403 not_admin, 403 not_admin']));
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);
