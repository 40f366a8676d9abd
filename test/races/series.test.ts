import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { broken, clubsOf, manyPeople, rounds, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

const weekdayOf = (day: Date) => day.getUTCDay() || 7;
const dayFrom = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const pause = () => sleep(Math.random() * 8);

test(
  'series: with a concurrent nightly job, cancellation, answers and a member who leaves, each date is created exactly once',
  async () => {
    await using w = await world();
    const [ada, bob, cyd, dan] = (await manyPeople(w, 4)) as [Person, Person, Person, Person];
    const clubs = await clubsOf(w, [ada], [bob, cyd, dan]);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const weekdays = [new Date(tomorrow).getUTCDay() || 7];
    for (const club of clubs) {
      await run(w.db, sql`delete from rate_limits`);
      const { id } = await ada.api.series.plan({
        club,
        name: 'Run',
        location_name: 'Pier',
        freq: 'weekly',
        weekdays,
        local_time: '12:00',
        minutes: 60,
        starts_on: tomorrow,
      });
      await cyd.api.series.standing({ series: id, answer: 'going' });
      const { events } = await ada.api.series.get({ series: id });
      const [cancelled = ''] = events.map((event) => event.id);
      await run(
        w.db,
        sql`delete from events where series_id = ${id} and start_time > now() + interval '20 days'`,
      );
      const extend = () =>
        run(w.db, sql`select enqueue_job('extend_series', ${JSON.stringify({ series: id })}::jsonb)`);
      const outcomes = await Promise.all([
        pause().then(() => outcomeOf(ada.api.events.cancel({ event: cancelled }))),
        pause().then(() => outcomeOf(bob.api.series.standing({ series: id, answer: 'going' }))),
        pause().then(() => outcomeOf(dan.api.answers.attend({ event: events[1]?.id ?? '' }))),
        pause().then(() => outcomeOf(cyd.api.members.leave({ club }))),
        ...[1, 2, 3].map(() => pause().then(async () => (await extend(), 'ok'))),
      ]);
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      await extend();
      await expect
        .poll(() => all(w.db, sql`select from jobs where name = 'extend_series' and attempts < max_attempts`))
        .toEqual([]);
      const dates = await all(
        w.db,
        sql<{ slot_on: string; going: number }>`
          select slot_on::text, (select count(*) from answers a where a.event_id = e.id and a.user_id = ${bob.id}) as going
          from events e where series_id = ${id} order by slot_on`,
      );
      expect(dates.length).toBe(13);
      // Bob goes to every date, except the cancelled one if it was cancelled before his answer.
      expect(dates.filter(({ going }) => going === 1).length).toBeGreaterThanOrEqual(12);
      expect(
        await all(
          w.db,
          sql`select from answers a join events e on e.id = a.event_id
        where e.series_id = ${id} and a.user_id = ${cyd.id}`,
        ),
      ).toEqual([]);
      expect(
        await all(w.db, sql`select from standing_answers where series_id = ${id} and user_id = ${cyd.id}`),
      ).toEqual([]);
    }
    expect(clubs.length).toBe(rounds);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'series: with an edit concurrent with the nightly job, a cancellation and answers, each date is created exactly once [SERIES-19]',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    const clubs = await clubsOf(w, [ada], [bob, cyd]);
    const start = new Date(Date.now() + 2 * 86_400_000);
    const nextDay = weekdayOf(new Date(start.getTime() + 86_400_000));
    for (const club of clubs) {
      await run(w.db, sql`delete from rate_limits`);
      const { id } = await ada.api.series.plan({
        ...newSeries,
        club,
        weekdays: [weekdayOf(start)],
        starts_on: start.toISOString().slice(0, 10),
      });
      const dates = (await ada.api.series.get({ series: id })).events.map((event) => event.id);
      const [cancelled = '', answered = ''] = dates;
      await run(w.db, sql`delete from events where id = ${dates[5]}`);
      const extend = () =>
        run(w.db, sql`select enqueue_job('extend_series', ${JSON.stringify({ series: id })}::jsonb)`);
      const outcomes = await Promise.all([
        pause().then(() =>
          outcomeOf(ada.api.series.edit({ series: id, weekdays: [nextDay], local_time: '20:00' })),
        ),
        pause().then(() => outcomeOf(ada.api.events.cancel({ event: cancelled }))),
        pause().then(() => outcomeOf(bob.api.answers.attend({ event: answered }))),
        pause().then(() => outcomeOf(cyd.api.series.standing({ series: id, answer: 'going' }))),
        ...[1, 2].map(() => pause().then(async () => (await extend(), 'ok'))),
      ]);
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      await extend();
      await expect
        .poll(() => all(w.db, sql`select from jobs where name = 'extend_series' and attempts < max_attempts`))
        .toEqual([]);
      const after = (await cyd.api.series.get({ series: id })).events;
      expect(new Set(after.map((event) => event.start_time)).size).toBe(after.length);
      expect(after.map((event) => event.id)).toEqual(
        expect.arrayContaining(dates.filter((date) => date !== dates[5])),
      );
      const planned = after.filter(({ deleted_at }) => !deleted_at);
      expect(planned.length).toBe(after.length - 1);
      for (const { start_time, my_answer } of planned) {
        expect([weekdayOf(new Date(start_time)), start_time.slice(11, 16)]).toEqual([nextDay, '20:00']);
        expect(my_answer).toBe('going');
      }
      expect((await bob.api.events.get({ event: answered })).my_answer).toBe('going');
    }
    expect(clubs.length).toBe(rounds);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'breaks: two admins who save them concurrently with the nightly job create the dates of a removed break once [C22]',
  async () => {
    await using w = await world();
    const [ada, abe, bob] = (await manyPeople(w, 3)) as [Person, Person, Person];
    const clubs = await clubsOf(w, [ada, abe], [bob]);
    for (const club of clubs) {
      await run(w.db, sql`delete from rate_limits`);
      const { id } = await ada.api.series.plan({
        ...newSeries,
        club,
        weekdays: [weekdayOf(new Date(dayFrom(2)))],
        starts_on: dayFrom(2),
      });
      await bob.api.series.standing({ series: id, answer: 'going' });
      const holidays = { first_on: dayFrom(8), last_on: dayFrom(17), name: 'Holidays' };
      const summer = { first_on: dayFrom(400), last_on: dayFrom(410), name: 'Summer' };
      await ada.api.series.saveBreaks({ club, breaks: [holidays], cancel: true });
      const before = (await bob.api.series.get({ series: id })).events;
      const extend = () =>
        run(w.db, sql`select enqueue_job('extend_series', ${JSON.stringify({ series: id })}::jsonb)`);
      // The admin who saves last decides which breaks there are.
      const outcomes = await Promise.all([
        pause().then(() => outcomeOf(ada.api.series.saveBreaks({ club, breaks: [] }))),
        pause().then(() => outcomeOf(abe.api.series.saveBreaks({ club, breaks: [summer] }))),
        pause().then(() => outcomeOf(abe.api.series.saveBreaks({ club, breaks: [summer] }))),
        ...[1, 2, 3].map(() => pause().then(async () => (await extend(), 'ok'))),
      ]);
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      await expect
        .poll(() => all(w.db, sql`select from jobs where name = 'extend_series' and attempts < max_attempts`))
        .toEqual([]);
      const after = (await bob.api.series.get({ series: id })).events;
      expect(
        after.map(({ start_time, my_answer, deleted_at }) => [start_time, my_answer, deleted_at]),
      ).toEqual(before.map(({ start_time }) => [start_time, 'going', null]));
      expect(after.filter((date) => !before.some((old) => old.id === date.id))).toHaveLength(2);
      const notices = sql`
        select from notices where user_id = ${bob.id} and kind in ('new_event', 'new_series') and dedupe_key <> ${id}
          and (facts ->> 'event_id')::uuid in (select id from events where owner_club_id = ${club})`;
      expect(await all(w.db, notices)).toHaveLength(1);
    }
    expect(clubs.length).toBe(rounds);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);
