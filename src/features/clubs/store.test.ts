import { Update } from '#features/updates/contract.ts';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, first, openDatabase, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { instant } from '#wire/instant.ts';
import { startServer } from '#app/server.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { EventCard, Phase, SharedEvent } from '#features/events/contract.ts';
import { eventOfViewer, rareFieldsOfEvent, sharedEvent } from '#features/events/page-queries.ts';
import { listOfClub, sharedCard } from '#features/events/queries.ts';
import { isRunner, type MemberOf } from '#features/members/rules.ts';
import { ask } from '#test/ask.ts';
import { send } from '#test/calls.ts';
import { manyPeople } from '#test/races/people.ts';
import { viewerOf } from '#test/viewer.ts';
import { codeIn, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

const tokenOf = (person: Person) => person.session.read()?.AccessToken.Token;

async function getPage(person: Person, club: string) {
  const { status, text } = await ask(
    w.origin,
    { method: 'GET', path: `/v1/clubs/${club}` },
    {},
    tokenOf(person),
  );
  return { status, text };
}

/** Reads the events of a club in one phase without the cache. */
async function eventsIn(phase: Phase, club_id: string, user_id: string) {
  const viewer = await viewerOf(w.db, { id: user_id });
  const { events, more } = await listOfClub(w.db, viewer, { club_id } as MemberOf, w.now(), { phase });
  const cards = events.map(async (event) => {
    const { version: _, ...fields } = event;
    return { ...(await sharedCard(w.db, event))?.value, ...fields };
  });
  return { events: (await Promise.all(cards)) as EventCard[], more };
}

/** The club page composed of data that is not cached; undefined for outsiders. */
async function uncached({ id: viewer, api }: Person, { id: club }: ClubHandle): Promise<Club | undefined> {
  const head = await first(
    w.db,
    sql<Club>`
      select c.id, slug, club_name, club_description, language, organisers_plan, location_name, json_build_object('website', website) as meta,
        profile_picture_url, profile_banner_url, c.created_at, version,
        m.calendar_secret as ical_feed_url_id, m.club_role as my_club_role,
        m.club_role = 200 or m.club_role = 100 and coalesce(organisers_plan, false) as is_planner,
        exists (select from club_mutes where club_id = c.id and user_id = m.user_id) as muted,
        (select read_at from update_reads r where r.user_id = m.user_id and r.update_id = (
          select id from club_updates where club_id = c.id order by created_at desc, id limit 1)) as latest_update_read_at,
        case when m.first_steps is not null and m.club_role = 200 then json_build_object(
          'invited', exists (select from invite_links where club_id = c.id), 'calendar_added', m.first_steps <> 'open')
        end as first_steps, false as needs_second_admin, null as handover,
        (select count(*)::int from members where club_id = c.id) as member_count,
        (select count(*)::int from events where owner_club_id = c.id) as event_count
      from clubs c join members m on m.club_id = c.id where c.id = ${club} and m.user_id = ${viewer}`,
  );
  if (!head) return undefined;
  const phases = (['upcoming', 'in_progress', 'previous'] as const).map((phase) =>
    eventsIn(phase, club, viewer),
  );
  const [upcoming, inProgress, previous] = (await Promise.all(phases)) as [Listed, Listed, Listed];
  const { members, more } = await api.members.ofClub({ club });
  const [listed] = await api.updates.ofClub({ club });
  const events = [...upcoming.events, ...inProgress.events, ...previous.events];
  return {
    ...head,
    members,
    more_members: more,
    events: events.toSorted((a, b) => (a.start_time + a.id < b.start_time + b.id ? -1 : 1)),
    more_events: { upcoming: upcoming.more, in_progress: inProgress.more, previous: previous.more },
    latest_update: listed ? Update.parse(listed) : null,
  };
}

/** The page of an event composed of data that is not cached; undefined for outsiders. */
async function uncachedEvent(person: Person, event: string) {
  const viewer = await viewerOf(w.db, person);
  const now = w.now();
  const [found, shared] = [
    await eventOfViewer(w.db, { viewer, ref: event, now }),
    await sharedEvent(w.db, { id: event }),
  ];
  const membership = viewer.memberships.get(found?.owner_club_id ?? '');
  if (!found || !shared || !membership) return undefined;
  const { version: _, has_messages: ___, has_questions: ____, by_absence: _____, ...own } = found;
  const { club_slug: __, ...fields } = shared.value as SharedEvent & { club_slug: string };
  const runs = isRunner(membership, own);
  return {
    ...fields,
    ...own,
    ...(await rareFieldsOfEvent(w.db, person.id, now, { ...found, runs })),
    version: fields.version,
  };
}

async function expectFreshEvents(person: Person, events: readonly string[]) {
  for (const event of events) {
    const page = await uncachedEvent(person, event);
    if (!page) continue;
    const { data } = await send(w, person, `GET /v1/events/${event}`);
    // The seconds left for an undo decrease between the two reads.
    expect(data).toEqual({ ...page, undo: page.undo && { ...page.undo, seconds: expect.any(Number) } });
  }
}

async function expectFresh(people: readonly Person[], club: ClubHandle) {
  for (const person of people) {
    const page = await uncached(person, club);
    const { status, text } = await getPage(person, club.slug);
    expect(status).toBe(page ? 200 : 404);
    if (page) expect(JSON.parse(text)).toEqual({ data: page, status: 200, error: null });
  }
}

type Listed = Awaited<ReturnType<typeof eventsIn>>;

interface Fixture {
  people: Person[];
  club: ClubHandle;
  other: ClubHandle;
  /** Event ids of both clubs. */
  events: string[];
}

/** Three people who are members of both clubs. Two of the people are admins of both. */
async function setUp(): Promise<Fixture> {
  const people = (await manyPeople(w, 3)) as [Person, Person, Person];
  const [club, other] = [await w.club(people), await w.club(people, 'Other')];
  const [host, helper] = people;
  for (const { id } of [club, other])
    await host.api.members.changeRole({ club: id, member: helper.id, role: 200 });
  const at = (hours: number) => w.event(club, host, { startsIn: hours, lasts: 2 });
  const events = [await at(1), await at(2), await w.event(other, host, { startsIn: 2, name: 'Elsewhere' })];
  return { people, club, other, events: events.map(({ id }) => id) };
}

const nth = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** Operations that can change the page; many of the random calls are refused, which is fine. */
const operations: Record<string, (fixture: Fixture, who: Person, n: number) => Promise<unknown>> = {
  attend: ({ events }, who, n) => send(w, who, `POST /v1/events/${nth(events, n)}/attend`),
  unattend: ({ events }, who, n) => send(w, who, `POST /v1/events/${nth(events, n)}/unattend`),
  rename: (_, who, n) => send(w, who, 'PATCH /v1/users', { first_name: `Ann "${n}" my_role\\` }),
  answer: ({ events }, who, n) =>
    send(w, who, `PUT /v1/events/${nth(events, n)}/answer`, { answer: nth(['going', 'maybe', 'no'], n) }),
  'update the club': ({ club }, who, n) =>
    send(w, who, `PATCH /v1/clubs/${club.id}`, {
      club_description: `"my_role":null,"conflicting_events":[] ${n} "ical_feed_url_id":"","my_club_role":0`,
      meta: { website: `https://${n}.example.org` },
    }),
  'let organisers plan': ({ club }, who, n) =>
    send(w, who, `PATCH /v1/clubs/${club.id}`, { organisers_plan: n % 2 === 0 }),
  'create an event': async (all, who, n) => {
    const start = Date.parse(w.now()) + (n % 5) * 3_600_000;
    const { data } = await send(w, who, `POST /v1/clubs/${nth([all.club, all.other], n).id}/events`, {
      name: `Größe "${n}" €`,
      location_name: 'Pier',
      start_time: instant(start),
      end_time: instant(start + 1_800_000),
    });
    if (data) all.events.push((data as { id: string }).id);
  },
  'edit an event': ({ club, other, events }, who, n) =>
    send(w, who, `PUT /v1/events/${nth(events, n)}/edit/${nth([club, other], n).id}`, {
      name: `Edited ${n}`,
      ask_again: n % 2 === 0,
    }),
  'hand over': ({ people, events }, who, n) =>
    send(w, who, `PUT /v1/events/${nth(events, n)}/host`, { user_id: nth(people, n).id }),
  cancel: ({ events }, who, n) => send(w, who, `DELETE /v1/events/${nth(events, n)}/cancel`),
  publish: ({ club }, who, n) =>
    send(w, who, `POST /v1/updates/${club.id}`, { content: `News ${n}`, important: n % 2 === 0 }),
  'read an update': async ({ club }, who) => {
    const [latest] = await who.api.updates.ofClub({ club: club.id }).catch(() => []);
    if (latest) await send(w, who, `POST /v1/updates/${club.id}/${latest.id}/read`);
  },
  'edit an update': async ({ club }, who, n) => {
    const [latest] = await who.api.updates.ofClub({ club: club.id }).catch(() => []);
    await run(
      w.db,
      sql`insert into pictures (name, club_id, kind, width, height, created_at)
          values (gen_random_uuid(), ${club.id}, 'update', 9, 9, now())`,
    );
    const unused = sql<{
      name: string;
    }>`select name from pictures where update_id is null and club_id = ${club.id}`;
    const pictures = (await all(w.db, unused)).slice(0, n % 3).map(({ name }) => name);
    if (latest)
      await send(w, who, `PATCH /v1/updates/${club.id}/${latest.id}`, { content: `Edited ${n}`, pictures });
  },
  'delete an update': async ({ club }, who) => {
    const [latest] = await who.api.updates.ofClub({ club: club.id }).catch(() => []);
    if (latest) await send(w, who, `DELETE /v1/updates/${club.id}/${latest.id}`);
  },
  'change a role': ({ club, people }, who, n) =>
    send(w, who, `PATCH /v1/clubs/${club.id}/role/${nth(people, n).id}`, { role: nth([0, 100, 200], n) }),
  eject: ({ club, people }, who, n) => send(w, who, `PUT /v1/clubs/${club.id}/eject/${nth(people, n).id}`),
  leave: ({ club, other }, who, n) => send(w, who, `PUT /v1/clubs/${nth([club, other], n).id}/leave`),
  join: async ({ club, people }, who) => {
    for (const person of people) {
      const { data } = await send(w, person, 'POST /v1/invite-links', { club_id: club.id });
      const { invite_link } = (data ?? {}) as { invite_link?: string };
      if (invite_link) return send(w, who, `POST /v1/invite-links/join/${invite_link}`);
    }
    return undefined;
  },
  'replace the secret': ({ club }, who) => send(w, who, 'POST /v1/users/ical/reset', { club_id: club.id }),
  mute: ({ club }, who, n) => send(w, who, `PUT /v1/clubs/${club.id}/mute`, { muted: n % 2 === 0 }),
  'change a user picture': (_, who, n) =>
    run(w.db, sql`update users set profile_picture_url = ${`/${n}`} where id = ${who.id}`),
  'change the club picture': ({ club }, _, n) =>
    run(w.db, sql`update clubs set profile_picture_url = ${`/${n}`} where id = ${club.id}`),
  'advance the clock': async (_, __, n) => w.later(`${(n % 4) - 1} hours`),
};

const step = fc.tuple(fc.constantFrom(...Object.keys(operations)), fc.nat(2), fc.nat(11));

test('club and event pages: every member gets the current page after random operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 20 }), async (steps) => {
      const all = await setUp();
      await expectFresh(all.people, all.club);
      for (const [operation, who, n] of steps) {
        await operations[operation]?.(all, nth(all.people, who), n);
        await expectFresh(all.people, all.club);
        await expectFreshEvents(nth(all.people, n), all.events.slice(0, 3));
      }
      w.later(`${Math.round((Date.now() - Date.parse(w.now())) / 3_600_000)} hours`);
    }),
    { numRuns: 4, endOnFailure: true },
  );
}, 120_000);

