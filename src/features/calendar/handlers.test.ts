import fc from 'fast-check';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { hmac } from '#platform/token.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { startServer } from '#app/server.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import { whileHeld } from '#test/calls.ts';
import { memorySession, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let eve: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob, eve] = [await w.person('Ada', 'Lovelace'), await w.person('Bob'), await w.person('Eve')];
  club = await w.club([ada, bob]);
});
afterAll(() => w[Symbol.asyncDispose]());

const apiError = (status: number, error: string) => expect.objectContaining({ status, error });

const clubSecret = async ({ api }: Person, which: string) =>
  (await api.clubs.get({ club: which })).ical_feed_url_id;
const ownSecret = async ({ api }: Person) => (await api.users.me({})).ical_feed_url_id;
const clubFeed = async (person: Person, which: ClubHandle) =>
  read(await w.anyone.calendar.clubFeed({ club: which.id, secret: await clubSecret(person, which.id) }));
const ownFeed = async (person: Person) =>
  read(await w.anyone.calendar.personalFeed({ secret: await ownSecret(person) }));

type Entry = Record<string, string>;

/** Parses a document; returns its events by name or by another property. */
function read(document: string, by = 'summary'): Map<string, Entry> {
  const components = new ICAL.Component(ICAL.parse(document)).getAllSubcomponents('vevent');
  const entries = components.map((component): Entry =>
    Object.fromEntries(
      component.getAllProperties().map((property) => [property.name, String(property.getFirstValue())]),
    ),
  );
  return new Map(entries.map((entry) => [entry[by] ?? '', entry]));
}

describe('club feed', () => {
  test('contains all events of the club, marked as busy if the owner of the secret attends [CAL-01 CAL-03 API-49]', async () => {
    const home = await w.club([ada, bob], 'Rowers, Ltd');
    const { id, slug } = await w.event(home, ada, { name: 'Run', details: 'Bring a light' });
    await w.event(home, ada, { name: 'Row' });
    await bob.api.answers.attend({ event: slug });
    const secret = await clubSecret(bob, home.id);
    const response = await fetch(`${w.origin}/api/v1/clubs/${home.slug}/ical/${secret}/calendar.ics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`inline; filename="${home.slug}.ics"`);
    expect(response.headers.get('cache-control')).toBe('private, max-age=300');
    const body = await response.text();
    expect(body).toContain('\r\nNAME:Rowers\\, Ltd\r\nX-WR-CALNAME:Rowers\\, Ltd\r\n');
    expect(body).toMatch(/END:VCALENDAR\r\n$/);

    const entries = read(body);
    expect([...entries.keys()].sort()).toEqual(['Row', 'Run']);
    expect(entries.get('Run')).toMatchObject({
      uid: id,
      status: 'CONFIRMED',
      transp: 'OPAQUE',
      location: 'Pier 3',
      url: `http://muster.test/app/events/${slug}`,
      description: `You are going.\n\nBring a light\n\nhttp://muster.test/app/events/${slug}`,
    });
    expect(entries.get('Row')).toMatchObject({ transp: 'TRANSPARENT', sequence: '0' });
    expect(entries.get('Row')?.description).toMatch(/^You have not answered\.\n/);
    expect((await clubFeed(ada, home)).get('Row')).toMatchObject({ transp: 'OPAQUE' });
  });

  test('asks its owner to confirm their answer after a change of the event, until the owner does so [RELAY-03]', async () => {
    const moved = await w.event(club, ada, { name: 'Moved' });
    await bob.api.answers.attend({ event: moved.id });
    const firstLine = async () => (await clubFeed(bob, club)).get('Moved')?.description?.split('\n', 1)[0];
    expect(await firstLine()).toBe('You are going.');
    const time_zone = 'Europe/Paris';
    await ada.api.events.edit({ event: moved.id, club: club.id, time_zone, ask_again: true });
    expect(await firstLine()).toBe('Please confirm: the time has changed.');
    expect((await clubFeed(ada, club)).get('Moved')?.description).toMatch(/^You are going\./);
    await bob.api.answers.attend({ event: moved.id });
    expect(await firstLine()).toBe('You are going.');
  });

  test('contains no names of people and no alarms, attendees or methods [T28 RELAY-12]', async () => {
    const hostile = 'x\r\nATTENDEE:mailto:e@example.org\r\nBEGIN:VALARM';
    await w.event(club, ada, { name: 'Hostile', description: hostile, details: hostile });
    const body = await w.anyone.calendar.clubFeed({ club: club.id, secret: await clubSecret(bob, club.id) });
    expect(body).not.toMatch(/^(ATTENDEE|ORGANIZER|ATTACH|METHOD|BEGIN:VALARM)/m);
    expect(body).not.toMatch(/Lovelace/);
    expect(body).not.toContain(ada.email);
    expect(read(body).get('Hostile')?.description).toContain(
      'x\nATTENDEE:mailto:e@example.org\nBEGIN:VALARM',
    );
  });

  test('requires the secret of a member for this club [T19]', async () => {
    const other = await w.club([ada, bob], 'Other club');
    const secrets = [
      await clubSecret(ada, club.id),
      await clubSecret(bob, club.id),
      await clubSecret(ada, other.id),
      await clubSecret(bob, other.id),
    ];
    expect(new Set(secrets).size).toBe(4);
    const wrong = [
      secrets[2],
      await ownSecret(ada),
      ada.id,
      club.id,
      `${secrets[0]}x`,
      '%25',
      "' or true --",
    ];
    for (const secret of wrong)
      await expect(w.anyone.calendar.clubFeed({ club: club.id, secret: String(secret) })).rejects.toEqual(
        apiError(404, 'not_found'),
      );
    // A session gives no access either; only the secret does.
    await expect(ada.api.calendar.clubFeed({ club: club.id, secret: 'guess' })).rejects.toEqual(
      apiError(404, 'not_found'),
    );
    await expect(
      eve.api.calendar.clubFeed({ club: club.id, secret: String(secrets[0]) }),
    ).resolves.toBeTruthy();
  });
});

