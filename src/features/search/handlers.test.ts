import { expect, test } from 'vitest';
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
