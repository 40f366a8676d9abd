import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import { sql } from '#platform/db/client.ts';
import { deleteUser } from '#features/auth/store.ts';
import { previewFields } from '#features/events/contract.ts';
import { send } from '#test/calls.ts';
import { isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let eve: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob, eve] = [await w.person('Ada', 'Lovelace'), await w.person('Bob'), await w.person('Eve')];
  club = await w.club([ada, bob]);
  // Eve is an outsider who is an admin of another club; that must give her no rights here.
  await w.club([eve], 'Evening Readers');
});
afterAll(() => w[Symbol.asyncDispose]());

const hours = (count: number) => instant(Date.parse(w.now()) + count * 3_600_000);
const minutes = (count: number) => hours(count / 60);
const threeDaysAfter = (time: Instant) => addSeconds(time, 3 * 86_400);
const input = (more = {}) => ({
  club: club.id,
  name: 'Tuesday run',
  location_name: 'Pier 3',
  start_time: hours(24),
  end_time: hours(25),
  ...more,
});
const apiError = (status: number, error: string) => expect.objectContaining({ status, error });

/** A new member who was made an organiser by an admin. */
async function organiserOf(name: string): Promise<Person> {
  const person = await w.person(name);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  await person.api.invites.join({ invite: invite_link });
  await ada.api.members.changeRole({ club: club.id, member: person.id, role: 100 });
  return person;
}

async function stored(slug: string) {
  const { rows } = await sql<Record<string, unknown>>`select * from events where slug = ${slug}`.execute(
    w.db,
  );
  return rows[0] ?? {};
}

