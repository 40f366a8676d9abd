import { expect, test } from 'vitest';
import { contracts } from '#features/contracts.ts';
import { versionOfBreaks } from '#features/events/series/form-rules.ts';
import { newSeries } from '#test/new-series.ts';
import { world, type Api, type World } from '#test/world.ts';

/** Something that two admins edit, and the calls that their forms send. */
interface Shared {
  version: () => Promise<number>;
  /** The fields as they are stored. */
  stored: () => Promise<Record<string, unknown>>;
  save: (api: Api, fields: Record<string, unknown>, version?: number) => Promise<unknown>;
  /** The inputs of the two admins. */
  one: Record<string, unknown>;
  other: Record<string, unknown>;
}

type Scene = Awaited<ReturnType<typeof setUp>>;

async function setUp(w: World) {
  const [ada, abe] = [await w.person('Ada'), await w.person('Abe')];
  const club = await w.club([ada, abe]);
  await ada.api.members.changeRole({ club: club.id, member: abe.id, role: 200 });
  return { w, ada, abe, club };
}

const camp = { first_on: '2090-07-01', last_on: '2090-07-05', name: 'Camp' };
const regatta = { first_on: '2090-06-06', last_on: '2090-06-06', name: 'Regatta' };

const shared: Record<string, (scene: Scene) => Promise<Shared>> = {
  'clubs.update': async ({ ada, club }) => ({
    version: async () => (await ada.api.clubs.get({ club: club.id })).version,
    stored: () => ada.api.clubs.get({ club: club.id }),
    save: (api, fields, version) => api.clubs.update({ club: club.id, ...fields }, version),
    one: { club_name: 'Rowers 1902' },
    other: { location_name: 'Boathouse', club_description: 'We row.' },
  }),
  'events.edit': async ({ w, ada, club }) => {
    const { slug: event } = await w.event(club, ada);
    return {
      version: async () => (await ada.api.events.get({ event })).version,
      stored: () => ada.api.events.get({ event }),
      save: (api, fields, version) => api.events.edit({ event, club: club.id, ...fields }, version),
      one: { name: 'Night run' },
      other: { location_name: 'Boathouse', details: 'Bring water.' },
    };
  },
  'series.edit': async ({ ada, club }) => {
    const { slug: series } = await ada.api.series.plan({ club: club.id, ...newSeries });
    const date = async () => (await ada.api.series.get({ series })).events[0]?.slug ?? '';
    return {
      // The form gets the version from the page of a date.
      version: async () => (await ada.api.events.get({ event: await date() })).series_version ?? -1,
      stored: async () => ({ ...(await ada.api.series.get({ series })) }),
      save: (api, fields, version) => api.series.edit({ series, ...fields }, version),
      one: { name: 'Dawn walk' },
      other: { location_name: 'Boathouse', minutes: 90 },
    };
  },
  'series.saveBreaks': async ({ ada, club }) => ({
    version: async () => versionOfBreaks(await ada.api.series.breaks({ club: club.id })),
    stored: async () => ({ breaks: await ada.api.series.breaks({ club: club.id }) }),
    save: (api, fields, version) =>
      api.series.saveBreaks({ club: club.id, ...(fields as { breaks: [] }) }, version),
    one: { breaks: [camp] },
    other: { breaks: [regatta] },
  }),
  'updates.edit': async ({ ada, club }) => {
    const { id: update } = await ada.api.updates.publish({ club: club.id, content: 'The boat is mended.' });
    const stored = async () => (await ada.api.updates.ofClub({ club: club.id }))[0] ?? {};
    return {
      version: async () => ((await stored()) as { version: number }).version,
      stored,
      save: (api, fields, version) => api.updates.edit({ club: club.id, update, ...fields }, version),
      one: { content: 'It floats.' },
      other: { content: 'It sinks.' },
    };
  },
  'questions.answer': async ({ w, ada, abe, club }) => {
    const { id: event } = await w.event(club, ada);
    const { id: question } = await abe.api.questions.ask({ event, question: 'Is there parking?' });
    const stored = async () => (await ada.api.events.get({ event })).questions[0] ?? {};
    return {
      version: async () => ((await stored()) as { version: number }).version,
      stored,
      save: (api, fields, version) =>
        api.questions.answer({ question, answer: '', shared: true, ...fields }, version),
      one: { answer: 'Yes.' },
      other: { answer: 'No.' },
    };
  },
};

test('C23: every endpoint that compares versions is tested here', () => {
  const versioned = Object.entries(contracts).flatMap(([noun, contract]) =>
    Object.entries<object>(contract)
      .filter(([, endpoint]) => 'versioned' in endpoint && endpoint.versioned)
      .map(([name]) => `${noun}.${name}`),
  );
  expect(Object.keys(shared).toSorted()).toEqual(versioned.toSorted());
});

test.each(Object.entries(shared))(
  '%s: when two people have loaded the same version, the second to save gets 412 and changes nothing [C23]',
  async (_, open) => {
    await using w = await world();
    const scene = await setUp(w);
    const { ada, abe } = scene;
    const { version, stored, save, one, other } = await open(scene);
    const loaded = await version();
    await save(abe.api, other, loaded);
    expect(await stored()).toMatchObject(other);
    await expect(save(ada.api, one, loaded)).rejects.toMatchObject({
      status: 412,
      error: 'changed_meanwhile',
    });
    expect(await stored()).toMatchObject(other);
    const newest = await version();
    expect(newest).not.toBe(loaded);
    await save(ada.api, one, newest);
    expect(await stored()).toMatchObject(one);
    expect(await version()).not.toBe(newest);
    // Without a version, as older clients send it, the edit succeeds.
    await save(abe.api, other);
    expect(await stored()).toMatchObject(other);
  },
);

test.each(Object.entries(shared))(
  '%s: when two people save the same version concurrently, one is refused [C23]',
  async (_, open) => {
    await using w = await world();
    const scene = await setUp(w);
    const { version, save, one, other } = await open(scene);
    const loaded = await version();
    const results = await Promise.allSettled([
      save(scene.ada.api, one, loaded),
      save(scene.abe.api, other, loaded),
    ]);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { error: string }).error] : [],
    );
    expect(refused).toEqual(['changed_meanwhile']);
  },
);

test('series: the page of a date has the version of its series, even after an edit of later dates only [C23]', async () => {
  await using w = await world();
  const { ada, club } = await setUp(w);
  const { slug: series } = await ada.api.series.plan({ club: club.id, ...newSeries });
  const [first, second] = (await ada.api.series.get({ series })).events;
  const page = () => ada.api.events.get({ event: first?.slug ?? '' });
  const { series_version: before, version } = await page();
  const from = second?.start_time.slice(0, 10) ?? '';
  await ada.api.series.edit({ series, from, location_name: 'Boathouse' });
  expect(await page()).toMatchObject({ version, series_version: (before ?? 0) + 1 });
  const eve = await w.person('Eve');
  expect((await eve.api.events.get({ event: first?.slug ?? '' })).series_version).toBeNull();
});
