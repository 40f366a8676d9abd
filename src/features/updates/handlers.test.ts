import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { world, type ClubHandle, type Person } from '#test/world.ts';

async function setUp() {
  const w = await world();
  const [ada, bob] = [await w.person('Ada', 'Lovelace'), await w.person('Bob')];
  return { w, ada, bob, club: await w.club([ada, bob]) };
}

test('publish: members can read the updates, newest first [API-40 API-41 DATA-15 DATA-16 GEN-06]', async () => {
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
  expect(older).toEqual({ ...(published.data as object), my_read_at: null });
  expect(older).toEqual({
    id: expect.any(String),
    content: 'We row at six.',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    edited_at: null,
    version: 0,
    creator_id: ada.id,
    creator_first_name: 'Ada',
    creator_last_name: 'Lovelace',
    pictures: [],
    important: false,
    my_read_at: null,
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

test('updates: show the current name of the creator, and only the content after the creator has deleted their account', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  await ada.api.updates.publish({ club: club.id, content: 'Goodbye' });
  await ada.api.users.update({ first_name: 'Augusta' });
  expect(await bob.api.updates.ofClub({ club: club.id })).toMatchObject([{ creator_first_name: 'Augusta' }]);
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  await run(w.db, sql`delete from users where id = ${ada.id}`);
  expect(await bob.api.updates.ofClub({ club: club.id })).toMatchObject([
    { content: 'Goodbye', creator_id: null, creator_first_name: null, creator_last_name: null },
  ]);
});

test('publish: refused if path and body name different clubs, or if the content is invalid', async () => {
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

const png = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#456' } })
    .png()
    .toBuffer();

const upload = async (by: Person, club: ClubHandle): Promise<string> =>
  (await by.api.media.addToUpdate({ club: club.id, file: await png() })).name;

describe('edit', () => {
  test('changes the text, sets the time of the edit and sends no notice; without a change, nothing happens [UX-29]', async () => {
    const { w, ada, bob, club } = await setUp();
    await using _ = w;
    const update = await ada.api.updates.publish({ club: club.id, content: 'We row at six.' });
    const notices = async () => (await bob.api.notifications.list({})).length;
    const before = await notices();
    const same = { club: club.slug, update: update.id, content: ' We row at six. ', pictures: [] };
    expect(await ada.api.updates.edit(same)).toEqual(update);
    w.later('1 minute');
    const edited = await ada.api.updates.edit({
      club: club.id,
      update: update.id,
      content: 'Make it seven.',
    });
    expect(edited).toEqual({
      ...update,
      content: 'Make it seven.',
      version: 1,
      edited_at: expect.any(String),
    });
    expect(Date.parse(edited.edited_at ?? '')).toBeGreaterThan(Date.parse(update.created_at) + 59_000);
    expect(await bob.api.updates.ofClub({ club: club.id })).toEqual([{ ...edited, my_read_at: null }]);
    expect((await bob.api.clubs.get({ club: club.id })).latest_update).toEqual(edited);
    expect(await notices()).toBe(before);
    for (const content of ['', ' ', 'x'.repeat(5001)])
      expect(await outcomeOf(ada.api.updates.edit({ ...same, content }))).toBe('400 bad_input');
  });

  test('is allowed for admins, and for the author while they are a member; other members get 403 and outsiders 404 [UX-29]', async () => {
    const { w, ada, bob, club } = await setUp();
    await using _ = w;
    const [cyd, zoe] = [await w.person('Cyd'), await w.person('Zoe')];
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    await cyd.api.invites.join({ invite: invite_link });
    const setRole = (role: 0 | 200) => ada.api.members.changeRole({ club: club.id, member: bob.id, role });
    await setRole(200);
    const { id } = await bob.api.updates.publish({ club: club.id, content: 'By Bob' });
    await setRole(0);
    const edit = ({ api }: Person, content: string) =>
      outcomeOf(api.updates.edit({ club: club.id, update: id, content }));
    const remove = ({ api }: Person) => outcomeOf(api.updates.remove({ club: club.id, update: id }));
    const add = (person: Person) => outcomeOf(upload(person, club));
    expect([await edit(ada, 'By an admin'), await edit(bob, 'By its author')]).toEqual(['ok', 'ok']);
    expect([await add(ada), await add(bob)]).toEqual(['ok', 'ok']);
    for (const [person, outcome] of [
      [cyd, '403 not_author'],
      [zoe, '404 not_found'],
    ] as const)
      expect([await edit(person, 'No'), await remove(person), await add(person)]).toEqual([
        outcome,
        outcome,
        outcome,
      ]);
    await bob.api.members.leave({ club: club.id });
    expect([await edit(bob, 'Too late'), await remove(bob), await add(bob)]).toEqual(
      Array(3).fill('404 not_found'),
    );
    expect(await ada.api.updates.ofClub({ club: club.id })).toMatchObject([{ content: 'By its author' }]);
  });

  test('refused with 412 when the update was edited since the version in If-Match [UX-29]', async () => {
    const { w, ada, club } = await setUp();
    await using _ = w;
    const { id, version } = await ada.api.updates.publish({ club: club.id, content: 'First' });
    const edit = (content: string) =>
      send(w, ada, `PATCH /v1/updates/${club.id}/${id}`, { content }, { 'if-match': `"${version}"` });
    const outcomes = await Promise.all([edit('By one'), edit('By another')]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    expect(outcomes.map(({ error }) => error)).toContain('changed_meanwhile');
    expect(await ada.api.updates.ofClub({ club: club.id })).toMatchObject([{ version: 1 }]);
  });
});

describe('deletion', () => {
  test('makes the club page show the previous update, and cannot be undone [UX-29]', async () => {
    const { w, ada, bob, club } = await setUp();
    await using _ = w;
    const older = await ada.api.updates.publish({ club: club.id, content: 'First' });
    w.later('1 minute');
    const { id } = await ada.api.updates.publish({ club: club.id, content: 'Second' });
    const latest = async () => (await bob.api.clubs.get({ club: club.id })).latest_update;
    expect((await latest())?.id).toBe(id);
    const remove = () => outcomeOf(ada.api.updates.remove({ club: club.slug, update: id }));
    expect([await remove(), await remove()]).toEqual(['ok', '404 not_found']);
    expect(await latest()).toEqual(older);
    expect(await outcomeOf(ada.api.updates.edit({ club: club.id, update: id, content: 'Again' }))).toBe(
      '404 not_found',
    );
    await ada.api.updates.remove({ club: club.id, update: older.id });
    expect(await latest()).toBeNull();
  });

  test('drops emails about the update that are not sent yet; after an edit, such emails contain the new text [UX-29]', async () => {
    const { w, ada, bob, club } = await setUp();
    await using _ = w;
    // Delay all jobs, so that no email is sent before the edit and the deletion.
    await run(
      w.db,
      sql`create function later() returns trigger language plpgsql as $$ begin new.run_at := now() + interval '1 hour'; return new; end $$`,
    );
    await run(w.db, sql`create trigger later before insert on jobs for each row execute function later()`);
    const publish = async (content: string) => (await ada.api.updates.publish({ club: club.id, content })).id;
    const [edited, deleted] = [await publish('Secn'), await publish('Never')];
    await ada.api.updates.edit({ club: club.id, update: edited, content: 'Seven' });
    await ada.api.updates.remove({ club: club.id, update: deleted });
    await run(w.db, sql`drop function later cascade`);
    await run(w.db, sql`update jobs set run_at = now()`);
    const texts = async () =>
      (await w.outbox()).filter(({ to }) => to?.[0]?.address === bob.email).map(({ text }) => text ?? '');
    await expect.poll(async () => (await texts()).filter((text) => text.includes('Seven'))).toHaveLength(1);
    expect((await texts()).join()).not.toMatch(/Secn|Never/);
  });
});

const picture = (name: string) => ({ name, width: 40, height: 30 });

describe('pictures of an update', () => {
  test('are shown in order, can be added and removed by an edit, and are deleted with the update or the club [UX-30]', async () => {
    const { w, ada, bob, club } = await setUp();
    await using _ = w;
    const [one, two, three] = [await upload(ada, club), await upload(ada, club), await upload(ada, club)];
    const update = await ada.api.updates.publish({ club: club.id, content: 'See', pictures: [two, one] });
    expect(update.pictures).toEqual([two, one].map(picture));
    const status = async (name: string) => (await fetch(`${w.origin}/api/v1/media/${name}-800.webp`)).status;
    expect(await status(one)).toBe(200);
    const change = { club: club.id, update: update.id, pictures: [one, three] };
    const edited = await ada.api.updates.edit(change);
    expect(edited).toMatchObject({ content: 'See', version: 1, pictures: [one, three].map(picture) });
    expect(edited.edited_at).not.toBeNull();
    expect((await ada.api.updates.edit(change)).version).toBe(1);
    expect((await bob.api.clubs.get({ club: club.id })).latest_update).toEqual(edited);
    expect(await status(two)).toBe(404);
    await ada.api.updates.remove({ club: club.id, update: update.id });
    const name = await upload(ada, club);
    await ada.api.updates.publish({ club: club.id, content: 'Again', pictures: [name] });
    expect([await status(one), await status(three), await status(name)]).toEqual([404, 404, 200]);
    await ada.api.clubs.remove({ club: club.id });
    expect(await status(name)).toBe(404);
  });

  test('are limited to four, even if two people change them concurrently [UX-30]', async () => {
    const { w, ada, bob, club } = await setUp();
    await using _ = w;
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    const { id } = await ada.api.updates.publish({ club: club.id, content: 'See' });
    const pictures = await Promise.all(Array.from({ length: 8 }, () => upload(ada, club)));
    const choose = ({ api }: Person, chosen: string[]) =>
      outcomeOf(api.updates.edit({ club: club.id, update: id, pictures: chosen }));
    expect(await choose(ada, pictures.slice(0, 5))).toBe('400 bad_input');
    const outcomes = await Promise.all([choose(ada, pictures.slice(0, 4)), choose(bob, pictures.slice(4))]);
    expect(outcomes).toEqual(['ok', 'ok']);
    const [update] = await bob.api.updates.ofClub({ club: club.id });
    expect(update?.pictures).toHaveLength(4);
    expect(await all(w.db, sql`select 1 from pictures where update_id = ${id}`)).toHaveLength(4);
  });

  test('are refused if one belongs to another update or club, is named twice or does not exist; then nothing changes [UX-30 T11]', async () => {
    const { w, ada, club } = await setUp();
    await using _ = w;
    const other = await w.club([ada], 'Another club');
    const [own, used, foreign] = [await upload(ada, club), await upload(ada, club), await upload(ada, other)];
    await ada.api.updates.publish({ club: club.id, content: 'Used', pictures: [used] });
    const publish = (...pictures: string[]) =>
      outcomeOf(ada.api.updates.publish({ club: club.id, content: 'See', pictures }));
    for (const wrong of [used, foreign, own, 'nothing'])
      expect(await publish(own, wrong)).toBe('400 picture_gone');
    const twice = await Promise.all([publish(own), publish(own)]);
    expect(twice.toSorted()).toEqual(['400 picture_gone', 'ok']);
    expect(await ada.api.updates.ofClub({ club: club.id })).toMatchObject([
      { pictures: [{ name: own }] },
      { pictures: [{ name: used }] },
    ]);
  });

  test('are deleted after a day if no update shows them', async () => {
    const { w, ada, club } = await setUp();
    await using _ = w;
    const [kept, unused] = [await upload(ada, club), await upload(ada, club)];
    await ada.api.updates.publish({ club: club.id, content: 'See', pictures: [kept] });
    await run(w.db, sql`update pictures set created_at = now() - interval '25 hours'`);
    await run(w.db, sql`select enqueue_job('delete_expired', '{}')`);
    await expect.poll(() => all(w.db, sql`select name from pictures`)).toEqual([{ name: kept }]);
    expect(unused).not.toBe(kept);
  });
});
