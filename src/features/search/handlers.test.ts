import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { world } from '#test/world.ts';

test('search: finds events and clubs by name, only in the user’s clubs [SEARCH-11 API-33 T12]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const rowers = await w.club([ada, bob], 'Harbour Rowers');
  const sailors = await w.club([ada], 'Harbour Sailors');
  const row = await w.event(rowers, ada, { name: 'Harbour row' });
  await w.event(sailors, ada, { name: 'Harbour sail' });

  const { start_time } = await bob.api.events.get({ event: row.slug });
  expect(await send(w, bob, 'GET /v1/events/clubs/filter', { q: 'harbour' })).toMatchObject({
    status: 200,
    data: {
      events: [{ name: 'Harbour row', slug: row.slug, start_time }],
      clubs: [{ club_name: 'Harbour Rowers', slug: rowers.slug }],
    },
  });
  expect((await ada.api.search.find({ q: 'harbour' })).clubs).toHaveLength(2);
  await bob.api.members.leave({ club: rowers.id });
  expect(await bob.api.search.find({ q: 'harbour' })).toEqual({ events: [], clubs: [] });
  expect(await outcomeOf(w.anyone.search.find({ q: 'harbour' }))).toBe('401 not_signed_in');
});

test('search: in a club, finds only events of that club, and only for its members [CLUBUX-03]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const rowers = await w.club([ada, bob], 'Harbour Rowers');
  const sailors = await w.club([ada], 'Harbour Sailors');
  await w.event(rowers, ada, { name: 'Harbour row' });
  await w.event(sailors, ada, { name: 'Harbour sail' });
  for (const club of [rowers.id, rowers.slug]) {
    const { events, clubs } = await ada.api.search.find({ q: 'harbour', club });
    expect([events.map(({ name }) => name), clubs]).toEqual([['Harbour row'], []]);
  }
  expect(await outcomeOf(bob.api.search.find({ q: 'harbour', club: sailors.id }))).toBe('404 not_found');
});

test('search: every word must occur in the name, in any case and order; wildcards have no effect', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada], 'Élan');
  for (const name of ['Früh ÜBUNG 50%', 'Late row_1', 'Row at c:\\pier', "Ada's race"])
    await w.event(club, ada, { name });
  const found = async (q?: string) => {
    const { events, clubs } = await ada.api.search.find({ q });
    return [...events.map(({ name }) => name), ...clubs.map(({ club_name }) => club_name)];
  };
  expect(await found('übung FRÜH')).toEqual(['Früh ÜBUNG 50%']);
  expect(await found('übung row')).toEqual([]);
  expect(await found('%')).toEqual(['Früh ÜBUNG 50%']);
  expect(await found('_')).toEqual(['Late row_1']);
  expect(await found('\\')).toEqual(['Row at c:\\pier']);
  expect(await found("a's")).toEqual(["Ada's race"]);
  expect(await found('élan')).toEqual(['Élan']);
  expect(await found('  ')).toHaveLength(5);
  expect(await found()).toHaveLength(5);
  expect(await outcomeOf(ada.api.search.find({ q: 'x'.repeat(101) }))).toBe('400 bad_input');
});

test('search: upcoming events first, then past, then cancelled ones; at most twenty', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  await w.event(club, ada, { name: 'Run over', startsIn: 1 });
  w.later('3 hours');
  await w.event(club, ada, { name: 'Run later', startsIn: 48 });
  await w.event(club, ada, { name: 'Run soon', startsIn: 24 });
  const { slug } = await w.event(club, ada, { name: 'Run cancelled', startsIn: 12 });
  await ada.api.events.cancel({ event: slug });
  const names = async (q: string) => (await ada.api.search.find({ q })).events.map(({ name }) => name);
  expect(await names('run')).toEqual(['Run soon', 'Run later', 'Run over', 'Run cancelled']);
  for (let more = 0; more < 18; more++) await w.event(club, ada, { name: `Run ${more}`, startsIn: 30 });
  expect(await names('run')).toHaveLength(20);
  expect(await names('cancelled')).toEqual(['Run cancelled']);
});

