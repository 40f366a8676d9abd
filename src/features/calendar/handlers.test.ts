import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#platform/db.ts';
import { instant } from '#wire/instant.ts';
import { whileHeld } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

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

const refused = (status: number, error: string) => expect.objectContaining({ status, error });

const clubSecret = async ({ api }: Person, which: string) =>
  (await api.clubs.get({ club: which })).ical_feed_url_id;
const ownSecret = async ({ api }: Person) => (await api.users.me({})).ical_feed_url_id;
const clubFeed = async (person: Person, which: ClubHandle) =>
  read(await w.anyone.calendar.clubFeed({ club: which.id, secret: await clubSecret(person, which.id) }));
const ownFeed = async (person: Person) =>
  read(await w.anyone.calendar.personalFeed({ secret: await ownSecret(person) }));

type Entry = Record<string, string>;

/** The events of a document by the name of the event, as a calendar program reads them. */
function read(document: string): Map<string, Entry> {
  const components = new ICAL.Component(ICAL.parse(document)).getAllSubcomponents('vevent');
  const entries = components.map((component): Entry =>
    Object.fromEntries(
      component.getAllProperties().map((property) => [property.name, String(property.getFirstValue())]),
    ),
  );
  return new Map(entries.map((entry) => [entry['summary'] ?? '', entry]));
}

describe('the feed of a club', () => {
  test('has all its events, busy where the owner of the secret attends [CAL-01 CAL-03 API-49]', async () => {
    const home = await w.club([ada, bob], 'Rowers, Ltd');
    const run = await w.event(home, ada, { name: 'Run', details: 'Bring a light' });
    await w.event(home, ada, { name: 'Row' });
    await bob.api.attendance.attend({ event: run.slug });
    const secret = await clubSecret(bob, home.id);
    const answer = await fetch(`${w.origin}/api/v1/clubs/${home.slug}/ical/${secret}/calendar.ics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`inline; filename="${home.slug}.ics"`);
    expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
    const body = await answer.text();
    expect(body).toContain('\r\nNAME:Rowers\\, Ltd\r\nX-WR-CALNAME:Rowers\\, Ltd\r\n');
    expect(body).toMatch(/END:VCALENDAR\r\n$/);

    const entries = read(body);
    expect([...entries.keys()].sort()).toEqual(['Row', 'Run']);
    expect(entries.get('Run')).toMatchObject({
      uid: `${run.id}@muster.test`,
      status: 'CONFIRMED',
      transp: 'OPAQUE',
      sequence: '0',
      location: 'Pier 3',
      url: `http://muster.test/app/events/${run.slug}`,
      description: `Bring a light\n\nhttp://muster.test/app/events/${run.slug}`,
    });
    expect(entries.get('Row')).toMatchObject({ transp: 'TRANSPARENT' });
    expect((await clubFeed(ada, home)).get('Row')).toMatchObject({ transp: 'OPAQUE' });
  });

  test('names nobody and carries nothing that acts', async () => {
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

  test('only the secret of a member for this very club opens it', async () => {
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
        refused(404, 'not_found'),
      );
    // A session opens nothing either: the secret is the only key.
    await expect(ada.api.calendar.clubFeed({ club: club.id, secret: 'guess' })).rejects.toEqual(
      refused(404, 'not_found'),
    );
    await expect(
      eve.api.calendar.clubFeed({ club: club.id, secret: String(secrets[0]) }),
    ).resolves.toBeTruthy();
  });

  test('dies with the seat, by leaving as by ejection', async () => {
    const [zoe, yan] = [await w.person('Zoe'), await w.person('Yan')];
    const home = await w.club([ada, zoe, yan], 'Short stay');
    for (const [person, go] of [
      [zoe, () => ada.api.members.eject({ club: home.id, member: zoe.id })],
      [yan, () => yan.api.members.leave({ club: home.id })],
    ] as const) {
      const secret = await clubSecret(person, home.id);
      await expect(w.anyone.calendar.clubFeed({ club: home.id, secret })).resolves.toBeTruthy();
      await go();
      await expect(w.anyone.calendar.clubFeed({ club: home.id, secret })).rejects.toEqual(
        refused(404, 'not_found'),
      );
    }
  });
});

