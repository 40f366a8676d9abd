import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { broken, clubsOf, manyPeople, eventsOf, recordChanges, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

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
        pause().then(() => outcomeOf(api.hosts.handOver({ event, user_id: id })));
      expect(await Promise.all([takeOver(bob), takeOver(cyd)])).toEqual(['ok', 'ok']);
      const hosts = await all(
        w.db,
        sql<{ user_id: string }>`
          select user_id from answers where event_id = ${event} and host_no = 1`,
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

/** What the release before writes: it hands over to a member, and another host says no. Both lock the event. */
const byReleaseBefore = (w: World, event: string, next: Person, decliner: Person) =>
  inTransaction(w.db, async (db) => {
    const club = await first(
      db,
      sql<{ id: string }>`
        select c.id from clubs c join events e on e.owner_club_id = c.id where e.id = ${event} for no key update of c`,
    );
    const open = await first(
      db,
      sql`select 1 from events where id = ${event} and deleted_at is null for no key update`,
    );
    const member = await first(
      db,
      sql`select 1 from members where club_id = ${club?.id} and user_id = ${next.id}`,
    );
    if (!open || !member) return;
    await run(
      db,
      sql`update answers set attendee_role = 'attendee' where event_id = ${event} and attendee_role = 'organiser'`,
    );
    await run(
      db,
      sql`insert into answers (event_id, user_id, attendee_role, answered_at)
          values (${event}, ${next.id}, 'organiser', now())
          on conflict (event_id, user_id) do update set attendee_role = 'organiser', answer = 'going', place = null`,
    );
    await run(
      db,
      sql`update answers set answer = 'no'
          where event_id = ${event} and user_id = ${decliner.id} and attendee_role = 'attendee'`,
    );
  });

test(
  'hosts: ten who are added, removed, handed over, leave and cancel concurrently, beside the release before: one first host and at most six, one cancellation, one notice to each person [HOST2-09]',
  async () => {
    await using w = await world();
    const people = await manyPeople(w, 11);
    type Eight = [Person, Person, Person, Person, Person, Person, Person, Person];
    const [ada, ben, cyd, dan, eve, fay, gus, hal, ...others] = people as [...Eight, ...Person[]];
    const clubs = await clubsOf(w, [ada], people.slice(1));
    for (const [nth, event] of (await eventsOf(w, clubs, ada)).entries()) {
      const club = clubs[nth] as string;
      const add = ({ api }: Person, { id: user }: Person) => api.hosts.add({ event, user });
      const remove = ({ api }: Person, { id: user }: Person) => api.hosts.remove({ event, user });
      for (const host of [ben, cyd, dan, eve]) await add(ada, host);
      const calls = [
        ...[fay, gus, hal, ...others].map((person) => () => add(ada, person)),
        () => remove(ada, ben),
        () => remove(cyd, cyd),
        () => remove(ada, ada),
        () => ada.api.hosts.handOver({ event, user_id: dan.id }),
        () => ada.api.hosts.handOver({ event, user_id: fay.id }),
        () => dan.api.hosts.handOver({ event, user_id: gus.id }),
        () => eve.api.members.leave({ club }),
        () => dan.api.members.leave({ club }),
        () => byReleaseBefore(w, event, hal, eve),
        ...(nth % 2
          ? [ben, cyd, dan].map(
              ({ api }) =>
                () =>
                  api.events.cancel({ event }),
            )
          : []),
      ];
      const outcomes = await Promise.all(calls.map((call) => pause().then(() => outcomeOf(call()))));
      expect(outcomes.filter((outcome) => /^5|undefined/.test(outcome))).toEqual([]);
      const [state] = await all(
        w.db,
        sql<{ cancelled: boolean; hosts: number[]; cancellations: number }>`
          select deleted_at is not null as cancelled,
            array(select host_no::int from answers where event_id = e.id and host_no is not null order by 1) as hosts,
            (select count(*)::int from event_changes where event_id = e.id and kind = 'cancelled') as cancellations
          from events e where id = ${event}`,
      );
      expect(state?.cancellations).toBe(state?.cancelled ? 1 : 0);
      if (!state?.cancelled) expect(state?.hosts[0]).toBe(1);
      expect(state?.hosts.length).toBeLessThanOrEqual(6);
      const twice = await all(
        w.db,
        sql`select user_id from notices where kind = 'event_cancelled' and facts ->> 'event_id' = ${event}
            group by user_id having count(*) > 1`,
      );
      expect(twice).toEqual([]);
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