describe('club page', () => {
  test('shows every concurrent change to its author at once, and finally all changes to all members', async () => {
    const people = (await manyPeople(w, 6)) as [Person, ...Person[]];
    const club = await w.club(people);
    const event = await w.event(club, people[0]);
    const others = people.slice(1);
    await Promise.all(
      others.map(async (person, index) => {
        await person.api.answers.attend({ event: event.id });
        const mine = (await person.api.clubs.get({ club: club.slug })).events[0];
        expect(mine?.my_role).toBe('attendee');
        await person.api.users.update({ first_name: `Named ${index}` });
        const { members } = await person.api.clubs.get({ club: club.id });
        expect(members.find(({ id }) => id === person.id)?.first_name).toBe(`Named ${index}`);
      }),
    );
    await expectFresh(people, club);
    expect((await people[0].api.clubs.get({ club: club.id })).events[0]?.user_count).toBe(6);
    const versions = await all(w.db, sql`select 1 from club_versions where club_id = ${club.id}`);
    expect(versions.length).toBeLessThanOrEqual(w.config.databasePool);
  });

  test('gives each of many concurrent viewers their own fields, and outsiders 404', async () => {
    const people = (await manyPeople(w, 8)) as [Person, ...Person[]];
    const [zoe] = (await manyPeople(w, 1)) as [Person];
    const club = await w.club(people);
    const event = await w.event(club, people[0]);
    await people[1]?.api.answers.attend({ event: event.id });
    const viewers = [...people, zoe, ...people, zoe];
    const pages = await Promise.all(viewers.map((person) => getPage(person, club.slug)));
    for (const [index, { status, text }] of pages.entries()) {
      const person = viewers[index] as Person;
      expect(status).toBe(person === zoe ? 404 : 200);
      if (person !== zoe) expect(JSON.parse(text).data).toEqual(await uncached(person, club));
      else expect(text).not.toContain(club.id);
    }
  });

  test('is 404 for an ejected member at once', async () => {
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const club = await w.club([ada, bob]);
    expect((await getPage(bob, club.id)).status).toBe(200);
    await ada.api.members.eject({ club: club.id, member: bob.id });
    expect((await getPage(bob, club.id)).status).toBe(404);
  });

  test('no longer contains a deleted user, including their updates and attendances', async () => {
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([ada, bob]);
    const event = await w.event(club, ada);
    await bob.api.answers.attend({ event: event.id });
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    await bob.api.updates.publish({ club: club.id, content: 'Written' });
    const yesterday = sql`start_time = now() - interval '1 day', end_time = now() - interval '1 day'`;
    await run(w.db, sql`update events set ${yesterday} where id = ${event.id}`);
    // So that another login code is emailed.
    w.later('2 minutes');
    expect((await getPage(ada, club.id)).text).toContain('Bob');
    // The outbox also contains notification emails of the steps above.
    const codes = async () =>
      (await w.outbox())
        .filter(({ to }) => to?.[0]?.address === bob.email)
        .map(codeIn)
        .filter((code) => code !== 'no code');
    const before = await codes();
    await bob.api.auth.sendCode({ purpose: 'deletion' });
    await expect.poll(async () => (await codes()).length).toBe(before.length + 1);
    const code = (await codes()).find((one) => !before.includes(one)) ?? '';
    await bob.api.account.remove({ code, choices: [] });
    const { text } = await getPage(ada, club.id);
    expect(JSON.parse(text).data).toEqual(await uncached(ada, club));
    expect(text).not.toContain(bob.id);
    expect(text).not.toContain('Bob');
    await ada.api.clubs.remove({ club: club.id });
    expect((await getPage(ada, club.id)).status).toBe(404);
    expect(await all(w.db, sql`select 1 from club_versions where club_id = ${club.id}`)).toEqual([]);
  });

  test('shows current conflicting events from other clubs of the viewer', async () => {
    const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
    const [club, other] = [await w.club([ada, bob]), await w.club([ada, bob], 'Other')];
    const event = await w.event(club, ada);
    const rival = await w.event(other, ada, { name: 'Rival' });
    const names = async (person: Person) => {
      const { events } = await person.api.clubs.get({ club: club.slug });
      return events.find(({ id }) => id === event.id)?.conflicting_events.map(({ name }) => name);
    };
    expect([await names(ada), await names(bob)]).toEqual([['Rival'], []]);
    await bob.api.answers.attend({ event: rival.id });
    expect(await names(bob)).toEqual(['Rival']);
    await ada.api.events.edit({ event: rival.id, club: other.id, name: 'Renamed' });
    expect([await names(ada), await names(bob)]).toEqual([['Renamed'], ['Renamed']]);
    await bob.api.members.leave({ club: other.id });
    expect([await names(ada), await names(bob)]).toEqual([['Renamed'], []]);
    await ada.api.events.cancel({ event: rival.id });
    expect(await names(ada)).toEqual([]);
  });

  test('shows each change at once in a second server process too', async () => {
    const [ada] = (await manyPeople(w, 1)) as [Person];
    const club = await w.club([ada]);
    const { config, databaseUrl } = w;
    const server = await startServer({ config, databaseUrl, log: createLog('silent') });
    const there = w.client(ada.session, server.origin);
    for (const club_description of ['first', 'second', 'third']) {
      await ada.api.clubs.update({ club: club.id, club_description });
      expect((await there.clubs.get({ club: club.id })).club_description).toBe(club_description);
      expect((await ada.api.clubs.get({ club: club.id })).club_description).toBe(club_description);
    }
    await server.close();
  });
});