describe('create', () => {
  test('returns id, slug and name; stores every field, in the club of the path [API-28 DATA-14]', async () => {
    // Ada is in several clubs; the event must land in neither her first nor her newest one.
    const [named, newest] = [await w.club([ada], 'Chess'), await w.club([ada], 'Choir')];
    const sent = {
      ...input(),
      club: named.slug,
      slug: 'Élan & Ease',
      description: 'Easy pace',
      details: 'Bring a light',
      entry_until_time: hours(20),
      time_zone: 'Europe/London',
    };
    const created = await ada.api.events.create(sent);
    expect(Object.keys(created).sort()).toEqual(['id', 'name', 'slug']);
    expect(created.slug).toMatch(/^elan-ease-[a-z2-7]{10}$/);
    const { club: _, slug: __, ...rest } = sent;
    const expected = { ...created, ...rest, owner_club_id: named.id, club_name: 'Chess' };
    expect(await ada.api.events.get({ event: created.slug })).toMatchObject(expected);
    const inClub = async ({ id }: ClubHandle) =>
      (await ada.api.events.cards({ club: id })).map(({ slug }) => slug);
    expect(await inClub(named)).toEqual([created.slug]);
    for (const other of [club, newest]) expect(await inClub(other)).not.toContain(created.slug);
  });

  test('fills in defaults for omitted fields', async () => {
    const { slug } = await ada.api.events.create(input({ club: club.slug, name: '日本' }));
    expect(slug).toMatch(/^[a-z2-7]{10}$/);
    const event = await ada.api.events.get({ event: slug });
    expect(event).toMatchObject({ description: '', details: '', time_zone: 'UTC', deleted_at: null });
    expect(event.entry_until_time).toBe(event.start_time);
  });

  test('appends a random suffix to a requested slug, so equal requests get different slugs', async () => {
    const sent = input({ slug: 'tuesday-run-abcdefghij' });
    const [one, two] = [await ada.api.events.create(sent), await ada.api.events.create(sent)];
    expect(one.slug).toMatch(/^tuesday-run-abcdefghij-[a-z2-7]{10}$/);
    expect(one.slug).not.toBe(two.slug);
  });

  test('makes the creator the host and first attendee [DATA-11 DATA-12]', async () => {
    const { slug } = await ada.api.events.create(input());
    expect(await ada.api.events.get({ event: slug })).toMatchObject({
      my_role: 'organiser',
      user_count: 1,
      host: { host_first_name: 'Ada', host_last_name: 'Lovelace', host_profile_picture_url: null },
      attendees: [
        {
          attendee_id: ada.id,
          attendee_role: 'organiser',
          first_name: 'Ada',
          last_name: 'Lovelace',
          profile_picture_url: null,
          guests: 0,
        },
      ],
    });
  });

  test('admins only: 403 for members and organisers, 404 for outsiders [ROLE-09]', async () => {
    const olga = await organiserOf('Olga');
    const before = await sql`select 1 from events`.execute(w.db);
    await expect(bob.api.events.create(input())).rejects.toEqual(apiError(403, 'not_admin'));
    await expect(olga.api.events.create(input())).rejects.toEqual(apiError(403, 'not_admin'));
    await expect(eve.api.events.create(input())).rejects.toEqual(apiError(404, 'not_found'));
    await expect(w.anyone.events.create(input())).rejects.toEqual(apiError(401, 'not_signed_in'));
    expect((await sql`select 1 from events`.execute(w.db)).rows).toHaveLength(before.rows.length);
  });

  test.each([
    ['an empty name', { name: ' ' }, 'bad_input'],
    ['an empty location', { location_name: '' }, 'bad_input'],
    ['an unknown time zone', { time_zone: 'Europe/Atlantis' }, 'bad_input'],
    ['an invalid start time', { start_time: 'tomorrow' }, 'bad_input'],
    ['a year that PostgreSQL cannot store', { entry_until_time: '0000-01-01T00:00:00Z' }, 'bad_input'],
    ['an end before the start', { end_time: '2020-01-01T00:00:00Z' }, 'ends_before_start'],
    ['a start in the past', { start_time: '2020-01-01T00:00:00Z' }, 'starts_in_past'],
  ])('rejects %s', async (_, wrong, error) => {
    await expect(ada.api.events.create(input(wrong))).rejects.toEqual(apiError(400, error));
  });

  test('accepts a start up to five minutes in the past by the server clock', async () => {
    await expect(ada.api.events.create(input({ start_time: hours(-4.9 / 60) }))).resolves.toBeDefined();
    await expect(ada.api.events.create(input({ start_time: hours(-5.1 / 60) }))).rejects.toEqual(
      apiError(400, 'starts_in_past'),
    );
  });

  test('ignores privileged fields in the body', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const forged = { id, deleted_at: w.now(), user_count: 9, sequence: 9, owner_club_id: id, my_role: 'x' };
    const { slug } = await ada.api.events.create(input(forged));
    expect(await ada.api.events.get({ event: slug })).toMatchObject({ deleted_at: null, user_count: 1 });
    expect(await stored(slug)).toMatchObject({ sequence: 0, owner_club_id: club.id });
  });

  test('limited to fifty events per club and day', async () => {
    const [hugo] = [await w.person('Hugo')];
    const busy = await w.club([hugo], 'Busy Bees');
    for (let count = 0; count < 50; count++) await w.event(busy, hugo);
    const response = await fetch(`${w.origin}/api/v1/clubs/${busy.id}/events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${hugo.session.read()?.AccessToken.Token}`,
      },
      body: JSON.stringify(input()),
    });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(86_000);
  });
});