describe('personal feed', () => {
  test('contains the events that its owner attends in all their current clubs [CAL-02 CAL-03 API-50]', async () => {
    const cleo = await w.person('Cleo');
    const [one, two] = [await w.club([ada, cleo], 'One'), await w.club([ada, cleo], 'Two')];
    const events = [
      await w.event(one, ada, { name: 'In one' }),
      await w.event(two, ada, { name: 'In two' }),
      await w.event(two, ada, { name: 'Not attended' }),
    ];
    for (const { slug } of events.slice(0, 2)) await cleo.api.answers.attend({ event: slug });
    const feedOf = (secret: string) => fetch(`${w.origin}/api/v1/users/${secret}/ical/calendar.ics`);
    for (const personal of [cleo.id, cleo.id.replaceAll('-', ''), cleo.email, one.id])
      expect([personal, (await feedOf(personal)).status]).toEqual([personal, 404]);
    const response = await feedOf(await ownSecret(cleo));
    const body = await response.text();
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(body).toContain('\r\nX-WR-CALNAME:My Muster events\r\n');
    const entries = read(body);
    expect([...entries.keys()].sort()).toEqual(['In one', 'In two']);
    expect(entries.get('In two')).toMatchObject({ transp: 'OPAQUE', uid: events[1]?.id });

    const past = await w.event(two, ada, { name: 'Over', startsIn: 0.01, lasts: 0.01 });
    await cleo.api.answers.attend({ event: past.slug });
    w.later('2 minutes');
    expect([...(await ownFeed(cleo)).keys()]).toContain('Over');
    await cleo.api.members.leave({ club: two.id });
    expect([...(await ownFeed(cleo)).keys()]).toEqual(['In one']);
  });

  test("shows events as tentative if its owner is on the waitlist or answered 'maybe', and omits declined events [RELAY-02]", async () => {
    const { host, reader, other, club: at } = await answersClub();
    const plan = (name: string, capacity?: number) =>
      w.event(at, host, { name, ...(capacity && { capacity }) });
    const events = [
      await plan('Going'),
      await plan('Full', 1),
      await plan('Perhaps'),
      await plan('Refused'),
      await plan('Silent'),
    ] as const;
    const { answer } = reader.api.answers;
    for (const { slug: event } of events.slice(0, 2)) await answer({ event, answer: 'going' });
    await answer({ event: events[2].slug, answer: 'maybe' });
    await answer({ event: events[3].slug, answer: 'no' });
    const feed = async () =>
      [...(await ownFeed(reader)).values()].map(({ summary, status, transp }) => [summary, status, transp]);
    expect((await feed()).toSorted()).toEqual([
      ['Going', 'CONFIRMED', 'OPAQUE'],
      ['Maybe: Perhaps', 'TENTATIVE', 'TRANSPARENT'],
      ['Waitlist: Full', 'TENTATIVE', 'TRANSPARENT'],
    ]);
    const before = await entryOf(reader, at, 'Waitlist: Full');
    expect(before['description']).toContain('You are on the waitlist.');
    const untouched = await entryOf(other, at, 'Full');
    await host.api.events.edit({ event: events[1].slug, club: at.id, capacity: 2 });
    const after = await entryOf(reader, at, 'Full');
    expect(after).toMatchObject({ uid: before['uid'], status: 'CONFIRMED', transp: 'OPAQUE' });
    expect(Number(after['sequence'])).toBeGreaterThan(Number(before['sequence']) + 1);
    expect(await entryOf(other, at, 'Full')).toMatchObject({
      status: untouched['status'],
      transp: 'TRANSPARENT',
    });
  });

  test('names the club of each event in CATEGORIES and before the description; a club feed does not', async () => {
    const [cleo, dan] = [await w.person('Cleo'), await w.person('Dan')];
    const home = await w.club([cleo, dan], 'Rowers, Ltd');
    const { slug } = await w.event(home, cleo, { name: 'Row', description: 'Easy' });
    await dan.api.answers.attend({ event: slug });
    const entry = (await ownFeed(dan)).get('Row');
    const page = `http://muster.test/app/events/${slug}`;
    expect(entry).toMatchObject({
      categories: 'Rowers, Ltd',
      description: `You are going.\n\nRowers, Ltd\n\nEasy\n\n${page}`,
    });
    const inClub = (await clubFeed(dan, home)).get('Row');
    expect(inClub).toMatchObject({ description: `You are going.\n\nEasy\n\n${page}` });
    expect(inClub).not.toHaveProperty('categories');
    await cleo.api.clubs.update({ club: home.id, club_name: 'Scullers' });
    expect((await ownFeed(dan)).get('Row')).toMatchObject({ categories: 'Scullers' });
  });

  test('requires its secret; an id does not work [T19]', async () => {
    for (const secret of [ada.id, await clubSecret(ada, club.id), 'guess', ada.email])
      await expect(w.anyone.calendar.personalFeed({ secret })).rejects.toEqual(apiError(404, 'not_found'));
  });
});

test('feeds: a new PUBLIC_URL changes no UID', async () => {
  const { id, name } = await w.event(club, ada, { name: 'Same UID' });
  const secret = await clubSecret(bob, club.id);
  const config = { ...w.config, publicUrl: 'https://elsewhere.example' };
  const server = await startServer({ config, databaseUrl: w.databaseUrl, log: createLog('silent') });
  const there = w.client(memorySession(), server.origin);
  const moved = read(await there.calendar.clubFeed({ club: club.id, secret })).get(name);
  await server.close();
  expect(moved).toMatchObject({ uid: id, url: expect.stringContaining('https://elsewhere.example/') });
  expect((await clubFeed(bob, club)).get(name)).toMatchObject({ uid: id });
});

