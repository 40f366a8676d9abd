import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import {
  broken,
  clubsOf,
  eachRound,
  eventsOf,
  manyPeople,
  recordChanges,
  timeout,
} from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

const pause = () => sleep(Math.random() * 8);

const answer = fc.oneof(
  fc.record({
    answer: fc.constantFrom('going' as const, 'maybe' as const, 'no' as const),
    guests: fc.nat({ max: 3 }),
    note: fc.constantFrom('', 'Late'),
  }),
  fc.constantFrom('attend' as const, 'unattend' as const),
);
type Given = typeof answer extends fc.Arbitrary<infer Value> ? Value : never;

const give = ({ api }: Person, event: string, given: Given) =>
  outcomeOf(
    typeof given === 'string' ? api.answers[given]({ event }) : api.answers.answer({ event, ...given }),
  );

/** Removes the limit of ten answers a minute, which these tests are not about. */
const withoutLimit = ({ db }: World) => run(db, sql`delete from rate_limits`);

/** The counts that the event shows, and those of the stored rows. */
async function counts(w: World, reader: Person, event: string) {
  const { user_count, guest_count, attendees } = await reader.api.events.get({ event });
  const rows = await all(
    w.db,
    sql<{ user_id: string; guests: number }>`
      select user_id, guests from answers where event_id = ${event} and answer = 'going'`,
  );
  return {
    said: [user_count, guest_count, attendees.map(({ attendee_id }) => attendee_id).toSorted()],
    stored: [
      rows.length,
      rows.reduce((sum, { guests }) => sum + guests, 0),
      rows.map(({ user_id }) => user_id).toSorted(),
    ],
  };
}

test(
  'answers: fifty concurrent answers of one member leave one row [ANSWER-13]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const events = await eventsOf(w, await clubsOf(w, [ada], [bob]), ada);
    await run(w.db, sql`update events set guests_max = 3`);
    for (const event of events) {
      for (const limited of [false, true]) {
        await withoutLimit(w);
        // The first time, the rate limit allows all answers; the second time, it allows ten.
        if (!limited)
          await run(
            w.db,
            sql`insert into rate_limits (key, taken, window_ends_at)
                values (${`answers:${event}:${bob.id}`}, -50, ${w.now()}::timestamptz + interval '60 s')`,
          );
        const given = fc.sample(answer, 50);
        const outcomes = await Promise.all(given.map((each) => give(bob, event, each)));
        expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(limited ? 10 : 50);
        const rows = await all(
          w.db,
          sql`select from answers where event_id = ${event} and user_id = ${bob.id}`,
        );
        expect(rows).toHaveLength(1);
        const { said, stored } = await counts(w, ada, event);
        expect(said).toEqual(stored);
      }
    }
  },
  timeout,
);

test(
  'answers: after a thousand random answers of twenty members, the counts equal the rows [ANSWER-13]',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 21)) as [Person, ...Person[]];
    const clubs = await clubsOf(w, [ada], people, Math.max(2, Math.ceil(eachRound.length / 20)));
    const events = await eventsOf(w, clubs, ada);
    await run(w.db, sql`update events set guests_max = 3`);
    // Every other event has too few seats for all.
    for (const event of events.filter((_, nth) => nth % 2 === 1))
      await run(w.db, sql`update events set capacity = 30 where id = ${event}`);
    for (const event of events)
      await fc.assert(
        fc.asyncProperty(fc.array(answer, { minLength: 1000, maxLength: 1000 }), async (given) => {
          for (let start = 0; start < given.length; start += 100) {
            await withoutLimit(w);
            const outcomes = await Promise.all(
              given
                .slice(start, start + 100)
                .map((each, nth) => give(people[nth % 20] as Person, event, each)),
            );
            for (const outcome of outcomes) expect(['ok', '409 no_seats_left']).toContain(outcome);
            const { said, stored } = await counts(w, ada, event);
            expect(said).toEqual(stored);
          }
        }),
        { numRuns: 1, endOnFailure: true },
      );
    expect(await broken(w)).toEqual([]);
  },
  timeout * 2,
);

test(
  'answers: no answer commits after the cancellation of its event [ANSWER-13]',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 7)) as [Person, ...Person[]];
    const events = await eventsOf(w, await clubsOf(w, [ada], people), ada);
    const takeChanges = await recordChanges(w, 'events', 'answers');
    const seen = { ok: 0, refused: 0 };
    for (const [nth, event] of events.entries()) {
      await takeChanges();
      // The order of the first two rounds is fixed, so that both orders occur. Afterwards the sides take turns at being
      // delayed.
      const oneAnswers = Promise.withResolvers<unknown>();
      const cancelling = (nth === 1 ? oneAnswers.promise : nth % 2 ? pause() : Promise.resolve()).then(() =>
        ada.api.events.cancel({ event }),
      );
      const outcomes = await Promise.all(
        people.map(async ({ api }, who) => {
          if (nth === 0) await cancelling;
          else if (nth % 2 === 0) await pause();
          const chosen = (['going', 'maybe', 'no'] as const)[who % 3] ?? 'no';
          const outcome = await outcomeOf(api.answers.answer({ event, answer: chosen }));
          oneAnswers.resolve(outcome);
          return outcome;
        }),
      );
      await cancelling;
      for (const outcome of outcomes) {
        expect(['ok', '409 event_cancelled']).toContain(outcome);
        seen[outcome === 'ok' ? 'ok' : 'refused'] += 1;
      }
      const operations = (await takeChanges()).map(({ operation, row }) =>
        operation.endsWith('events') && row['deleted_at'] ? 'cancelled' : operation,
      );
      const cancelled = operations.indexOf('cancelled');
      expect(cancelled).toBeGreaterThanOrEqual(0);
      expect(operations.slice(cancelled).filter((operation) => operation.endsWith('answers'))).toEqual([]);
      expect(operations.filter((operation) => operation === 'INSERT answers')).toHaveLength(
        outcomes.filter((outcome) => outcome === 'ok').length,
      );
    }
    expect(Math.min(seen.ok, seen.refused)).toBeGreaterThan(0);
  },
  timeout,
);