test('search: finds an event and a club by their new name only, and an event by its old name after an undo [ROBUST-05]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada], 'Harbour');
  const event = await w.event(club, ada, { name: 'Café' });
  const found = async (q: string) => {
    const { events, clubs } = await ada.api.search.find({ q });
    return [...events.map(({ name }) => name), ...clubs.map(({ club_name }) => club_name)];
  };
  await ada.api.events.edit({ event: event.id, club: club.id, name: 'Łódź' });
  await ada.api.clubs.update({ club: club.id, club_name: 'Straße' });
  expect(await Promise.all(['cafe', 'harbour', 'lodz', 'strasse'].map(found))).toEqual([
    [],
    [],
    ['Łódź'],
    ['Straße'],
  ]);
  const { undo } = await ada.api.events.get({ event: event.slug });
  await ada.api.events.undo({ event: event.id, change: undo?.change ?? '' });
  expect(await Promise.all(['cafe', 'lodz'].map(found))).toEqual([['Café'], []]);
});

test('search: finds a club by its name, not by its location, and the people of a check-in list not by user name', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  await ada.api.users.update({ user_name: 'Żaba' });
  const club = await w.club([ada], 'Rowers');
  await ada.api.clubs.update({ club: club.id, location_name: 'Kraków' });
  const event = await w.event(club, ada);
  expect((await ada.api.search.find({ q: 'krakow' })).clubs).toEqual([]);
  expect((await ada.api.checkins.list({ event: event.id, q: 'zaba' })).people).toEqual([]);
  expect((await ada.api.members.forAdmin({ club: club.id, q: 'zaba' })).members).toHaveLength(1);
});

test('search: finds rows that the previous release wrote by words without accents at once, and by all words after the job [ROBUST-05]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const event = await w.event(club, ada);
  const found = async (q: string) => {
    const { events, clubs } = await ada.api.search.find({ q });
    const { members } = await ada.api.members.forAdmin({ club: club.id, q });
    return [events.length, clubs.length, members.length];
  };
  /** The previous release does not know the search text. */
  const rename = async (name: string) => {
    await run(w.db, sql`update events set name = ${name} where id = ${event.id}`);
    await run(w.db, sql`update clubs set club_name = ${name} where id = ${club.id}`);
    await run(w.db, sql`update users set last_name = ${name} where id = ${ada.id}`);
  };
  const [each, none] = [
    [1, 1, 1],
    [0, 0, 0],
  ];
  for (const [name, plain] of [
    ['Café Kiel', 'cafe'],
    ['Łódź Kiel', 'lodz'],
  ] as const) {
    await rename(name);
    expect(await found('kiel')).toEqual(each);
    if (plain === 'lodz') expect(await found('cafe')).toEqual(none);
    await enqueue(w.db, 'fill_search_texts', {});
    await expect.poll(() => found(plain)).toEqual(each);
    expect(await found(name)).toEqual(each);
  }
});

test('search: the job stores the search text of all rows of a large table, a thousand at a time [ROBUST-05]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  await run(
    w.db,
    sql`insert into events (id, slug, owner_club_id, name, location_name, start_time, end_time, entry_until_time,
          time_zone, created_at, updated_at)
        select gen_random_uuid(), 'event-' || n, ${club.id}, 'Café ' || n, 'Pier', now(), now(), now(), 'UTC', now(), now()
        from generate_series(1, 2500) as n`,
  );
  await enqueue(w.db, 'fill_search_texts', {});
  const missing = () => all(w.db, sql`select from events where search_text is null`);
  await expect.poll(missing).toEqual([]);
  const texts = await all(
    w.db,
    sql<{ search_text: string }>`select search_text from events order by search_text limit 1`,
  );
  expect(texts).toEqual([{ search_text: 'CAFE 1' }]);
});