describe('event change', () => {
  test('keeps the UID and updates SEQUENCE and timestamps; without a change, the document stays the same', async () => {
    const dora = await w.person('Dora');
    const home = await w.club([ada, dora], 'Changing');
    const { slug } = await w.event(home, ada, { name: 'Run' });
    const address = `${w.origin}/api/v1/clubs/${home.id}/ical/${await clubSecret(dora, home.id)}/calendar.ics`;
    const fetchWith = (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(address, { headers, method });

    const first = await fetchWith();
    const before = read(await first.text()).get('Run');
    const tag = String(first.headers.get('etag'));
    w.later('2 hours');
    expect((await fetchWith({ 'if-none-match': tag })).status).toBe(304);
    const head = await fetchWith({}, 'HEAD');
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, tag, '']);

    await ada.api.events.edit({ event: slug, club: home.id, name: 'Long run' });
    const changed = await fetchWith({ 'if-none-match': tag });
    expect(changed.status).toBe(200);
    const after = read(await changed.text()).get('Long run');
    expect(after).toMatchObject({ uid: before?.['uid'], sequence: '1', created: before?.['created'] });
    expect(String(after?.['dtstamp']) > String(before?.['dtstamp'])).toBe(true);
    expect(after?.['last-modified']).toEqual(after?.['dtstamp']);

    await ada.api.events.cancel({ event: slug });
    const [cancelled] = (await clubFeed(dora, home)).values();
    expect(cancelled).toMatchObject({
      uid: before?.['uid'],
      summary: 'Cancelled: Long run',
      status: 'CANCELLED',
      transp: 'TRANSPARENT',
      sequence: '2',
    });
  });
});

const answersClub = async () => {
  await run(w.db, sql`delete from rate_limits`);
  const [host, reader, other] = [await w.person('Host'), await w.person('Reader'), await w.person('Other')];
  return { host, reader, other, club: await w.club([host, reader, other], 'Answers') };
};
const entryOf = async (person: Person, which: ClubHandle, name = 'Tuesday run') =>
  (await clubFeed(person, which)).get(name) as Entry;
const secondsBetween = (from?: string, to?: string) =>
  Math.floor((Date.parse(String(to)) - Date.parse(String(from))) / 1000);
const tagOf = async (address: string) => String((await fetch(address)).headers.get('etag'));
const statusOf = async (address: string, tag?: string) =>
  (await fetch(address, tag === undefined ? {} : { headers: { 'if-none-match': tag } })).status;

