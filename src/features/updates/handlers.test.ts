import { expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { world } from '#test/world.ts';

async function setUp() {
  const w = await world();
  const [ada, bob] = [await w.person('Ada', 'Lovelace'), await w.person('Bob')];
  return { w, ada, bob, club: await w.club([ada, bob]) };
}

test('publish: members can read the update, newest first [API-40 API-41 DATA-15 DATA-16 GEN-06]', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  expect(await bob.api.updates.ofClub({ club: club.slug })).toEqual([]);
  const body = { clubId: club.id, content: '  We row at six.  ' };
  const published = await send(w, ada, `POST /v1/updates/${club.id}`, body);
  expect(published).toMatchObject({ status: 201, error: null });
  w.later('1 minute');
  await ada.api.updates.publish({ club: club.slug, clubId: club.slug, content: 'Make it seven.' });
  const [newest, older, ...more] = await bob.api.updates.ofClub({ club: club.slug });
  expect(newest?.content).toBe('Make it seven.');
  expect(older).toEqual(published.data);
  expect(older).toEqual({
    id: expect.any(String),
    content: 'We row at six.',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    creator_first_name: 'Ada',
    creator_last_name: 'Lovelace',
  });
  expect(more).toEqual([]);
  expect(await bob.api.updates.ofClub({ club: club.id })).toHaveLength(2);
});

test('club page: contains the latest update [UPDATENEW-07]', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  const shown = async () => (await bob.api.clubs.get({ club: club.slug })).latest_update;
  expect(await shown()).toBeNull();
  for (const content of ['First', 'Second']) {
    const update = await ada.api.updates.publish({ club: club.id, content });
    expect(await shown()).toEqual(update);
    w.later('1 minute');
  }
});

test('updates: have the current name of the creator, and keep only the content when the creator is deleted', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  await ada.api.updates.publish({ club: club.id, content: 'Goodbye' });
  await ada.api.users.update({ first_name: 'Augusta' });
  expect(await bob.api.updates.ofClub({ club: club.id })).toMatchObject([{ creator_first_name: 'Augusta' }]);
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  await run(w.db, sql`delete from users where id = ${ada.id}`);
  expect(await bob.api.updates.ofClub({ club: club.id })).toMatchObject([
    { content: 'Goodbye', creator_first_name: null, creator_last_name: null },
  ]);
});

test('publish: refused when path and body name different clubs or the content is invalid', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  const other = await w.club([ada], 'Another club');
  const publish = (clubId: string, content: string) =>
    outcomeOf(ada.api.updates.publish({ club: club.id, clubId, content }));
  expect(await publish(other.id, 'News')).toBe('400 ids_disagree');
  expect(await publish(other.slug, 'News')).toBe('400 ids_disagree');
  expect(await publish('no-such-club', 'News')).toBe('400 ids_disagree');
  expect(await publish(club.id, ' \n ')).toBe('400 bad_input');
  expect(await publish(club.id, 'x'.repeat(5001))).toBe('400 bad_input');
  expect(await bob.api.updates.ofClub({ club: club.id })).toEqual([]);
});

test('updates: 404 for outsiders, 401 without a session', async () => {
  const { w, club } = await setUp();
  await using _ = w;
  const zoe = await w.person('Zoe');
  await w.club([zoe], 'Another club');
  expect(await outcomeOf(zoe.api.updates.ofClub({ club: club.slug }))).toBe('404 not_found');
  expect(await outcomeOf(w.anyone.updates.ofClub({ club: club.slug }))).toBe('401 not_signed_in');
});

test('publish: limited to five per hour and twenty per day [T9]', async () => {
  const { w, ada, club } = await setUp();
  await using _ = w;
  const publish = () => send(w, ada, `POST /v1/updates/${club.id}`, { content: 'News' });
  for (let hour = 0; hour < 4; hour++) {
    for (let times = 0; times < 5; times++) expect((await publish()).status).toBe(201);
    const limited = await publish();
    expect([limited.status, limited.error]).toEqual([429, 'too_often']);
    const wait = Number(limited.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3500);
    expect(wait).toBeLessThanOrEqual(3600);
    w.later('1 hour');
    await ada.api.users.me({});
  }
  const limited = await publish();
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(19 * 3600);
  w.later('20 hours');
  await ada.api.users.me({});
  expect((await publish()).status).toBe(201);
});
