import { expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import type { Failure } from '#wire/client.ts';
import { contracts } from '#features/contracts.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf } from '#test/calls.ts';
import {
  broken,
  clubsOf,
  codeFor,
  manyPeople,
  eachRound,
  eventsOf,
  recordChanges,
  timeout,
  rounds,
} from '#test/races/people.ts';
import { world, type Person } from '#test/world.ts';

const any = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T;
const one = async <T>(list: Promise<T[]>) => (await list)[0] as T;

const races: [string, string[], (club: string, ada: Person, bob: Person) => Promise<unknown>[]][] = [
  [
    'both leave',
    ['400 only_admin_left', 'ok'],
    (club, ada, bob) => [ada.api.members.leave({ club }), bob.api.members.leave({ club })],
  ],
  [
    'one leaves and the other steps down',
    ['400 only_admin_left', 'ok'],
    (club, ada, bob) => [
      ada.api.members.leave({ club }),
      bob.api.members.changeRole({ club, member: bob.id, role: 0 }),
    ],
  ],
  [
    'both step down',
    ['400 only_admin_left', 'ok'],
    (club, ada, bob) => [
      ada.api.members.changeRole({ club, member: ada.id, role: 100 }),
      bob.api.members.changeRole({ club, member: bob.id, role: 0 }),
    ],
  ],
  [
    'each demotes the other',
    ['403 not_admin', 'ok'],
    (club, ada, bob) => [
      ada.api.members.changeRole({ club, member: bob.id, role: 0 }),
      bob.api.members.changeRole({ club, member: ada.id, role: 0 }),
    ],
  ],
  [
    'each ejects the other',
    ['404 not_found', 'ok'],
    (club, ada, bob) => [
      ada.api.members.eject({ club, member: bob.id }),
      bob.api.members.eject({ club, member: ada.id }),
    ],
  ],
];

test.each(races)(
  'two admins concurrently: %s, and the club keeps an admin [CONST-15 C1]',
  async (_, outcomes, start) => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    for (const club of await clubsOf(w, [ada, bob]))
      expect((await Promise.all(start(club, ada, bob).map(outcomeOf))).sort()).toEqual(outcomes);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'two admins: when one ejects the other, who leaves concurrently, only one admin is removed [C1]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    for (const club of await clubsOf(w, [ada, bob])) {
      const outcomes = await Promise.all(
        [ada.api.members.eject({ club, member: bob.id }), bob.api.members.leave({ club })].map(outcomeOf),
      );
      expect(['404 not_found,ok', 'ok,404 not_found']).toContain(outcomes.join());
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'two admins: when one deletes the account and the other leaves concurrently, one of the requests is refused [C1]',
  async () => {
    await using w = await world();
    const [cyd] = (await manyPeople(w, 1)) as [Person];
    for (const _ of eachRound) {
      const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
      const club = await one(clubsOf(w, [ada, bob], [cyd], 1));
      const code = await codeFor(w, ada.email, 'ABCDEF', 'deletion');
      const outcomes = await Promise.all(
        [ada.api.account.remove({ code }), bob.api.members.leave({ club })].map(outcomeOf),
      );
      expect(['ok,400 only_admin_left', '409 choice_missing,ok']).toContain(outcomes.join());
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'eject: refused with not_admin after a concurrent demotion [C2]',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    const takeChanges = await recordChanges(w, 'members');
    for (const club of await clubsOf(w, [ada, bob], [cyd])) {
      await takeChanges();
      const [demotes, ejects] = await Promise.all(
        [
          ada.api.members.changeRole({ club, member: bob.id, role: 0 }),
          bob.api.members.eject({ club, member: cyd.id }),
        ].map(outcomeOf),
      );
      expect(demotes).toBe('ok');
      const order = (await takeChanges()).map(({ operation }) => operation);
      if (ejects === 'ok') expect(order).toEqual(['DELETE members', 'UPDATE members']);
      else expect([ejects, order]).toEqual(['403 not_admin', ['UPDATE members']]);
    }
  },
  timeout,
);

test(
  'database: keeps an admin in every club even without the locks of the app [C3]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const go = (club: string, { id }: Person) =>
      run(w.db, sql`delete from members where club_id = ${club} and user_id = ${id}`).then(
        () => 'gone',
        (error: Error) => error.message,
      );
    for (const club of await clubsOf(w, [ada, bob])) {
      const outcomes = await Promise.all([go(club, ada), go(club, bob)]);
      expect(outcomes.filter((outcome) => outcome === 'gone').length).toBeLessThan(2);
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'join: refused once the invite link is replaced concurrently [C7]',
  async () => {
    await using w = await world();
    const [ada] = (await manyPeople(w, 1)) as [Person];
    const club = await one(clubsOf(w, [ada], [], 1));
    let { invite_link: invite } = await ada.api.invites.create({ club_id: club });
    const takeChanges = await recordChanges(w, 'members', 'invite_links');
    for (const person of await manyPeople(w, rounds)) {
      await takeChanges();
      const [joined, next] = await Promise.all([
        outcomeOf(person.api.invites.join({ invite })),
        ada.api.invites.create({ club_id: club }),
      ]);
      const order = (await takeChanges()).map(({ operation }) => operation);
      if (joined === 'ok') expect(order).toEqual(['INSERT members', 'UPDATE invite_links']);
      else expect([joined, order]).toEqual(['404 not_found', ['UPDATE invite_links']]);
      invite = next.invite_link;
    }
  },
  timeout,
);

test(
  'eject: removes what the ejected member adds concurrently [C10]',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const clubs = await clubsOf(w, [ada], [bob]);
    const events = await eventsOf(w, clubs, ada);
    const slugs = await all(w.db, sql<{ id: string; slug: string }>`select id, slug from events`);
    const secrets = await all(
      w.db,
      sql<{ club_id: string; calendar_secret: string }>`
        select club_id, calendar_secret from members where user_id = ${bob.id}`,
    );
    for (const [nth, club] of clubs.entries()) {
      const event = slugs.find(({ id }) => id === events[nth])?.slug as string;
      const secret = secrets.find(({ club_id }) => club_id === club)?.calendar_secret as string;
      const [ejected, ...others] = await Promise.all(
        [
          ada.api.members.eject({ club, member: bob.id }),
          bob.api.answers.attend({ event }),
          bob.api.answers.favourite({ event, favourite: true }),
          bob.api.answers.subscribe({ event }),
        ].map(outcomeOf),
      );
      expect(ejected).toBe('ok');
      for (const outcome of others) expect(outcome).toMatch(/^(ok|403 not_member)$/);
      expect(await outcomeOf(w.anyone.calendar.clubFeed({ club, secret }))).toBe('404 not_found');
      expect(await bob.api.events.get({ event })).toMatchObject({ attendees: [], host: null, my_role: null });
    }
    expect(await broken(w)).toEqual([]);
    expect(await first(w.db, sql`select count(*) from answers where user_id = ${bob.id}`)).toEqual({
      count: 0,
    });
  },
  timeout,
);

test(
  'leave: concurrent feed requests succeed, and afterwards the old feed address and a new one serve only cancellations',
  async () => {
    await using w = await world();
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const clubs = await clubsOf(w, [ada], [bob]);
    const events = await eventsOf(w, clubs, ada);
    for (const [nth, club] of clubs.entries()) {
      const { ical_feed_url_id: secret } = await bob.api.clubs.get({ club });
      const fetched = () => w.anyone.calendar.clubFeed({ club, secret });
      const [left, attended, replaced, ...fetches] = await Promise.all([
        outcomeOf(bob.api.members.leave({ club })),
        outcomeOf(bob.api.answers.attend({ event: events[nth] as string })),
        bob.api.calendar.replaceSecret({ club_id: club }).catch((failure: Failure) => failure.error),
        ...Array.from({ length: 6 }, fetched),
      ]);
      expect(left).toBe('ok');
      expect(attended).toMatch(/^(ok|403 not_member)$/);
      for (const text of fetches) expect(text).toMatch(/SUMMARY:(Race|Cancelled)\r/);
      const secrets = [secret, ...(typeof replaced === 'object' ? [replaced.ical_feed_url_id] : [])];
      if (secrets.length === 1) expect(replaced).toBe('not_found');
      for (const each of secrets)
        expect(await w.anyone.calendar.clubFeed({ club, secret: each })).toMatch(/SUMMARY:Cancelled\r/);
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'delete club: concurrent requests get no 5xx and no row is left [C18]',
  async () => {
    await using w = await world();
    const [ada, bob, zoe] = (await manyPeople(w, 3)) as [Person, Person, Person];
    for (const club of await clubsOf(w, [ada], [bob])) {
      const event = await one(eventsOf(w, [club], ada));
      const { invite_link: invite } = await ada.api.invites.create({ club_id: club });
      const outcomes = await Promise.all(
        [
          ada.api.clubs.remove({ club }),
          bob.api.answers.attend({ event }),
          bob.api.answers.subscribe({ event }),
          zoe.api.invites.join({ invite }),
          ada.api.updates.publish({ club, content: 'News' }),
          bob.api.members.leave({ club }),
          bob.api.clubs.get({ club }),
        ].map(outcomeOf),
      );
      for (const outcome of outcomes) expect(outcome).toMatch(/^(ok|404 not_found|403 not_member)$/);
      expect(outcomes[0]).toBe('ok');
    }
    const left = sql`
      select (select count(*) from clubs) + (select count(*) from members) + (select count(*) from events) +
        (select count(*) from answers) + (select count(*) from event_followers) +
        (select count(*) from club_updates) + (select count(*) from invite_links) as count`;
    expect(await first(w.db, left)).toEqual({ count: 0 });
  },
  timeout,
);

test(
  'random concurrent requests: every club keeps an admin and every open event one host from the club [C9]',
  async () => {
    await using w = await world();
    const people = await manyPeople(w, 8);
    const c = contracts;
    const statuses = new Map<number, number>();
    for (const _ of eachRound) {
      const members = people.toSorted(() => Math.random() - 0.5);
      const [club] = await clubsOf(w, members.slice(0, 2), members.slice(2, 6), 1);
      const events = await eventsOf(w, [club as string, club as string], members[0] as Person);
      await eventsOf(w, [club as string], members[1] as Person);
      const { invite_link: invite } = await (members[0] as Person).api.invites.create({
        club_id: club as string,
      });
      const operations = [
        () => [c.members.leave, { club }] as const,
        () => [c.members.eject, { club, member: any(members).id }] as const,
        () => [c.members.changeRole, { club, member: any(members).id, role: any([0, 100, 200]) }] as const,
        () => [c.invites.join, { invite }] as const,
        () => [c.answers.attend, { event: any(events) }] as const,
        () => [c.answers.unattend, { event: any(events) }] as const,
        () => [c.answers.subscribe, { event: any(events) }] as const,
        () => [c.events.cancel, { event: any(events) }] as const,
      ];
      const outcomes = await Promise.all(
        Array.from({ length: 24 }, async () => {
          const [call, input] = any(operations)();
          return ask(w.origin, call, input, any(members).session.read()?.AccessToken.Token);
        }),
      );
      for (const { status } of outcomes) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(outcomes.filter(({ status }) => status >= 500)).toEqual([]);
      expect(await broken(w)).toEqual([]);
    }
    expect(statuses.get(200)).toBeGreaterThan(rounds);
  },
  timeout,
);