describe('the personal feed', () => {
  test('has what its owner attends, across all their clubs of now [CAL-02 CAL-03 API-50]', async () => {
    const cleo = await w.person('Cleo');
    const [one, two] = [await w.club([ada, cleo], 'One'), await w.club([ada, cleo], 'Two')];
    const events = [
      await w.event(one, ada, { name: 'In one' }),
      await w.event(two, ada, { name: 'In two' }),
      await w.event(two, ada, { name: 'Not attended' }),
    ];
    for (const { slug } of events.slice(0, 2)) await cleo.api.attendance.attend({ event: slug });
    const answer = await fetch(`${w.origin}/api/v1/users/${await ownSecret(cleo)}/ical/calendar.ics`);
    const body = await answer.text();
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(body).toContain('\r\nX-WR-CALNAME:My Muster events\r\n');
    const entries = read(body);
    expect([...entries.keys()].sort()).toEqual(['In one', 'In two']);
    expect(entries.get('In two')).toMatchObject({ transp: 'OPAQUE', uid: `${events[1]?.id}@muster.test` });

    const past = await w.event(two, ada, { name: 'Over', startsIn: 0.01, lasts: 0.01 });
    await cleo.api.attendance.attend({ event: past.slug });
    w.later('2 minutes');
    expect([...(await ownFeed(cleo)).keys()]).toContain('Over');
    await cleo.api.members.leave({ club: two.id });
    expect([...(await ownFeed(cleo)).keys()]).toEqual(['In one']);
  });

  test('opens with its own secret alone, never with an id', async () => {
    for (const secret of [ada.id, await clubSecret(ada, club.id), 'guess', ada.email])
      await expect(w.anyone.calendar.personalFeed({ secret })).rejects.toEqual(refused(404, 'not_found'));
  });
});

