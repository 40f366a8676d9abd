import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { broken, clubsOf, manyPeople, eventsOf, recordChanges, timeout } from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

const pause = () => sleep(Math.random() * 8);

test(
  'undo: when it is concurrent with answers, the event is restored and every answer stays',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    const clubs = await clubsOf(w, [ada], [bob, cyd]);
    for (const [nth, event] of (await eventsOf(w, clubs, ada)).entries()) {
      const club = clubs[nth] as string;
      const before = await ada.api.events.get({ event });
      const start_time = new Date(Date.parse(before.start_time) + 3_600_000).toISOString();
      await ada.api.events.edit({ event, club, start_time, name: 'Moved' });
      const { undo } = await ada.api.events.get({ event });
      const results = await Promise.all([
        pause().then(() => outcomeOf(ada.api.events.undo({ event, change: undo?.change ?? '' }))),
        pause().then(() => outcomeOf(bob.api.answers.attend({ event }))),
        pause().then(() => outcomeOf(cyd.api.answers.answer({ event, answer: 'maybe' }))),
      ]);
      expect(results).toEqual(['ok', 'ok', 'ok']);
      const { name, user_count, maybe, version } = await ada.api.events.get({ event });
      expect([name, user_count, maybe.length, version]).toEqual([before.name, 2, 1, 2]);
      expect(
        await all(w.db, sql`select distinct event_start from answers where event_id = ${event}`),
      ).toEqual([{ event_start: before.start_time }]);
    }
  },
  timeout,
);

test(
  'undo: when it is concurrent with another edit, either the undo comes first or it is refused',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const clubs = await clubsOf(w, [ada, bob]);
    for (const [nth, event] of (await eventsOf(w, clubs, ada)).entries()) {
      const club = clubs[nth] as string;
      await ada.api.events.edit({ event, club, name: 'One' });
      const { undo } = await ada.api.events.get({ event });
      const change = undo?.change ?? '';
      const [undone, edited] = await Promise.all([
        pause().then(() => outcomeOf(ada.api.events.undo({ event, change }))),
        pause().then(() => outcomeOf(bob.api.events.edit({ event, club, location_name: 'Hall' }))),
      ]);
      expect(edited).toBe('ok');
      const { name, location_name, changes } = await ada.api.events.get({ event });
      expect(location_name).toBe('Hall');
      expect(name).toBe(undone === 'ok' ? 'Race' : 'One');
      expect(['ok', '409 too_late']).toContain(undone);
      expect(changes.map(({ undone_at }) => undone_at !== null)).toEqual([false, undone === 'ok']);
    }
  },
  timeout,
);

test(
  'edit: two concurrent edits of different fields are both kept; of two with the same If-Match version, one is refused [TIME-13]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const clubs = await clubsOf(w, [ada, bob]);
    for (const [nth, event] of (await eventsOf(w, clubs, ada)).entries()) {
      const club = clubs[nth] as string;
      const edit = ({ api }: Person, change: object) =>
        pause().then(() => outcomeOf(api.events.edit({ event, club, ...change })));
      expect(await Promise.all([edit(ada, { name: 'Run' }), edit(bob, { location_name: 'Hall' })])).toEqual([
        'ok',
        'ok',
      ]);
      const both = await ada.api.events.get({ event });
      expect([both.name, both.location_name, both.version]).toEqual(['Run', 'Hall', 2]);
      expect(both.changes).toHaveLength(2);

      const editVersion2 = async (person: Person, name: string) => {
        await pause();
        return send(w, person, `PUT /v1/events/${event}/edit/${club}`, { name }, { 'if-match': '"2"' });
      };
      const [first, second] = await Promise.all([editVersion2(ada, 'Left'), editVersion2(bob, 'Right')]);
      expect([first.status, second.status].toSorted()).toEqual([200, 412]);
      const { name, version, changes } = await ada.api.events.get({ event });
      expect([name, version, changes.length]).toEqual([first.status === 200 ? 'Left' : 'Right', 3, 3]);
    }
  },
  timeout,
);

test(
  'host: two admins who take over concurrently both succeed, and only the one who is the host in the end can cancel [HOST-02]',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    const events = await eventsOf(w, await clubsOf(w, [ada, bob, cyd]), ada);
    for (const event of events) {
      const takeOver = ({ id, api }: Person) =>
        pause().then(() => outcomeOf(api.answers.handOver({ event, user_id: id })));
      expect(await Promise.all([takeOver(bob), takeOver(cyd)])).toEqual(['ok', 'ok']);
      const hosts = await all(
        w.db,
        sql<{ user_id: string }>`
          select user_id from answers where event_id = ${event} and attendee_role = 'organiser'`,
      );
      expect(hosts).toHaveLength(1);
      const [host, ...others] = [bob, cyd, ada].toSorted(
        (one, other) => Number(other.id === hosts[0]?.user_id) - Number(one.id === hosts[0]?.user_id),
      ) as [Person, Person, Person];
      for (const { api } of others)
        expect(await outcomeOf(api.events.cancel({ event }))).toBe('403 not_host');
      expect(await outcomeOf(host.api.events.cancel({ event }))).toBe('ok');
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'edit: two concurrent requests with one Idempotency-Key make one change, one history row and one notification [CALL-12]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const clubs = await clubsOf(w, [ada], [bob]);
    for (const [nth, event] of (await eventsOf(w, clubs, ada)).entries()) {
      await bob.api.answers.attend({ event });
      const key = { 'idempotency-key': randomUUID() };
      const change = { location_name: 'Hall', ask_again: true, reason: 'weather' };
      const edit = () => send(w, ada, `PUT /v1/events/${event}/edit/${clubs[nth]}`, change, key);
      const responses = await Promise.all([pause().then(edit), pause().then(edit)]);
      for (const { status, error } of responses)
        expect([200, 409]).toContain(status === 409 && error !== 'still_running' ? 0 : status);
      expect((await edit()).status).toBe(200);
      const { changes, version } = await ada.api.events.get({ event });
      expect([changes.length, version]).toEqual([1, 1]);
      const notices = await all(w.db, sql`select from notices where dedupe_key = ${changes[0]?.id}`);
      expect(notices).toHaveLength(1);
    }
  },
  timeout,
);

test(
  'edit: when members are asked to confirm, answers from before the edit have to be confirmed, even concurrent ones, but later answers do not',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 4)) as [Person, ...Person[]];
    const clubs = await clubsOf(w, [ada], people);
    const takeChanges = await recordChanges(w, 'answers', 'event_changes');
    for (const [nth, event] of (await eventsOf(w, clubs, ada)).entries()) {
      await takeChanges();
      await Promise.all([
        pause().then(() =>
          ada.api.events.edit({ event, club: clubs[nth] as string, location_name: 'Hall', ask_again: true }),
        ),
        ...people.map(({ api }) => pause().then(() => api.answers.attend({ event }))),
      ]);
      const changes = await takeChanges();
      const changeIndex = changes.findIndex(({ operation }) => operation === 'INSERT event_changes');
      for (const { id, api } of people) {
        const answered = changes.findIndex(({ row }) => row['user_id'] === id);
        const { must_confirm } = await api.events.get({ event });
        // Rows after the change are not checked: the transaction of such an answer may have started before the change,
        // and the answer then has to be confirmed too.
        if (answered < changeIndex) expect(must_confirm).toBe(true);
      }
      for (const { api } of people) {
        await api.answers.attend({ event });
        expect((await api.events.get({ event })).must_confirm).toBe(false);
      }
    }
  },
  timeout,
);
