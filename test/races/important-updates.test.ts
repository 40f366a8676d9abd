import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, codeFor, eachRound, manyPeople, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

const pause = () => sleep(Math.random() * 8);

test(
  'remind: of twenty concurrent reminders of two planners, one is sent [READ-07]',
  async () => {
    await using w = await world();
    const [ada, bob, ...members] = (await manyPeople(w, 5)) as [Person, Person, ...Person[]];
    for (const club of await clubsOf(w, [ada, bob], members)) {
      const { id: update } = await ada.api.updates.publish({ club, content: 'News', important: true });
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, nth) =>
          pause().then(() => outcomeOf((nth % 2 ? ada : bob).api.updates.remind({ club, update }))),
        ),
      );
      expect(outcomes.toSorted()).toEqual([...Array(19).fill('429 reminded_lately'), 'ok']);
      const sent = await first(
        w.db,
        sql`select count(*)::int as notices, count(distinct dedupe_key)::int as reminders from notices
            where facts @> ${JSON.stringify({ update_id: update, reminder: 1 })}::jsonb`,
      );
      // Bob is a reader too: he gets the reminder of Ada, and not his own.
      expect(sent).toMatchObject({ reminders: 1 });
      expect([3, 4]).toContain((sent as { notices: number }).notices);
      expect(
        await first(w.db, sql`select reminders from update_reminders where update_id = ${update}`),
      ).toEqual({
        reminders: 1,
      });
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'read against the deletion of the update, of the membership and of the account: it is kept with all three, or refused [READ-02 READ-05 READ-09]',
  async () => {
    await using w = await world();
    const [ada, staying] = (await manyPeople(w, 2)) as [Person, Person];
    for (const nth of eachRound) {
      const [leaving, deleted] = (await manyPeople(w, 2)) as [Person, Person];
      const [club = ''] = await clubsOf(w, [ada], [staying, leaving, deleted], 1);
      const { id: update } = await ada.api.updates.publish({ club, content: 'News', important: true });
      const code = await codeFor(w, deleted.email, 'ABCDEF', 'deletion');
      const read = ({ api }: Person) =>
        pause()
          .then(() => outcomeOf(api.updates.read({ club, update })))
          .then((outcome) => expect(['ok', '404 not_found', '401 not_signed_in']).toContain(outcome));
      await Promise.all([
        ...[staying, leaving, deleted].map(read),
        pause().then(() => leaving.api.members.leave({ club })),
        pause().then(() => deleted.api.account.remove({ code })),
        ...(nth % 2 ? [pause().then(() => ada.api.updates.remove({ club, update }))] : []),
      ]);
      const kept = await all(
        w.db,
        sql<{ user_id: string }>`select user_id from update_reads where update_id = ${update}`,
      );
      if (nth % 2) expect(kept).toEqual([]);
      else {
        expect(kept).toContainEqual({ user_id: staying.id });
        expect(kept).not.toContainEqual({ user_id: deleted.id });
        expect((await ada.api.updates.readers({ club, update })).readers).toMatchObject([{ id: staying.id }]);
      }
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'read: a thousand members at once change nothing on the page of the club but the time of each [READ-08]',
  async () => {
    await using w = await world();
    const [ada, ...members] = (await manyPeople(w, 1000)) as [Person, ...Person[]];
    const [club = ''] = await clubsOf(w, [ada], members, 1);
    await run(w.db, sql`update members set joined_at = now() - interval '1 hour'`);
    const { id: update } = await ada.api.updates.publish({ club, content: 'News', important: true });
    const watching = [ada, ...members.filter((_, nth) => nth % 50 === 0)];
    const pages = () =>
      Promise.all(
        watching.map(async ({ session }) => {
          const response = await fetch(`${w.origin}/api/v1/clubs/${club}`, {
            headers: { authorization: `Bearer ${session.read()?.AccessToken.Token}` },
          });
          return response.text();
        }),
      );
    const before = await pages();
    const readAt = await Promise.all(
      members.map(async ({ api }) => (await api.updates.read({ club, update })).my_read_at),
    );
    const own = [null, ...readAt.filter((_, nth) => nth % 50 === 0)];
    const field = /"latest_update_read_at":(null|"[^"]+")/;
    for (const [nth, page] of (await pages()).entries()) {
      expect(field.exec(page)?.[1]).toBe(JSON.stringify(own[nth]));
      expect(page.replace(field, '"latest_update_read_at":null')).toBe(before[nth]);
    }
    expect(await ada.api.updates.readers({ club, update })).toMatchObject({ read_count: 999, others: 0 });
  },
  timeout,
);