describe('a change', () => {
  test('keeps the UID, raises the sequence, and says when; nothing else changes the document', async () => {
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

test('feeds go back ninety days, and seven for what was cancelled', async () => {
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
  // The session ends when nobody comes by for a month.
  for (let month = 0; month < 3; month++) {
    other.later('27 days');
    await names();
  }
  expect(await names()).toEqual(['ahead', 'kept']);
  const secret = (await host.api.users.me({})).ical_feed_url_id;
  other.later('2 days');
  expect([...read(await other.anyone.calendar.personalFeed({ secret })).keys()]).toEqual(['ahead']);
});

describe('one event', () => {
  test('is the same to members as in the feed, and the preview to outsiders', async () => {
    const { id, slug } = await w.event(club, ada, {
      name: 'Once',
      description: 'Easy',
      details: 'Door 4711',
    });
    await bob.api.attendance.attend({ event: slug });
    const mine = read(await bob.api.calendar.oneEvent({ event: slug })).get('Once');
    expect(mine).toEqual((await clubFeed(bob, club)).get('Once'));
    const preview = read(await eve.api.calendar.oneEvent({ event: id })).get('Once');
    expect(preview).toMatchObject({ uid: mine?.['uid'], transp: 'TRANSPARENT' });
    expect(preview?.['description']).toBe(`Easy\n\nhttp://muster.test/app/events/${slug}`);
    await expect(w.anyone.calendar.oneEvent({ event: slug })).rejects.toEqual(refused(401, 'not_signed_in'));
    await expect(bob.api.calendar.oneEvent({ event: 'nothing' })).rejects.toEqual(refused(404, 'not_found'));
  });
});

describe('a replaced secret', () => {
  test('kills the old address of the personal feed, and touches no feed of a club', async () => {
    const old = await ownSecret(bob);
    const ofClub = await clubSecret(bob, club.id);
    const { ical_feed_url_id } = await bob.api.calendar.replaceSecret({});
    expect(ical_feed_url_id).not.toBe(old);
    expect(await ownSecret(bob)).toBe(ical_feed_url_id);
    await expect(w.anyone.calendar.personalFeed({ secret: old })).rejects.toEqual(refused(404, 'not_found'));
    await expect(w.anyone.calendar.personalFeed({ secret: ical_feed_url_id })).resolves.toBeTruthy();
    expect(await clubSecret(bob, club.id)).toBe(ofClub);
  });

  test('kills the old address of one member for one club, and nobody else’s', async () => {
    const [old, own, adas] = [
      await clubSecret(bob, club.id),
      await ownSecret(bob),
      await clubSecret(ada, club.id),
    ];
    const { ical_feed_url_id } = await bob.api.calendar.replaceSecret({ club_id: club.slug });
    await expect(w.anyone.calendar.clubFeed({ club: club.id, secret: old })).rejects.toEqual(
      refused(404, 'not_found'),
    );
    await expect(
      w.anyone.calendar.clubFeed({ club: club.id, secret: ical_feed_url_id }),
    ).resolves.toBeTruthy();
    expect([await ownSecret(bob), await clubSecret(ada, club.id)]).toEqual([own, adas]);
  });

  test('comes to nobody who is losing the seat', async () => {
    const [yan, zoe] = [await w.person('Yan'), await w.person('Zoe')];
    const home = await w.club([yan, zoe], 'Short stay');
    const seat = sql`club_id = ${home.id} and user_id = ${zoe.id}`;
    const replaces = await whileHeld(
      w,
      sql`select 1 from members where ${seat} for update`,
      () => zoe.api.calendar.replaceSecret({ club_id: home.id }),
      (held) => sql`delete from members where ${seat}`.execute(held),
    );
    expect(replaces).toBe('404 not_found');
  });

  test('is for members, with a session', async () => {
    await expect(eve.api.calendar.replaceSecret({ club_id: club.id })).rejects.toEqual(
      refused(404, 'not_found'),
    );
    await expect(w.anyone.calendar.replaceSecret({})).rejects.toEqual(refused(401, 'not_signed_in'));
  });
});

const inUtc = (moment: string) => `${moment.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

test.each([
  ['Europe/London', '2027-03-27T18:30:00.000Z'],
  ['Europe/London', '2027-10-30T17:30:00.000Z'],
  ['America/New_York', '2027-03-13T23:30:00.000Z'],
])('across the change of clocks in %s the feed says UTC and 24 hours', async (time_zone, start_time) => {
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
});

test('F15: a feed is made sixty times an hour, also when nothing is new; other feeds go on', async () => {
  w.later(`${61 - new Date(w.now()).getUTCMinutes()} minutes`);
  const [cyd, dan] = [await w.person('Cyd'), await w.person('Dan')];
  const home = await w.club([cyd, dan]);
  const address = async (person: Person) =>
    `${w.origin}/api/v1/clubs/${home.id}/ical/${await clubSecret(person, home.id)}/calendar.ics`;
  const [mine, theirs] = [await address(cyd), await address(dan)];
  const etag = (await fetch(mine)).headers.get('etag') as string;
  for (let n = 1; n < 60; n++)
    expect((await fetch(mine, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const refused = await fetch(mine, { headers: { 'if-none-match': etag } });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toMatch(/^(3600|3[45]\d\d)$/);
  expect((await fetch(theirs)).status).toBe(200);
  const own = `${w.origin}/api/v1/users/${await ownSecret(cyd)}/ical/calendar.ics`;
  expect((await fetch(own)).status).toBe(200);
  await cyd.api.calendar.replaceSecret({ club_id: home.id });
  expect((await fetch(mine)).status).toBe(404);
  expect((await fetch(await address(cyd))).status).toBe(200);
});
