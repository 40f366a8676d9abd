import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, codeFor, eachRound, manyPeople, rounds, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

let w: World;
beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

const join = (person: Person, invite: string) => outcomeOf(person.api.invites.join({ invite }));
const remove = async (person: Person) =>
  outcomeOf(
    person.api.account.remove({ code: await codeFor(w, person.email, 'ABCDEF', 'deletion'), choices: [] }),
  );

async function invitesOf(admin: Person, clubs: readonly string[]): Promise<string[]> {
  await run(w.db, sql`delete from rate_limits`);
  const links = clubs.map((club_id) => admin.api.invites.create({ club_id }));
  return (await Promise.all(links)).map(({ invite_link }) => invite_link);
}

/** Counts the deadlocks that the database reports to this process, which runs the app. */
function watchDeadlocks(): () => number {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  return () =>
    query.mock.settledResults.filter(
      ({ type, value }) => type === 'rejected' && (value as { code?: string }).code === '40P01',
    ).length;
}

test(
  'account deletion: while its user joins clubs, each request succeeds or finds no user, without deadlocks [C23]',
  async () => {
    const [admin] = (await manyPeople(w, 1)) as [Person];
    const deadlocks = watchDeadlocks();
    for (const _ of eachRound) {
      const [person] = (await manyPeople(w, 1)) as [Person];
      const invites = await invitesOf(admin, await clubsOf(w, [admin], [], 4));
      const outcomes = await Promise.all([
        ...invites.slice(0, 2).map((invite) => join(person, invite)),
        remove(person),
        outcomeOf(person.api.calendar.replaceSecret({})),
        ...invites.slice(2).map((invite) => join(person, invite)),
      ]);
      expect(outcomes.filter((outcome) => !/^(ok$|40[14] )/.test(outcome))).toEqual([]);
    }
    expect(deadlocks()).toBe(0);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'account deletion: while others join and leave a club, each request succeeds, without deadlocks [C23]',
  async () => {
    const deadlocks = watchDeadlocks();
    for (const _ of Array.from({ length: Math.ceil(rounds / 2) })) {
      const [admins, people, newcomers] = [
        await manyPeople(w, 3),
        await manyPeople(w, 6),
        await manyPeople(w, 6),
      ];
      const [club = ''] = await clubsOf(w, admins, [], 1);
      const [invite = ''] = await invitesOf(admins[0] as Person, [club]);
      // The pending emails to the admins name all of these people.
      for (const person of people) expect(await join(person, invite)).toBe('ok');
      await run(w.db, sql`delete from rate_limits`);
      // Deleting the account of a former member does not wait for the club.
      for (const person of people.slice(0, 4)) await person.api.members.leave({ club });
      const outcomes = await Promise.all([
        ...newcomers.map((person) => join(person, invite)),
        ...people.map((person) => remove(person)),
        ...admins.slice(1).map((person) => remove(person)),
      ]);
      expect(outcomes.filter((outcome) => outcome !== 'ok')).toEqual([]);
    }
    expect(deadlocks()).toBe(0);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);