describe('entry for one reader', () => {
  test('an answer raises SEQUENCE by the whole seconds since the event was created, and updates DTSTAMP [RELAY-01]', async () => {
    const { host, reader, other, club: at } = await answersClub();
    const { id, slug } = await w.event(at, host);
    const untouched = await entryOf(other, at);
    expect(await entryOf(reader, at)).toEqual(untouched);
    expect(untouched).toMatchObject({ sequence: '0', transp: 'TRANSPARENT' });

    w.later('2 hours');
    await reader.api.answers.attend({ event: slug });
    const [row] = await all(
      w.db,
      sql<Record<'created_at' | 'answered_at', string>>`
        select e.created_at, a.answered_at from events e join answers a on a.event_id = e.id
        where e.id = ${id} and a.user_id = ${reader.id}`,
    );
    const attending = await entryOf(reader, at);
    expect(attending).toMatchObject({
      uid: id,
      transp: 'OPAQUE',
      sequence: String(secondsBetween(row?.created_at, row?.answered_at)),
      dtstamp: `${row?.answered_at.slice(0, 19)}Z`,
      'last-modified': attending['dtstamp'],
    });
    expect(Number(attending['sequence'])).toBeGreaterThanOrEqual(7200);

    await host.api.events.edit({ event: slug, club: at.id, details: 'Bring a coat' });
    expect(Number((await entryOf(reader, at))['sequence'])).toBe(Number(attending['sequence']) + 1);
    w.later('1 hour');
    await reader.api.answers.unattend({ event: slug });
    const away = await entryOf(reader, at);
    expect(away).toMatchObject({ transp: 'TRANSPARENT' });
    expect(Number(away['sequence'])).toBeGreaterThanOrEqual(Number(attending['sequence']) + 3601);
    expect(await entryOf(other, at)).toMatchObject({ sequence: '1', transp: 'TRANSPARENT' });
  });

  test('answering and joining raise SEQUENCE for that reader only; the feed of another member keeps its ETag', async () => {
    const { host, reader, other, club: at } = await answersClub();
    const { slug } = await w.event(at, host);
    const addressOf = async (person: Person) =>
      `${w.origin}/api/v1/clubs/${at.id}/ical/${await clubSecret(person, at.id)}/calendar.ics`;
    const [mine, theirs] = [await addressOf(reader), await addressOf(other)];
    const tags = [await tagOf(mine), await tagOf(theirs)] as const;
    for (const call of ['attend', 'unattend', 'attend'] as const) {
      const before = await tagOf(mine);
      await reader.api.answers[call]({ event: slug });
      expect(await statusOf(mine, before)).toBe(200);
      expect(await statusOf(theirs, tags[1])).toBe(304);
    }
    w.later('1 hour');
    const lateFetcher = await w.person('Late');
    await lateFetcher.api.invites.join({
      invite: (await host.api.invites.create({ club_id: at.id })).invite_link,
    });
    const entry = await entryOf(lateFetcher, at);
    expect(Number(entry['sequence'])).toBeGreaterThanOrEqual(3600);
    expect(entry['dtstamp']).toBe(entry['last-modified']);
    expect(entry['dtstamp']?.slice(0, 16)).toBe(w.now().slice(0, 16));
  });

  test('taking over an event raises SEQUENCE in both the downloaded file and the feed', async () => {
    const { host, reader, club: at } = await answersClub();
    const { slug } = await w.event(at, host);
    await host.api.members.changeRole({ club: at.id, member: reader.id, role: 200 });
    const before = await entryOf(reader, at);
    await host.api.members.leave({ club: at.id });
    const after = await entryOf(reader, at);
    expect([before['transp'], after['transp']]).toEqual(['TRANSPARENT', 'OPAQUE']);
    expect(Number(after['sequence'])).toBeGreaterThan(Number(before['sequence']));
    expect(read(await reader.api.calendar.oneEvent({ event: slug })).get('Tuesday run')).toEqual(after);
  });

  test('answer times are deleted a day after the member left, unless they have rejoined', async () => {
    const { host, reader, other, club: at } = await answersClub();
    const { slug, id } = await w.event(at, host);
    const { invite_link } = await host.api.invites.create({ club_id: at.id });
    for (const { api } of [reader, other]) {
      await api.answers.attend({ event: slug });
      await api.members.leave({ club: at.id });
    }
    await reader.api.invites.join({ invite: invite_link });
    const usersWithAnswers = async () => {
      await deleteExpired(w.db, w.now());
      const rows = sql<{ user_id: string }>`select user_id from answer_changes where event_id = ${id}`;
      return (await all(w.db, rows)).map(({ user_id }) => user_id).toSorted();
    };
    expect(await usersWithAnswers()).toEqual([reader.id, other.id].toSorted());
    w.later('25 hours');
    expect(await usersWithAnswers()).toEqual([reader.id]);
  });

  test('SEQUENCE, DTSTAMP and LAST-MODIFIED rise whenever TRANSP or STATUS changes and never fall, even after rejoining [RELAY-01]', async () => {
    const steps = {
      attend: (person: Person, event: string) => person.api.answers.attend({ event }),
      unattend: (person: Person, event: string) => person.api.answers.unattend({ event }),
      edit: (_: Person, event: string, at: ClubHandle, host: Person) =>
        host.api.events.edit({ event, club: at.id, details: crypto.randomUUID() }),
      limit: (_: Person, event: string, at: ClubHandle, host: Person) =>
        host.api.events.edit({ event, club: at.id, capacity: 1 }),
      unlimit: (_: Person, event: string, at: ClubHandle, host: Person) =>
        host.api.events.edit({ event, club: at.id, capacity: null }),
      rejoin: async (person: Person, _: string, at: ClubHandle, host: Person) => {
        const { invite_link } = await host.api.invites.create({ club_id: at.id });
        await person.api.members.leave({ club: at.id });
        await person.api.invites.join({ invite: invite_link });
      },
      wait: async () => w.later('90 seconds'),
      clean: async () => deleteExpired(w.db, w.now()),
    };
    type Step = keyof typeof steps;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Step>(...(Object.keys(steps) as Step[])), { minLength: 6, maxLength: 14 }),
        async (chosen) => {
          const { host, reader, club: at } = await answersClub();
          const { slug, id } = await w.event(at, host);
          const onlyEntry = async () => [...(await clubFeed(reader, at)).values()][0] as Entry;
          const seen = [await onlyEntry()];
          for (const step of chosen) {
            await run(w.db, sql`delete from rate_limits`);
            await steps[step](reader, slug, at, host);
            const [before, after] = [seen.at(-1) as Entry, await onlyEntry()];
            seen.push(after);
            expect(after['uid']).toBe(id);
            expect(after['last-modified']).toBe(after['dtstamp']);
            const isHigher = Number(after['sequence']) - Number(before['sequence']);
            expect(isHigher).toBeGreaterThanOrEqual(0);
            expect(String(after['dtstamp']) >= String(before['dtstamp'])).toBe(true);
            if (after['transp'] === before['transp'] && after['status'] === before['status']) continue;
            expect(isHigher).toBeGreaterThan(0);
            expect(String(after['dtstamp']) > String(before['dtstamp'])).toBe(true);
          }
        },
      ),
      {
        numRuns: 8,
        endOnFailure: true,
        examples: [
          [['attend', 'unattend', 'attend', 'rejoin', 'attend', 'unattend', 'clean', 'edit']],
          [['limit', 'attend', 'unlimit', 'limit', 'unattend', 'attend', 'rejoin', 'unlimit']],
        ],
      },
    );
  }, 60_000);
});

test('feeds: contain events of the last ninety days, and cancelled events of the last seven days', async () => {
  await using other = await world();
  const host = await other.person('Ada');
  const home = await other.club([host]);
  await other.event(home, host, { name: 'kept', startsIn: 1, lasts: 1 });
  const { slug } = await other.event(home, host, { name: 'gone', startsIn: 1, lasts: 1 });
  await other.event(home, host, { name: 'ahead', startsIn: 24 * 365 * 3 });
  await host.api.events.cancel({ event: slug });
  const names = async () => {
    const club_secret = (await host.api.clubs.get({ club: home.id })).ical_feed_url_id;
    const secret = (await host.api.users.me({})).ical_feed_url_id;
    const inClub = [
      ...read(await other.anyone.calendar.clubFeed({ club: home.id, secret: club_secret })).keys(),
    ];
    const own = [...read(await other.anyone.calendar.personalFeed({ secret })).keys()];
    expect(own.sort()).toEqual(inClub.sort());
    return inClub;
  };
  expect(await names()).toEqual(['Cancelled: gone', 'ahead', 'kept']);
  other.later('7 days');
  expect(await names()).toEqual(['Cancelled: gone', 'ahead', 'kept']);
  other.later('3 hours');
  expect(await names()).toEqual(['ahead', 'kept']);
  // The session expires after a month without requests.
  for (let month = 0; month < 3; month++) {
    other.later('27 days');
    await names();
  }
  expect(await names()).toEqual(['ahead', 'kept']);
  const secret = (await host.api.users.me({})).ical_feed_url_id;
  other.later('2 days');
  expect([...read(await other.anyone.calendar.personalFeed({ secret })).keys()]).toEqual(['ahead']);
});

const propertiesOf = (document: string) =>
  new ICAL.Component(ICAL.parse(document)).getAllProperties().map(({ name }) => name);

