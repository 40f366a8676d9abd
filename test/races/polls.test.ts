import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, manyPeople, rounds, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

const pause = () => sleep(Math.random() * 8);

/** Creates a poll in a new club for each round. */
async function pollsOf(w: World, admins: Person[], members: Person[]) {
  const clubs = await clubsOf(w, admins, members);
  return Promise.all(
    clubs.map((id) => w.poll({ id, slug: '', club_name: '' }, admins[0] as Person, { capacity: 3 })),
  );
}

const answersTo = async ({ db }: World, event: string) => {
  const rows = await all(
    db,
    sql<{ user_id: string; answer: Answer }>`select user_id, answer from answers where event_id = ${event}`,
  );
  return new Map(rows.map(({ user_id, answer }) => [user_id, answer]));
};

test(
  'decide: when it is concurrent with votes, each vote either becomes an answer or is refused [POLL-07]',
  async () => {
    await using w = await world();
    const [ada, ...members] = (await manyPeople(w, 6)) as [Person, ...Person[]];
    const seen = new Set<string>();
    for (const { id: event, times } of await pollsOf(w, [ada], members)) {
      const [time, other] = times;
      const votes = [
        { time, vote: 'yes' as const },
        { time: other, vote: 'no' as const },
      ];
      const [decided, ...voted] = await Promise.all([
        pause().then(() => outcomeOf(ada.api.polls.decide({ event, time }))),
        ...members.map(({ api }) => pause().then(() => outcomeOf(api.polls.vote({ event, votes })))),
      ]);
      expect(decided).toBe('ok');
      const answers = await answersTo(w, event);
      for (const [nth, outcome] of voted.entries()) {
        seen.add(outcome);
        expect(['ok', '409 event_closed']).toContain(outcome);
        const answer = answers.get(members[nth]?.id ?? '');
        expect(outcome === 'ok' ? ['going', 'waiting'] : [undefined]).toContain(answer);
      }
      const count = voted.filter((outcome) => outcome === 'ok').length;
      expect(await ada.api.events.get({ event })).toMatchObject({
        polling: false,
        user_count: 1 + Math.min(2, count),
        waiting_count: Math.max(0, count - 2),
      });
    }
    if (rounds >= 50) expect(seen.size).toBe(2);
    expect(await all(w.db, sql`select from time_votes`)).toEqual([]);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'decide: of two concurrent decisions, one sets the time and the other is refused [POLL-07]',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    for (const { id: event, times } of await pollsOf(w, [ada, bob], [cyd])) {
      await cyd.api.polls.vote({
        event,
        votes: times.map((time, nth) => ({ time, vote: nth === 0 ? 'yes' : 'if_needed' })),
      });
      const offered = (await ada.api.events.get({ event })).times;
      const results = await Promise.all(
        [ada, bob].map(({ api }, nth) =>
          pause().then(() => outcomeOf(api.polls.decide({ event, time: times[nth] ?? '' }))),
        ),
      );
      expect(results.toSorted()).toEqual(['409 time_fixed', 'ok']);
      const fixed = results.indexOf('ok');
      const { start_time, changes } = await ada.api.events.get({ event });
      expect(start_time).toBe(offered[fixed]?.start_time);
      expect(changes.map(({ kind }) => kind)).toEqual(['decided']);
      expect((await answersTo(w, event)).get(cyd.id)).toBe(fixed === 0 ? 'going' : 'maybe');
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);