test('club version: a change does not wait for an uncommitted change of another transaction', async () => {
  const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
  const club = await w.club([ada, bob]);
  const { db, close } = openDatabase(w.databaseUrl, { size: 1, onError: () => {} });
  const rename = (at: typeof db, { id }: Person) =>
    run(at, sql`update users set last_name = gen_random_uuid()::text where id = ${id}`);
  await db.transaction().execute(async (held) => {
    await rename(held, ada);
    expect((await getPage(bob, club.id)).text).not.toContain('Quick');
    await bob.api.users.update({ last_name: 'Quick' });
    expect((await getPage(bob, club.id)).text).toContain('Quick');
  });
  await expectFresh([ada, bob], club);
  await close();
});

test('club version: every change of data on the page creates a new version, other changes do not', async () => {
  const [ada, bob, gone] = (await manyPeople(w, 3)) as [Person, Person, Person];
  const club = await w.club([ada, bob, gone]);
  const event = await w.event(club, ada);
  await gone.api.answers.attend({ event: event.id });
  await run(w.db, sql`delete from members where club_id = ${club.id} and user_id = ${gone.id}`);
  const version = async () =>
    (await all(w.db, sql`select bit_xor(version)::text from club_versions where club_id = ${club.id}`))[0];
  const membership = sql`(${club.id}, ${gone.id}, 0, ${gone.id}, now())`;
  const changes = [
    sql`update clubs set location_name = 'Harbour' where id = ${club.id}`,
    sql`update clubs set organisers_plan = true where id = ${club.id}`,
    sql`insert into members (club_id, user_id, club_role, calendar_secret, joined_at) values ${membership}`,
    sql`update members set club_role = 100 where user_id = ${gone.id}`,
    sql`delete from members where user_id = ${gone.id}`,
    sql`update users set first_name = 'Left' where id = ${gone.id}`,
    sql`delete from answers where user_id = ${gone.id}`,
    sql`insert into answers values (${event.id}, ${bob.id}, 'attendee', now())`,
    sql`update answers set answered_at = now() - interval '1 day' where user_id = ${bob.id}`,
    sql`insert into club_updates values (${gone.id}, ${club.id}, ${gone.id}, 'News', now())`,
    sql`update users set last_name = 'Away' where id = ${gone.id}`,
    sql`update users set profile_picture_url = '/picture' where id = ${gone.id}`,
    sql`update club_updates set content = 'Other news' where id = ${gone.id}`,
    sql`update pictures set update_id = ${gone.id}, position = 1 where name = 'shown'`,
    sql`delete from pictures where name = 'shown'`,
    sql`delete from club_updates where id = ${gone.id}`,
    sql`update events set name = 'Moved' where id = ${event.id}`,
    sql`insert into events select (jsonb_populate_record(e, jsonb_build_object('id', ${club.id}::text, 'slug', ${club.id}::text))).*
        from events e where id = ${event.id}`,
    sql`delete from events where id = ${event.id}`,
  ];
  await run(
    w.db,
    sql`insert into pictures (name, club_id, kind, created_at)
        values ('shown', ${club.id}, 'update', now()), ('unused', ${club.id}, 'update', now()), ('sent', ${club.id}, 'update', now())`,
  );
  const seen = [await version()];
  for (const change of changes) {
    expect(await run(w.db, change)).toBe(1);
    const next = await version();
    expect({
      change: change.compile(w.db).sql,
      isNew: !seen.some((old) => isDeepStrictEqual(old, next)),
    }).toMatchObject({ isNew: true });
    seen.push(next);
  }
  const unseen = [
    sql`update users set user_name = 'Unseen' where id = ${bob.id}`,
    sql`update users set first_name = 'Left' where id = ${gone.id}`,
    sql`delete from pictures where name = 'unused'`,
    sql`select 1 from clubs where id = ${club.id} for update`,
    sql`insert into posts (id, club_id, creator_id, content, created_at, event_id, audience)
        values (${gone.id}, ${club.id}, ${bob.id}, 'Message', now(), ${club.id}, '{going}')`,
    sql`update posts set content = 'Other message' where id = ${gone.id}`,
    sql`update pictures set update_id = ${gone.id}, position = 1 where name = 'sent'`,
    sql`delete from pictures where name = 'sent'`,
    sql`delete from posts where id = ${gone.id}`,
  ];
  for (const change of unseen) {
    await run(w.db, change);
    expect(await version()).toEqual(seen.at(-1));
  }
});