describe('event file', () => {
  test('contains the feed entry for members and the preview for outsiders', async () => {
    const { id, slug } = await w.event(club, ada, {
      name: 'Once',
      description: 'Easy',
      details: 'Door 4711',
    });
    await bob.api.answers.attend({ event: slug });
    const mine = read(await bob.api.calendar.oneEvent({ event: slug })).get('Once');
    expect(mine).toEqual((await clubFeed(bob, club)).get('Once'));
    const preview = read(await eve.api.calendar.oneEvent({ event: id })).get('Once');
    expect(preview).toMatchObject({ uid: mine?.['uid'], transp: 'TRANSPARENT' });
    expect(preview?.['description']).toBe(`Easy\n\nhttp://muster.test/app/events/${slug}`);
    await expect(w.anyone.calendar.oneEvent({ event: slug })).rejects.toEqual(apiError(401, 'not_signed_in'));
    await expect(bob.api.calendar.oneEvent({ event: 'nothing' })).rejects.toEqual(apiError(404, 'not_found'));
  });

  test('has no calendar properties, so no client creates a new calendar for it', async () => {
    const { slug } = await w.event(club, ada);
    const feed = await w.anyone.calendar.clubFeed({ club: club.id, secret: await clubSecret(bob, club.id) });
    const properties = ['name', 'x-wr-calname', 'refresh-interval', 'x-published-ttl', 'source', 'url'];
    expect(propertiesOf(feed)).toEqual(expect.arrayContaining(properties));
    const file = await bob.api.calendar.oneEvent({ event: slug });
    expect(propertiesOf(file)).toEqual(['version', 'prodid', 'calscale']);
  });
});

const clubAddress = (which: string, secret: string) =>
  `${w.origin}/api/v1/clubs/${which}/ical/${secret}/calendar.ics`;
const ownAddress = (secret: string) => `${w.origin}/api/v1/users/${secret}/ical/calendar.ics`;

/** Fetches a feed; returns its entries by UID. */
async function fetched(address: string): Promise<Map<string, Entry>> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return read(await response.text(), 'uid');
}

const bare = ['dtstamp', 'dtstart', 'sequence', 'status', 'summary', 'uid'];

/** Expects a URL to serve exactly these earlier entries, as bare cancellations. */
async function expectBareCancellations(address: string, before: Map<string, Entry>): Promise<void> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  const body = await response.text();
  const calendar = new ICAL.Component(ICAL.parse(body));
  const named = calendar.getAllProperties().map(({ name }) => name);
  expect(named.toSorted()).toEqual(['calscale', 'prodid', 'version']);
  const after = read(body, 'uid');
  expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted());
  for (const [uid, entry] of after) {
    const earlier = before.get(uid);
    expect(Object.keys(entry).toSorted()).toEqual(bare);
    expect(entry).toMatchObject({ status: 'CANCELLED', summary: 'Cancelled', dtstart: earlier?.['dtstart'] });
    expect(Number(entry['sequence'])).toBeGreaterThan(Number(earlier?.['sequence']));
    expect(String(entry['dtstamp']) >= String(earlier?.['dtstamp'])).toBe(true);
  }
}

const without = (entries: Map<string, Entry>, name: string) =>
  new Map([...entries].filter(([, { summary }]) => summary !== name));

/** Zoe's club with Yan as a member, and past, upcoming and cancelled events. Yan attends some of them. */
async function yansClub() {
  const [zoe, yan] = [await w.person('Zoe'), await w.person('Yan')];
  const home = await w.club([zoe, yan], 'Short stay');
  const past = await w.event(home, zoe, { name: 'Past', startsIn: 1, lasts: 1 });
  const upcoming = await w.event(home, zoe, { name: 'Coming', startsIn: 48, description: 'A secret plan' });
  const cancelled = await w.event(home, zoe, { name: 'Off', startsIn: 72 });
  await w.event(home, zoe, { name: 'Other', startsIn: 96 });
  for (const { slug } of [past, upcoming, cancelled]) await yan.api.answers.attend({ event: slug });
  w.later('3 hours');
  await zoe.api.events.edit({ event: upcoming.slug, club: home.id, details: 'Door 4711' });
  await zoe.api.events.cancel({ event: cancelled.slug });
  const ofClub = clubAddress(home.id, await clubSecret(yan, home.id));
  const own = ownAddress(await ownSecret(yan));
  return { zoe, yan, home, upcoming, ofClub, own };
}

/** Advances the clock in steps, with requests that keep the sessions that later tests need alive. */
async function pastDays(days: number): Promise<void> {
  for (let left = days; left > 0; left -= 15) {
    w.later(`${Math.min(left, 15)} days`);
    for (const { api } of [ada, bob, eve]) await api.users.me({});
  }
}

/** A club whose reader goes to one event, has said maybe to a cancelled one. */
async function feedsOf() {
  const { host, reader, club: at } = await answersClub();
  await reader.api.users.update({ language: 'de' });
  const [run, off] = [
    await w.event(at, host, { name: 'Waldlauf', guests_max: 2 }),
    await w.event(at, host, { name: 'Off' }),
  ];
  await reader.api.answers.answer({ event: run.id, answer: 'going', guests: 2 });
  await reader.api.answers.answer({ event: off.id, answer: 'maybe' });
  const maybe = (await clubFeed(reader, at)).get('Vielleicht: Off');
  await host.api.events.cancel({ event: off.id });
  const addresses = [
    clubAddress(at.id, await clubSecret(reader, at.id)),
    ownAddress(await ownSecret(reader)),
  ];
  return { host, reader, club: at, run, maybe, addresses };
}