describe('get', () => {
  test('returns all fields to members, by slug and by id [API-29 DATA-09]', async () => {
    const created = await w.event(club, ada, { details: 'Bring a light' });
    const event = await bob.api.events.get({ event: created.slug });
    expect(await bob.api.events.get({ event: created.id })).toEqual(event);
    expect(event).toMatchObject({
      id: created.id,
      slug: created.slug,
      name: 'Tuesday run',
      description: '',
      details: 'Bring a light',
      location_name: 'Pier 3',
      start_time: expect.stringMatching(/Z$/),
      end_time: expect.stringMatching(/Z$/),
      entry_until_time: event.start_time,
      owner_club_id: club.id,
      club_name: club.club_name,
      user_count: 1,
      deleted_at: null,
      my_role: null,
    });
  });

  test('returns the fields of the preview to outsiders, and leaves every other field empty [T12]', async () => {
    const { slug, id } = await w.event(club, ada, {
      description: 'Easy',
      details: 'Door code 4711',
      capacity: 1,
      guests_max: 3,
    });
    await ada.api.events.edit({ event: id, club: club.id, details: 'Door code 4712', start_time: hours(30) });
    await bob.api.answers.attend({ event: id });
    const [preview, event] = [
      await eve.api.events.get({ event: slug }),
      await bob.api.events.get({ event: slug }),
    ];
    expect(previewFields).toEqual([
      'id',
      'slug',
      'name',
      'description',
      'location_name',
      'start_time',
      'end_time',
      'entry_until_time',
      'time_zone',
      'owner_club_id',
      'club_name',
      'user_count',
      'deleted_at',
      'polling',
    ]);
    for (const [field, value] of Object.entries(event))
      if (previewFields.some((key) => key === field)) expect(preview).toMatchObject({ [field]: value });
      else expect([null, [], {}, '', 0, false]).toContainEqual(preview[field as keyof typeof preview]);
    expect(JSON.stringify(preview)).not.toMatch(/Ada|Lovelace|471/);
  });

  test('treats an ejected member as an outsider at once', async () => {
    const [zoe] = [await organiserOf('Zoe')];
    const { slug } = await w.event(club, ada, { details: 'Door code 4711' });
    expect((await zoe.api.events.get({ event: slug })).details).toBe('Door code 4711');
    await ada.api.members.eject({ club: club.id, member: zoe.id });
    expect(await zoe.api.events.get({ event: slug })).toMatchObject({ details: '', attendees: [] });
  });

  test('the history shows current names, including those of former members', async () => {
    const cleo = await organiserOf('Cleo');
    await ada.api.members.changeRole({ club: club.id, member: cleo.id, role: 200 });
    const { id: event } = await ada.api.events.create(input());
    await cleo.api.events.edit({ event, club: club.id, details: 'Bring a light' });
    await cleo.api.members.leave({ club: club.id });
    const author = async () => (await bob.api.events.get({ event })).changes[0]?.changed_by;
    expect(await author()).toMatchObject({ first_name: 'Cleo' });
    await cleo.api.users.update({ first_name: 'Clea' });
    expect(await author()).toMatchObject({ first_name: 'Clea' });
    await deleteUser(w.db, cleo.id);
    expect(await author()).toBeNull();
  });

  test('404 for an unknown event, 401 without a session', async () => {
    const { slug } = await w.event(club, ada);
    for (const event of ['nothing-abcdefghij', '00000000-0000-4000-8000-000000000000', '%', "'; drop"])
      await expect(bob.api.events.get({ event })).rejects.toEqual(apiError(404, 'not_found'));
    await expect(w.anyone.events.get({ event: slug })).rejects.toEqual(apiError(401, 'not_signed_in'));
  });

  test('EVENT_PREVIEW off: every event call by an outsider is 404', async () => {
    await using closed = await isolatedWorld({ EVENT_PREVIEW: 'off' });
    const [host, stranger] = [await closed.person('Ada'), await closed.person('Eve')];
    const owner = await closed.club([host]);
    const { slug: event } = await closed.event(owner, host);
    const { api } = stranger;
    const calls = [
      () => api.events.get({ event }),
      () => api.events.cancel({ event }),
      () => api.events.edit({ event, club: owner.id, name: 'x' }),
      () => api.answers.attend({ event }),
      () => api.answers.unattend({ event }),
      () => api.calendar.oneEvent({ event }),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(apiError(404, 'not_found'));
    expect((await host.api.events.get({ event })).name).toBe('Tuesday run');
  });
});

describe('conflicting events', () => {
  test('are the uncancelled events that the viewer attends at the same time, not those that others attend [DATA-13 T12]', async () => {
    const [cleo, dan] = [await w.person('Cleo'), await w.person('Dan')];
    const home = await w.club([cleo, dan], 'Conflicted');
    const day = Date.parse(hours(48));
    const start = 10;
    const at = (from: number, lasts: number, name: string) =>
      cleo.api.events.create(
        input({
          club: home.id,
          name,
          start_time: instant(day + from * 3_600_000),
          end_time: instant(day + (from + lasts) * 3_600_000),
        }),
      );
    const middle = await at(start, 2, 'middle');
    const before = await at(start - 2, 2, 'ends as it starts');
    await at(start + 2, 2, 'starts as it ends');
    const overlapping = await at(start + 1, 1, 'overlaps');
    const gone = await at(start, 2, 'cancelled');
    await cleo.api.events.cancel({ event: gone.slug });

    const seen = await cleo.api.events.get({ event: middle.slug });
    expect(seen.conflicting_events).toEqual([{ slug: overlapping.slug, name: 'overlaps' }]);
    expect((await dan.api.events.get({ event: middle.slug })).conflicting_events).toEqual([]);

    await dan.api.answers.attend({ event: before.slug });
    await dan.api.answers.attend({ event: overlapping.slug });
    const cards = await dan.api.events.ofMyClubs({});
    const conflictsOf = (slug: string) => cards.find((card) => card.slug === slug)?.conflicting_events;
    expect(conflictsOf(middle.slug)).toEqual([{ slug: overlapping.slug, name: 'overlaps' }]);
    expect(conflictsOf(overlapping.slug)).toEqual([]);
    expect(conflictsOf(before.slug)).toEqual([]);
  });
});

const names = (cards: { name: string }[]) => cards.map((card) => card.name);

describe('event lists', () => {
  test('ofMyClubs contains the events of all clubs of a member, and attending only those that the member attends [API-11 API-12 GEN-04 GEN-05]', async () => {
    const [fay, gus] = [await w.person('Fay'), await w.person('Gus')];
    const [rowing, reading] = [await w.club([fay, gus], 'Rowing'), await w.club([fay, gus], 'Reading')];
    const row = await w.event(rowing, fay, { name: 'Row', startsIn: 3 });
    const book = await w.event(reading, fay, { name: 'Book', startsIn: 2 });
    expect(names(await gus.api.events.ofMyClubs({}))).toEqual(['Book', 'Row']);
    expect(await gus.api.events.attending({})).toEqual([]);
    await gus.api.answers.attend({ event: row.slug });
    const [card] = await gus.api.events.attending({});
    expect(card).toMatchObject({
      name: 'Row',
      my_role: 'attendee',
      user_count: 2,
      club_slug: rowing.slug,
      club_name: 'Rowing',
      host: { host_first_name: 'Fay' },
      faces: [{ first_name: 'Fay', attendee_role: 'organiser' }, { first_name: 'Gus' }],
    });
    expect(names(await eve.api.events.ofMyClubs({}))).not.toContain('Row');

    await fay.api.events.cancel({ event: row.slug });
    await gus.api.members.leave({ club: reading.id });
    expect(names(await gus.api.events.ofMyClubs({}))).toEqual(['Row']);
    const [cancelled] = await gus.api.events.attending({});
    expect(cancelled?.deleted_at).not.toBeNull();
    expect(book.name).toBe('Book');
  });

  test('drop an event when it ends, while the club page keeps the hundred nearest past events', async () => {
    await using other = await world();
    const host = await other.person('Ada');
    const home = await other.club([host]);
    for (let day = 0; day < 3; day++) {
      for (let count = 0; count < 40; count++)
        await other.event(home, host, { name: `${day}-${count}`, startsIn: 0.1 + count / 100, lasts: 0.1 });
      other.later('25 hours');
    }
    const upcoming = await other.event(home, host, { name: 'ahead' });
    expect((await host.api.events.attending({})).map((card) => card.id)).toEqual([upcoming.id]);
    expect((await host.api.events.ofMyClubs({})).map((card) => card.id)).toEqual([upcoming.id]);
    const { events } = await host.api.clubs.get({ club: home.slug });
    expect(events).toHaveLength(101);
    expect(events.at(-1)?.name).toBe('ahead');
    expect(events[0]?.name).toBe('0-20');
  });

  test('show five faces and the number of all attendees', async () => {
    const people = await Promise.all(Array.from({ length: 7 }, (_, nth) => w.person(`P${nth}`)));
    const [host, ...others] = people as [Person, ...Person[]];
    const crowd = await w.club([host, ...others], 'Crowd');
    const { slug } = await w.event(crowd, host);
    for (const { api } of others) await api.answers.attend({ event: slug });
    const [card] = await host.api.events.attending({});
    expect(card?.user_count).toBe(7);
    expect(card?.faces.map((face) => face.first_name)).toEqual(['P0', 'P1', 'P2', 'P3', 'P4']);
    expect((await host.api.events.get({ event: slug })).attendees).toHaveLength(7);
  });
});

describe('edit', () => {
  test('400 for an unknown or read-only field, and nothing changes', async () => {
    const { slug } = await w.event(club, ada);
    const unchanged = await ada.api.events.get({ event: slug });
    for (const more of [{ user_count: 3 }, { nmae: 'Typo' }, { id: club.id }, { version: 3 }]) {
      const body = { name: 'Wednesday run', ...more };
      const response = await send(w, ada, `PUT /v1/events/${slug}/edit/${club.id}`, body);
      expect(response).toMatchObject({ status: 400, error: 'bad_input', data: null });
      expect(response.message).toBe(`Unrecognized key: "${Object.keys(more)[0]}"`);
    }
    expect(await ada.api.events.get({ event: slug })).toEqual(unchanged);
    expect(await ada.api.events.edit({ event: slug, club: club.id, name: 'Wednesday run' })).toBe(slug);
  });

  test('a new start keeps the duration and moves the cut-off; omitted fields keep their value [TIME-03]', async () => {
    const { slug: event } = await w.event(club, ada, { entryUntil: minutes(23 * 60), lasts: 2 });
    const before = await bob.api.events.get({ event });
    const start_time = threeDaysAfter(before.start_time);
    expect(await ada.api.events.edit({ event, club: club.id, start_time })).toBe(event);
    expect(await bob.api.events.get({ event })).toEqual({
      ...before,
      start_time,
      end_time: threeDaysAfter(before.end_time),
      entry_until_time: threeDaysAfter(before.entry_until_time),
      version: before.version + 1,
      moved_from: expect.objectContaining({ start_time: before.start_time }) as unknown,
      changes: [expect.anything()],
    });
    const rest = {
      end_time: threeDaysAfter(start_time),
      entry_until_time: start_time,
      time_zone: 'Europe/Berlin',
    };
    await ada.api.events.edit({ event, club: club.id, ...rest });
    expect(await bob.api.events.get({ event })).toMatchObject({ start_time, ...rest });
  });

  test.each([
    ['a start more than five minutes ago', () => ({ start_time: minutes(-5.1) }), 'starts_in_past'],
    ['an end before the start', () => ({ end_time: minutes(60) }), 'ends_before_start'],
    ['an unknown time zone', () => ({ time_zone: 'Europe/Atlantis' }), 'bad_input'],
    ['an unannounced new time', () => ({ start_time: minutes(90), announce: false }), 'must_tell'],
    ['an unannounced new place', () => ({ location_name: 'Hall', announce: false }), 'must_tell'],
  ] as const)('400 for %s, and nothing changes [TIME-04 TIME-11]', async (_, patch, error) => {
    const { slug: event } = await w.event(club, ada, { startsIn: 2 });
    const before = await stored(event);
    await expect(ada.api.events.edit({ event, club: club.id, name: 'Other', ...patch() })).rejects.toEqual(
      apiError(400, error),
    );
    expect(await stored(event)).toEqual(before);
  });

  test('which times can change depends on whether the event has started, ended or been cancelled [TIME-05]', async () => {
    await using other = await world();
    const host = await other.person('Ada');
    const home = await other.club([host]);
    const { slug: event } = await other.event(home, host, { startsIn: 1, lasts: 1 });
    const at = (n: number) => instant(Date.parse(other.now()) + n * 60_000);
    const edit = (patch: object) => host.api.events.edit({ event, club: home.id, ...patch });
    other.later('90 minutes');
    await expect(edit({ start_time: at(30) })).rejects.toEqual(apiError(409, 'event_started'));
    await expect(edit({ end_time: at(-1) })).rejects.toEqual(apiError(400, 'ends_in_past'));
    const end_time = at(60);
    await edit({ end_time });
    expect((await host.api.events.get({ event })).end_time).toBe(end_time);
    other.later('3 hours');
    for (const patch of [{ end_time: at(60) }, { start_time: at(60) }, { entry_until_time: at(1) }])
      await expect(edit(patch)).rejects.toEqual(apiError(409, 'event_ended'));
    await edit({ name: 'What it was' });
    expect((await host.api.events.get({ event })).name).toBe('What it was');
    const { slug: cancelled } = await other.event(home, host);
    await host.api.events.cancel({ event: cancelled });
    await expect(
      host.api.events.edit({ event: cancelled, club: home.id, start_time: at(60) }),
    ).rejects.toEqual(apiError(409, 'event_cancelled'));
  });

  test('home, club page, conflicts and feeds show a new time in the next response [TIME-07]', async () => {
    const { slug: event } = await w.event(club, ada, { startsIn: 30, name: 'Moves' });
    const { slug: stays } = await w.event(club, ada, { startsIn: 400, name: 'Stays' });
    for (const slug of [event, stays]) await bob.api.answers.attend({ event: slug });
    const { ical_feed_url_id: secret } = await bob.api.users.me({});
    const club_secret = (await bob.api.clubs.get({ club: club.id })).ical_feed_url_id;
    const { start_time } = await ada.api.events.get({ event: stays });
    await ada.api.events.edit({ event, club: club.id, start_time });
    const cardIn = (events: { slug: string }[]) => events.find(({ slug }) => slug === event);
    const shown = {
      start_time,
      conflicting_events: expect.arrayContaining([{ slug: stays, name: 'Stays' }]) as unknown,
    };
    expect(cardIn((await bob.api.clubs.get({ club: club.id })).events)).toMatchObject(shown);
    expect(cardIn(await bob.api.events.attending({}))).toMatchObject(shown);
    const line = `DTSTART:${start_time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    for (const feed of [
      await bob.api.calendar.personalFeed({ secret }),
      await bob.api.calendar.clubFeed({ club: club.id, secret: club_secret }),
    ])
      expect(feed.split(line)).toHaveLength(3);
  });

  test('changes the given fields, returns the same slug and increments the sequence [API-35]', async () => {
    const { slug } = await w.event(club, ada, { description: 'Easy' });
    expect(await ada.api.events.edit({ event: slug, club: club.id, name: 'Wednesday run' })).toBe(slug);
    expect(await stored(slug)).toMatchObject({ name: 'Wednesday run', description: 'Easy', sequence: 1 });
    w.later('1 minute');
    await ada.api.events.edit({ event: slug, club: club.slug, location_name: '', description: '' });
    const { sequence, location_name, description, updated_at, created_at } = await stored(slug);
    expect({ sequence, location_name, description }).toEqual({
      sequence: 2,
      location_name: '',
      description: '',
    });
    expect(String(updated_at) > String(created_at)).toBe(true);
  });

  test('keeps sequence and updated_at when nothing changes', async () => {
    const { slug } = await w.event(club, ada);
    const before = await stored(slug);
    w.later('1 minute');
    expect(await ada.api.events.edit({ event: slug, club: club.id })).toBe(slug);
    expect(await ada.api.events.edit({ event: slug, club: club.id, name: 'Tuesday run' })).toBe(slug);
    expect(await stored(slug)).toEqual(before);
  });

  test('admins of the owning club only [ROLE-10]', async () => {
    const { slug } = await w.event(club, ada);
    const olga = await organiserOf('Olga');
    const before = await stored(slug);
    const edit = (person: Pick<Person, 'api'>) =>
      person.api.events.edit({ event: slug, club: club.id, name: 'Mine' });
    await expect(edit(bob)).rejects.toEqual(apiError(403, 'not_admin'));
    await expect(edit(olga)).rejects.toEqual(apiError(403, 'not_admin'));
    await expect(edit(eve)).rejects.toEqual(apiError(403, 'not_member'));
    await expect(edit({ api: w.anyone })).rejects.toEqual(apiError(401, 'not_signed_in'));
    expect(await stored(slug)).toEqual(before);
  });

  test('404 when the club in the path does not own the event', async () => {
    const { slug } = await w.event(club, ada);
    const other = await w.club([ada], 'Another');
    for (const foreign of [other.id, other.slug, 'nobodys', slug])
      await expect(ada.api.events.edit({ event: slug, club: foreign, name: 'Mine' })).rejects.toEqual(
        apiError(404, 'not_found'),
      );
    expect((await stored(slug))['name']).toBe('Tuesday run');
  });

  test('is refused for an empty name and for a cancelled event', async () => {
    const { slug } = await w.event(club, ada);
    const edit = (name: string) => ada.api.events.edit({ event: slug, club: club.id, name });
    await expect(edit(' ')).rejects.toEqual(apiError(400, 'bad_input'));
    await ada.api.events.cancel({ event: slug });
    await expect(edit('Later')).rejects.toEqual(apiError(409, 'event_cancelled'));
  });
});

describe('cancel', () => {
  test('the host cancels once; nothing changes the event afterwards [API-34 DATA-10 EVENT-35 EVENT-38]', async () => {
    const { id, slug } = await w.event(club, ada);
    const cancelled = await ada.api.events.cancel({ event: slug });
    expect(cancelled).toMatchObject({ id, slug });
    expect((await bob.api.events.get({ event: slug })).deleted_at).toBe(cancelled.deleted_at);
    const before = await stored(slug);
    expect(before['sequence']).toBe(1);

    w.later('1 minute');
    expect(await ada.api.events.cancel({ event: slug })).toEqual(cancelled);
    await ada.api.events.edit({ event: slug, club: club.id, name: 'Alive' }).catch(() => {});
    await bob.api.answers.attend({ event: slug }).catch(() => {});
    expect(await stored(slug)).toEqual(before);
  });

  test('refused for everybody but the host, regardless of their club role [ROLE-13 EVENT-39]', async () => {
    const { slug } = await w.event(club, ada);
    const olga = await organiserOf('Olga');
    const admin = await organiserOf('Alma');
    await ada.api.members.changeRole({ club: club.id, member: admin.id, role: 200 });
    await bob.api.answers.attend({ event: slug });
    await admin.api.answers.attend({ event: slug });
    for (const { api } of [bob, olga, admin])
      await expect(api.events.cancel({ event: slug })).rejects.toEqual(apiError(403, 'not_host'));
    await expect(eve.api.events.cancel({ event: slug })).rejects.toEqual(apiError(403, 'not_member'));
    await expect(w.anyone.events.cancel({ event: slug })).rejects.toEqual(apiError(401, 'not_signed_in'));
    expect((await stored(slug))['deleted_at']).toBeNull();
  });

  test('refused with event_ended after the end', async () => {
    await using other = await world();
    const host = await other.person('Ada');
    const { slug } = await other.event(await other.club([host]), host, { startsIn: 0.01, lasts: 0.01 });
    other.later('2 minutes');
    await expect(host.api.events.cancel({ event: slug })).rejects.toEqual(apiError(409, 'event_ended'));
  });
});

describe('daylight saving change', () => {
  test.each([
    ['Europe/London', '2027-03-27T18:30:00.000Z'],
    ['Europe/London', '2027-10-30T17:30:00.000Z'],
    ['America/New_York', '2027-03-13T23:30:00.000Z'],
  ])('a one-day event in %s lasts 24 hours [C15]', async (time_zone, start_time) => {
    const end_time = instant(Date.parse(start_time) + 86_400_000);
    const { slug } = await ada.api.events.create(input({ time_zone, start_time, end_time }));
    expect(await ada.api.events.get({ event: slug })).toMatchObject({ start_time, end_time, time_zone });
  });
});

test('club event summaries: upcoming events, soonest first, for members only [API-36]', async () => {
  const home = await w.club([ada, bob]);
  const later = await w.event(home, ada, { name: 'Later', startsIn: 30, location_name: 'Pier 4' });
  const sooner = await w.event(home, ada, { name: 'Sooner', startsIn: 2 });
  const [cancelled, past] = [await w.event(home, ada), await w.event(home, ada)];
  await ada.api.events.cancel({ event: cancelled.id });
  await sql`update events set start_time = now() - interval '2 h', end_time = now() - interval '1 h'
    where id = ${past.id}`.execute(w.db);
  const cards = [
    { slug: sooner.slug, name: 'Sooner', location_name: 'Pier 3' },
    { slug: later.slug, name: 'Later', location_name: 'Pier 4' },
  ];
  for (const ref of [home.slug, home.id]) expect(await bob.api.events.cards({ club: ref })).toEqual(cards);
  await expect(eve.api.events.cards({ club: home.slug })).rejects.toEqual(apiError(404, 'not_found'));
});

describe('C16: concurrent edits', () => {
  test('of different fields are both kept [C16 TIME-13]', async () => {
    const { slug } = await w.event(club, ada);
    const edit = (patch: object) => ada.api.events.edit({ event: slug, club: club.id, ...patch });
    for (let round = 1; round <= 50; round++) {
      await Promise.all([edit({ name: `Name ${round}` }), edit({ details: `Details ${round}` })]);
      expect(await ada.api.events.get({ event: slug })).toMatchObject({
        name: `Name ${round}`,
        details: `Details ${round}`,
        location_name: 'Pier 3',
        version: 2 * round,
      });
    }
  });

  test('412 when If-Match names an older version [C16 TIME-13]', async () => {
    const { slug } = await w.event(club, ada);
    const version = async () => (await ada.api.events.get({ event: slug })).version;
    const edit = (name: string, ifMatch?: string) =>
      send(
        w,
        ada,
        `PUT /v1/events/${slug}/edit/${club.id}`,
        { name },
        ifMatch === undefined ? {} : { 'if-match': ifMatch },
      );
    expect(await version()).toBe(0);
    expect((await edit('One', '"0"')).status).toBe(200);
    expect((await edit('One', '1')).status).toBe(200);
    expect(await version()).toBe(1);
    const outdated = await edit('Two', '"0"');
    expect([outdated.status, outdated.error]).toEqual([412, 'changed_meanwhile']);
    expect((await ada.api.events.get({ event: slug })).name).toBe('One');
    for (const odd of ['W/"1"', '"1", "2"', 'one', '""'])
      expect([odd, (await edit('Two', odd)).status]).toEqual([odd, 400]);
    for (const any of ['*', undefined]) expect((await edit(`Any ${any}`, any)).status).toBe(200);
    expect(await version()).toBe(3);

    const both = await Promise.all([edit('Left', '"3"'), edit('Right', '"3"')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });
});
