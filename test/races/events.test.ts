import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, manyPeople, eventsOf, recordChanges, timeout, rounds } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

const pause = () => sleep(Math.random() * 8);

test(
  'attend: ten concurrent requests of one user create one attendance and all succeed [C4]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    for (const event of await eventsOf(w, await clubsOf(w, [ada], [bob]), ada)) {
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => outcomeOf(bob.api.answers.attend({ event }))),
      );
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      expect((await ada.api.events.get({ event })).user_count).toBe(2);
    }
    expect(await first(w.db, sql`select count(*) from answers where user_id = ${bob.id}`)).toEqual({
      count: rounds,
    });
  },
  timeout,
);

test(
  'attend: refused once the event is cancelled, and each earlier attendee gets one notification [C8]',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 5)) as [Person, ...Person[]];
    const events = await eventsOf(w, await clubsOf(w, [ada], people), ada);
    const seen = { attended: 0, refused: 0 };
    for (const [nth, event] of events.entries()) {
      // The order of the first two rounds is fixed, so that both orders occur. Afterwards the sides take turns at being
      // delayed.
      const oneAttends = Promise.withResolvers<unknown>();
      const cancelling = (nth === 1 ? oneAttends.promise : nth % 2 ? pause() : Promise.resolve()).then(() =>
        ada.api.events.cancel({ event }),
      );
      const outcomes = await Promise.all(
        people.map(async (person) => {
          if (nth === 0) await cancelling;
          else if (nth % 2 === 0) await pause();
          const outcome = await outcomeOf(person.api.answers.attend({ event }));
          oneAttends.resolve(outcome);
          return outcome;
        }),
      );
      const cancelled = await cancelling;
      const rows = await all(
        w.db,
        sql<{ user_id: string; answered_at: Instant }>`
          select user_id, answered_at from answers where event_id = ${event} and attendee_role = 'attendee'`,
      );
      const notified = await all(
        w.db,
        sql<{ user_id: string }>`
          select user_id from notices where dedupe_key = ${event} and kind = 'event_cancelled'`,
      );
      const attended = people.filter((_, who) => outcomes[who] === 'ok').map(({ id }) => id);
      for (const outcome of outcomes) expect(['ok', '409 event_cancelled']).toContain(outcome);
      expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(attended.toSorted());
      expect(notified.map(({ user_id }) => user_id).toSorted()).toEqual(attended.toSorted());
      for (const { answered_at } of rows) expect(answered_at <= cancelled.deleted_at).toBe(true);
      seen.attended += attended.length;
      seen.refused += people.length - attended.length;
    }
    expect(Math.min(seen.attended, seen.refused)).toBeGreaterThan(0);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'answerFor: a member who leaves concurrently keeps no answer, and a runner who steps down concurrently gives none afterwards',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    const clubs = await clubsOf(w, [ada, bob], [cyd]);
    const events = await eventsOf(w, clubs, ada);
    const seen = new Set<string>();
    const takeChanges = await recordChanges(w, 'members', 'answers');
    for (const [nth, event] of events.entries()) {
      const club = clubs[nth] as string;
      await run(w.db, sql`delete from rate_limits`);
      // The order of the first two rounds is fixed, so that the answers succeed in one and fail in the other. Afterwards
      // the sides take turns at being delayed.
      const answered = Promise.withResolvers<void>();
      const leaving = (async () => {
        if (nth === 1) await answered.promise;
        else if (nth % 2 === 1) await pause();
        return outcomeOf(cyd.api.members.leave({ club }));
      })();
      const steppingDown = (nth < 2 ? answered.promise : pause()).then(() =>
        outcomeOf(ada.api.members.changeRole({ club, member: bob.id, role: 0 })),
      );
      const outcomes = await Promise.all(
        (['going', 'maybe'] as const).map(async (answer) => {
          if (nth === 0) await leaving;
          else if (nth % 2 === 0) await pause();
          return outcomeOf(bob.api.answers.answerFor({ event, user: cyd.id, answer }));
        }),
      );
      answered.resolve();
      const [left, demoted] = await Promise.all([leaving, steppingDown]);
      expect([left, demoted]).toEqual(['ok', 'ok']);
      for (const outcome of outcomes) {
        expect(['ok', '403 not_runner', '404 not_found']).toContain(outcome);
        seen.add(outcome);
      }
      const changes = await takeChanges();
      const steppedDown = changes.findIndex(({ operation }) => operation === 'UPDATE members');
      const lastAnswer = changes.findLastIndex(
        ({ operation, row }) => operation !== 'DELETE answers' && row['by_id'] === bob.id,
      );
      expect(lastAnswer).toBeLessThan(steppedDown);
      expect(
        await all(w.db, sql`select from answers where event_id = ${event} and user_id = ${cyd.id}`),
      ).toEqual([]);
    }
    expect(seen.size).toBeGreaterThan(1);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'seen: when several tabs mark a notification concurrently, the first time is kept [C19]',
  async () => {
    await using w = await world();
    const [ada] = (await manyPeople(w, 1)) as [Person];
    const rows = await all(
      w.db,
      sql<{ id: string }>`
        insert into notices (id, user_id, kind, dedupe_key, facts, created_at)
        select gen_random_uuid(), ${ada.id}, 'member_removed', gen_random_uuid(),
          jsonb_build_object('club_id', gen_random_uuid(), 'club_name', 'Rowers'), now()
        from generate_series(1, ${rounds}::int) returning id`,
    );
    const takeChanges = await recordChanges(w, 'notices');
    for (const { id } of rows) {
      await Promise.all(Array.from({ length: 4 }, () => ada.api.notifications.seen({ id })));
      const times = (await takeChanges()).map(({ row }) => row['seen_at']);
      expect(times.length).toBeGreaterThan(0);
      expect(new Set(times)).toEqual(new Set([times[0]]));
      await run(w.db, sql`delete from notices where id = ${id}`);
      await takeChanges();
    }
  },
  timeout,
);

test(
  'edit: when a new time is saved concurrently with answers, all requests succeed and every answer has the new times [TIME-16]',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 5)) as [Person, ...Person[]];
    const clubs = await clubsOf(w, [ada], people);
    const events = await eventsOf(w, clubs, ada);
    for (const [nth, event] of events.entries()) {
      const { start_time, owner_club_id: club } = await ada.api.events.get({ event });
      const next = addSeconds(start_time, 3600 * (1 + (nth % 40)));
      const results = await Promise.all([
        outcomeOf(pause().then(() => ada.api.events.edit({ event, club, start_time: next }))),
        ...people.map(async (person, who) => {
          await pause();
          return outcomeOf(person.api.answers.answer({ event, answer: who % 2 ? 'maybe' : 'going' }));
        }),
      ]);
      expect(new Set(results)).toEqual(new Set(['ok']));
      expect(
        await all(w.db, sql`select distinct event_start from answers where event_id = ${event}`),
      ).toEqual([{ event_start: next }]);
    }
  },
  timeout,
);