describe('language', () => {
  test('feeds and files have the texts of their owner, and the names of events as they are [LANG-10]', async () => {
    const { host, reader, club: at, run, maybe, addresses } = await feedsOf();
    expect(maybe?.description).toMatch(/^Du kommst vielleicht\.\n/);
    for (const address of addresses) {
      const entries = await fetched(address);
      expect([...entries.values()].map(({ summary }) => summary).sort()).toEqual([
        'Abgesagt: Off',
        'Waldlauf',
      ]);
      const { description } = [...entries.values()].find(({ summary }) => summary === 'Waldlauf') as Entry;
      expect(description).toMatch(/^Du hast zugesagt \(\+2\)\.\n/);
    }
    expect(await (await fetch(addresses[1] as string)).text()).toContain('NAME:Meine Muster-Termine\r\n');
    expect(await reader.api.calendar.oneEvent({ event: run.id })).toContain(
      'DESCRIPTION:Du hast zugesagt (+2).',
    );
    expect((await clubFeed(host, at)).get('Waldlauf')?.description).toMatch(/^You are going\./);
  });

  test('a change of the language or the clock changes the ETag of both feeds, and their times [LANG-10]', async () => {
    const { host, reader, run, club: at, addresses } = await feedsOf();
    const { start_time } = await reader.api.events.get({ event: run.id });
    await host.api.events.edit({ event: run.id, club: at.id, start_time: addSeconds(start_time, 3600) });
    const descriptions = async () => {
      const bodies = await Promise.all(
        addresses.map(async (address) => [...(await fetched(address)).values()]),
      );
      return bodies.map((entries) => entries.find(({ uid }) => uid === run.id)?.description);
    };
    const tags = () => Promise.all(addresses.map(tagOf));
    const seen = [await tags()];
    for (const text of await descriptions())
      expect(text).toMatch(/\nVerlegt\. Bisher: \w\w\., .* \d\d:\d\d\sUhr\./);
    for (const [look, moved] of [
      [{ language: 'en' }, /\nMoved from \w\w\w \d.*, \d+:\d\d [ap]m\./],
      [{ clock: '24' }, /\nMoved from \w\w\w \d.*, \d\d:\d\d\./],
    ] as const) {
      await reader.api.users.update(look);
      for (const text of await descriptions()) expect(text).toMatch(moved);
      for (const before of seen)
        expect(await Promise.all(addresses.map((address, at) => statusOf(address, before[at])))).toEqual([
          200, 200,
        ]);
      seen.push(await tags());
    }
    await reader.api.users.update({ language: 'de', clock: 'auto' });
    expect(await tags()).toEqual(seen[0]);
  });

  test('the retired address of a feed names cancellations in the language of its former owner [LANG-10]', async () => {
    const { reader, addresses } = await feedsOf();
    await reader.api.calendar.replaceSecret({});
    const own = addresses[1] as string;
    const summaries = async () => [...(await fetched(own)).values()].map(({ summary }) => summary);
    expect(await summaries()).toContain('Abgesagt');
    await reader.api.users.update({ language: 'en' });
    expect(await summaries()).toContain('Cancelled');
  });
});

describe('feed URL of a former member', () => {
  test('serves bare cancellations of the upcoming events for 30 days, then 404 [T19]', async () => {
    const { zoe, yan, home, upcoming, ofClub } = await yansClub();
    const before = await fetched(ofClub);
    expect(before.size).toBe(4);
    await yan.api.members.leave({ club: home.id });
    await expectBareCancellations(ofClub, without(before, 'Past'));
    const first = await fetch(ofClub);
    const text = await first.text();
    for (const word of ['Short stay', 'Coming', 'secret plan', '4711', 'Pier 3', upcoming.slug, 'http'])
      expect(text).not.toContain(word);
    expect(first.headers.get('content-type')).toBe('text/calendar; charset=utf-8');

    await zoe.api.events.edit({ event: upcoming.slug, club: home.id, name: 'Later' });
    const headers = { 'if-none-match': String(first.headers.get('etag')) };
    expect((await fetch(ofClub, { headers })).status).toBe(304);
    expect(await (await fetch(ofClub.replace(home.id, home.slug))).text()).toBe(text);
    const elsewhere = await w.club([zoe], 'Elsewhere');
    expect(await statusOf(ofClub.replace(home.id, elsewhere.id))).toBe(404);
    expect(await statusOf(ofClub.replace(home.id, elsewhere.slug))).toBe(404);
    expect(await statusOf(ownAddress(ofClub.split('/').at(-2) as string))).toBe(404);

    await pastDays(29);
    expect(await (await fetch(ofClub)).text()).toBe(text);
    await deleteExpired(w.db, w.now());
    expect(await statusOf(ofClub)).toBe(200);
    await pastDays(1);
    expect(await statusOf(ofClub)).toBe(404);
    expect(await all(w.db, sql`select 1 from retired_feeds where club_id = ${home.id}`)).toHaveLength(1);
    await deleteExpired(w.db, w.now());
    expect(await all(w.db, sql`select 1 from retired_feeds where club_id = ${home.id}`)).toEqual([]);
  });

  test('keeps serving the same cancellations after the member rejoins and gets a new URL', async () => {
    const { zoe, yan, home, ofClub } = await yansClub();
    const before = without(await fetched(ofClub), 'Past');
    await yan.api.members.leave({ club: home.id });
    const { invite_link } = await zoe.api.invites.create({ club_id: home.id });
    await yan.api.invites.join({ invite: invite_link });
    await expectBareCancellations(ofClub, before);
    const again = clubAddress(home.id, await clubSecret(yan, home.id));
    expect([...(await clubFeed(yan, home)).keys()]).toContain('Coming');
    await zoe.api.members.eject({ club: home.id, member: yan.id });
    for (const address of [ofClub, again]) expect(await statusOf(address)).toBe(404);
  });

  test('the personal feed continues without the events of that club', async () => {
    const { yan, home, own } = await yansClub();
    const elsewhere = await w.club([yan], 'Elsewhere');
    await w.event(elsewhere, yan, { name: 'Mine' });
    await yan.api.members.leave({ club: home.id });
    const names = [...(await fetched(own)).values()].map(({ summary }) => summary);
    expect(names).toEqual(['Mine']);
  });
});

test("ejection: the member's URLs of the club feed are 404 at once [T18]", async () => {
  const { zoe, yan, home, ofClub, own } = await yansClub();
  await yan.api.calendar.replaceSecret({ club_id: home.id });
  const current = clubAddress(home.id, await clubSecret(yan, home.id));
  expect([await statusOf(ofClub), await statusOf(current)]).toEqual([200, 200]);
  await zoe.api.members.eject({ club: home.id, member: yan.id });
  expect([await statusOf(ofClub), await statusOf(current)]).toEqual([404, 404]);
  expect([...read(await (await fetch(own)).text()).keys()]).toEqual(['No events']);
});

test('account deletion: all feed URLs are 404, including retired ones', async () => {
  const { zoe, yan, ofClub, own } = await yansClub();
  const left = await w.club([zoe, yan], 'Left before');
  const leftAddress = clubAddress(left.id, await clubSecret(yan, left.id));
  await yan.api.members.leave({ club: left.id });
  await yan.api.calendar.replaceSecret({});
  const current = ownAddress(await ownSecret(yan));
  const addresses = [ofClub, own, leftAddress, current];
  for (const address of addresses) expect(await statusOf(address)).toBe(200);
  await run(
    w.db,
    sql`insert into login_codes (id, email, purpose, short_hash, long_hash, created_at, expires_at)
        values (gen_random_uuid(), ${yan.email}, 'deletion', ${hmac(w.config.secretKey, 'code', yan.email, 'ABCDEF')}, ''::bytea,
          ${w.now()}, ${w.now()}::timestamptz + interval '10 minutes')`,
  );
  await yan.api.account.remove({ code: 'ABCDEF', choices: [] });
  for (const address of addresses) expect(await statusOf(address)).toBe(404);
  expect(await all(w.db, sql`select 1 from retired_feeds where user_id = ${yan.id}`)).toEqual([]);
});

describe('replacing a secret', () => {
  test('of the personal feed: the old URL serves bare cancellations for 30 days; club feeds are unchanged', async () => {
    const { yan, home, own } = await yansClub();
    const before = await fetched(own);
    expect(before.size).toBe(3);
    const ofClub = await clubSecret(yan, home.id);
    const { ical_feed_url_id } = await yan.api.calendar.replaceSecret({});
    expect(ownAddress(ical_feed_url_id)).not.toBe(own);
    expect(await ownSecret(yan)).toBe(ical_feed_url_id);
    await expectBareCancellations(own, without(before, 'Past'));
    expect([...(await ownFeed(yan)).keys()].toSorted()).toEqual(['Cancelled: Off', 'Coming', 'Past']);
    expect(await clubSecret(yan, home.id)).toBe(ofClub);
    await pastDays(30);
    expect(await statusOf(own)).toBe(404);
    expect(await statusOf(ownAddress(ical_feed_url_id))).toBe(200);
  });

  test('of a club feed: the old URL serves bare cancellations; feeds of other members are unchanged', async () => {
    const { zoe, yan, home, ofClub, own } = await yansClub();
    const before = await fetched(ofClub);
    const zoes = await clubSecret(zoe, home.id);
    const { ical_feed_url_id } = await yan.api.calendar.replaceSecret({ club_id: home.slug });
    await expectBareCancellations(ofClub, without(before, 'Past'));
    expect((await fetched(clubAddress(home.id, ical_feed_url_id))).size).toBe(before.size);
    expect([ownAddress(await ownSecret(yan)), await clubSecret(zoe, home.id)]).toEqual([own, zoes]);
  });

  test('that leaked: the old URL and all earlier ones of the feed are 404 at once [T19]', async () => {
    const { yan, home, ofClub, own } = await yansClub();
    await yan.api.calendar.replaceSecret({});
    await yan.api.calendar.replaceSecret({ club_id: home.id });
    const second = clubAddress(home.id, await clubSecret(yan, home.id));
    await yan.api.calendar.replaceSecret({ club_id: home.id, leaked: true });
    expect([await statusOf(ofClub), await statusOf(second), await statusOf(own)]).toEqual([404, 404, 200]);
    const current = ownAddress(await ownSecret(yan));
    await yan.api.calendar.replaceSecret({ leaked: true });
    expect([await statusOf(own), await statusOf(current)]).toEqual([404, 404]);
    expect([...(await ownFeed(yan)).keys()]).toContain('Coming');
  });

  test('repeatedly: only the five newest old URLs are served', async () => {
    const { yan, own } = await yansClub();
    const addresses = [own];
    for (let n = 0; n < 6; n++) {
      w.later('1 second');
      addresses.push(ownAddress((await yan.api.calendar.replaceSecret({})).ical_feed_url_id));
    }
    const statuses = await Promise.all(addresses.map((address) => statusOf(address)));
    expect(statuses).toEqual([404, 200, 200, 200, 200, 200, 200]);
  });

  test.each(['personal', 'club'])(
    'twice concurrently: both old URLs of the %s feed serve cancellations',
    async (kind) => {
      const { yan, home, ofClub, own } = await yansClub();
      const isClub = kind === 'club';
      for (let round = 0, old = isClub ? ofClub : own; round < 4; round++) {
        const before = without(await fetched(old), 'Past');
        const input = isClub ? { club_id: home.id } : {};
        const made = await Promise.all([1, 2].map(() => yan.api.calendar.replaceSecret(input)));
        const now = isClub ? await clubSecret(yan, home.id) : await ownSecret(yan);
        const secrets = made.map(({ ical_feed_url_id }) => ical_feed_url_id);
        expect(secrets).toContain(now);
        const between = secrets.find((secret) => secret !== now) as string;
        const addressOf = (secret: string) => (isClub ? clubAddress(home.id, secret) : ownAddress(secret));
        for (const address of [old, addressOf(between)]) await expectBareCancellations(address, before);
        old = addressOf(now);
        w.later('1 second');
      }
    },
  );

  test('without upcoming events: the old URL serves an empty calendar', async () => {
    const xan = await w.person('Xan');
    const old = ownAddress(await ownSecret(xan));
    await xan.api.calendar.replaceSecret({});
    const entries = [...(await fetched(old)).values()];
    expect(entries.map(({ summary, status }) => [summary, status])).toEqual([['No events', 'CANCELLED']]);
  });

  test('refused with not_found for a member who is being removed', async () => {
    const [yan, zoe] = [await w.person('Yan'), await w.person('Zoe')];
    const home = await w.club([yan, zoe], 'Short stay');
    const membership = sql`club_id = ${home.id} and user_id = ${zoe.id}`;
    const outcome = await whileHeld(
      w,
      sql`select 1 from members where ${membership} for update`,
      () => zoe.api.calendar.replaceSecret({ club_id: home.id }),
      (held) => sql`delete from members where ${membership}`.execute(held),
    );
    expect(outcome).toBe('404 not_found');
  });

  test('requires a session and membership', async () => {
    await expect(eve.api.calendar.replaceSecret({ club_id: club.id })).rejects.toEqual(
      apiError(404, 'not_found'),
    );
    await expect(w.anyone.calendar.replaceSecret({})).rejects.toEqual(apiError(401, 'not_signed_in'));
  });
});

const inUtc = (time: string) => `${time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

test.each([
  ['Europe/London', '2027-03-27T18:30:00.000Z'],
  ['Europe/London', '2027-10-30T17:30:00.000Z'],
  ['America/New_York', '2027-03-13T23:30:00.000Z'],
])(
  'feeds: a day across a daylight saving change in %s is 24 hours in UTC [C15]',
  async (time_zone, start_time) => {
    const home = await w.club([ada], 'Clocks');
    const end_time = instant(Date.parse(start_time) + 86_400_000);
    await ada.api.events.create({
      club: home.id,
      name: 'Day',
      location_name: 'Pier',
      start_time,
      end_time,
      time_zone,
    });
    const secret = await clubSecret(ada, home.id);
    const body = await w.anyone.calendar.clubFeed({ club: home.id, secret });
    expect(body).toContain(`\r\nDTSTART:${inUtc(start_time)}\r\nDTEND:${inUtc(end_time)}\r\n`);
  },
);

test('F15: feed limit: 600 full responses per hour and feed; a 304 does not count and is served beyond the limit', async () => {
  w.later(`${61 - new Date(w.now()).getUTCMinutes()} minutes`);
  const [cyd, dan] = [await w.person('Cyd'), await w.person('Dan')];
  const home = await w.club([cyd, dan]);
  const address = async (person: Person) =>
    `${w.origin}/api/v1/clubs/${home.id}/ical/${await clubSecret(person, home.id)}/calendar.ics`;
  const [mine, theirs] = [await address(cyd), await address(dan)];
  const etag = (await fetch(mine)).headers.get('etag') as string;
  const unchanged = async () => (await fetch(mine, { headers: { 'if-none-match': etag } })).status;
  for (let n = 1; n <= 70; n++) expect(await unchanged()).toBe(304);
  for (let n = 1; n < 600; n++) {
    const { status, body } = await fetch(mine);
    await body?.cancel();
    expect([n, status]).toEqual([n, 200]);
  }
  const limited = await fetch(mine);
  expect(limited.status).toBe(429);
  expect(limited.headers.get('retry-after')).toMatch(/^(3600|3[45]\d\d)$/);
  expect(await unchanged()).toBe(304);
  expect((await fetch(theirs)).status).toBe(200);
  const own = `${w.origin}/api/v1/users/${await ownSecret(cyd)}/ical/calendar.ics`;
  expect((await fetch(own)).status).toBe(200);
  await cyd.api.calendar.replaceSecret({ club_id: home.id });
  expect((await fetch(await address(cyd))).status).toBe(200);
});

const linkIn = (text = '') => /https?:\/\/\S+calendar\.ics/.exec(text)?.[0] ?? '';
const mailsTo = async ({ email }: Person) =>
  (await w.outbox()).filter(
    ({ to, subject = '' }) => to?.[0]?.address === email && /calendar link|kalenderlink/i.test(subject),
  );

test('email of the link: goes to the own address with a link that works and two steps, in the language of the reader [CALUX-01]', async () => {
  const cyd = await w.person('Cyd');
  const boats = await w.club([ada, cyd], 'Boats & Co');
  await w.event(boats, ada, { name: 'Regatta' });
  await cyd.api.calendar.emailLink({ club_id: boats.slug });
  await cyd.api.users.update({ language: 'de' });
  await cyd.api.calendar.emailLink({});
  await vi.waitFor(async () => expect(await mailsTo(cyd)).toHaveLength(2), 10_000);
  const [ofClub, own] = (await mailsTo(cyd)).toSorted((one, other) =>
    (one.subject ?? '').localeCompare(other.subject ?? ''),
  );
  expect(ofClub?.subject).toBe('Calendar link for your computer: Boats & Co');
  expect(own?.subject).toBe('Kalenderlink für deinen Computer: Meine Muster-Termine');
  expect(new URL(linkIn(ofClub?.text)).pathname).toBe(
    `/api/v1/clubs/${boats.id}/ical/${await clubSecret(cyd, boats.id)}/calendar.ics`,
  );
  expect(new URL(linkIn(own?.text)).pathname).toBe(`/api/v1/users/${await ownSecret(cyd)}/ical/calendar.ics`);
  const feed = await fetch(w.origin + new URL(linkIn(ofClub?.text)).pathname);
  expect([feed.status, await feed.text()]).toEqual([200, expect.stringContaining('SUMMARY:Regatta')]);
  expect(ofClub?.text).toMatch(/1\. Copy this link.*2\. Open Google Calendar/s);
  expect(ofClub?.html).toContain('https://calendar.google.com/calendar/u/0/r/settings/addbyurl');
});

test('email of the link: at most five in an hour, and none for a club of others [CALUX-01]', async () => {
  const dan = await w.person('Dan');
  await expect(dan.api.calendar.emailLink({ club_id: club.id })).rejects.toEqual(apiError(404, 'not_found'));
  for (let nth = 0; nth < 5; nth++) await dan.api.calendar.emailLink({});
  await expect(dan.api.calendar.emailLink({})).rejects.toEqual(apiError(429, 'too_often'));
});
