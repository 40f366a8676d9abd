import { describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { world, type Person } from '#test/world.ts';

async function setUp() {
  const w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  return { w, ada, bob, club: await w.club([ada, bob]) };
}

test('create: any signed-in user can create a club and becomes its admin [API-16 CLUBNEW-09 CLUBNEW-10 DATA-04]', async () => {
  await using w = await world();
  const nameless = await w.person('');
  const { status, data } = await send(w, nameless, 'POST /v1/clubs', {
    club_name: '  Café Échecs!  ',
    role: 0,
  });
  expect(status).toBe(200);
  const club = { id: expect.any(String), slug: 'cafe-echecs', club_name: 'Café Échecs!' };
  expect(data).toEqual(club);
  expect((await nameless.api.users.me({})).clubs).toEqual([
    { ...club, profile_picture_url: null, club_role: 200, is_planner: true, users: 1 },
  ]);
  expect(await outcomeOf(w.anyone.clubs.create({ club_name: 'Club' }))).toBe('401 not_signed_in');
  expect(await outcomeOf(nameless.api.clubs.create({ club_name: '  ' }))).toBe('400 bad_input');
});

test('create: fifty concurrent clubs with the same name get different slugs', async () => {
  await using w = await world();
  const founders = await Promise.all(['Ada', 'Bob', 'Cyd', 'Dot', 'Eve'].map((name) => w.person(name)));
  const ten = Array.from({ length: 10 });
  const clubs = await Promise.all(
    founders.flatMap(({ api }) => ten.map(() => api.clubs.create({ club_name: 'Rowers' }))),
  );
  expect(new Set(clubs.map(({ slug }) => slug)).size).toBe(50);
  expect(clubs.every(({ slug }) => /^rowers(-[a-z2-7]{5})?$/.test(slug))).toBe(true);
  const eleventh = await send(w, founders[0], 'POST /v1/clubs', { club_name: 'One too many' });
  expect([eleventh.status, eleventh.error]).toEqual([429, 'too_often']);
});

test('create: a name that is a reserved path gets a slug with a suffix', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  for (const club_name of ['Clubs', 'New event', '!!!', 'c9a646d3-9c61-4cb7-bfcd-ee2522c8f633']) {
    const { slug } = await ada.api.clubs.create({ club_name });
    expect(slug).toMatch(/-[a-z2-7]{5}$|^[a-z2-7]{10}$/);
    expect(await ada.api.clubs.get({ club: slug })).toMatchObject({ club_name });
  }
});

test('get: returns all fields to a member, by slug or id, and no email address [API-15 DATA-05 DATA-06 DATA-08]', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  const founded = w.now();
  w.later('1 minute');
  const event = await w.event(club, ada);
  const update = await ada.api.updates.publish({ club: club.id, content: 'News' });
  const { status, data } = await send(w, bob, `GET /v1/clubs/${club.slug}`);
  expect(status).toBe(200);
  expect(data).toEqual({
    ...club,
    version: 0,
    club_description: '',
    language: 'en',
    location_name: null,
    meta: { website: null },
    profile_picture_url: null,
    profile_banner_url: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    ical_feed_url_id: expect.stringMatching(/^[\w-]{22}$/),
    my_club_role: 0,
    is_planner: false,
    organisers_plan: null,
    first_steps: null,
    muted: false,
    needs_second_admin: false,
    handover: null,
    member_count: 2,
    members: [member(ada, 'Ada', 200), member(bob, 'Bob', 0)],
    more_members: null,
    event_count: 1,
    events: [expect.objectContaining({ id: event.id })],
    more_events: { upcoming: null, in_progress: null, previous: null },
    latest_update: update,
    latest_update_read_at: null,
  });
  expect((data as { created_at: string }).created_at <= founded).toBe(true);
  expect(await bob.api.clubs.get({ club: club.id })).toEqual(data);
  expect((await ada.api.clubs.get({ club: club.id })).my_club_role).toBe(200);
  expect(JSON.stringify(data)).not.toContain('@');
  expect((await ada.api.clubs.get({ club: club.id })).ical_feed_url_id).not.toBe(
    (data as { ical_feed_url_id: string }).ical_feed_url_id,
  );
});

test('get: 404 for outsiders', async () => {
  const { w, club } = await setUp();
  await using _ = w;
  const zoe = await w.person('Zoe');
  await w.club([zoe], 'Another club');
  for (const ref of [club.slug, club.id, 'no-such-club'])
    expect(await outcomeOf(zoe.api.clubs.get({ club: ref }))).toBe('404 not_found');
});

test('get: members are ordered by role, then by name', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  const [nameless, amy, zoe] = [await w.person(''), await w.person('amy'), await w.person('Zoe')];
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  for (const { api } of [nameless, zoe, amy]) await api.invites.join({ invite: invite_link });
  await ada.api.members.changeRole({ club: club.id, member: zoe.id, role: 100 });
  const { members } = await bob.api.clubs.get({ club: club.id });
  expect(members.map(({ id }) => id)).toEqual([ada, zoe, amy, bob, nameless].map(({ id }) => id));
});

test('getForAdmin: adds email and user name of the members [API-17 DATA-07]', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  await bob.api.users.update({ user_name: 'bobby' });
  const { status, data } = await send(w, ada, `GET /v1/clubs/admin/${club.slug}`);
  expect(status).toBe(200);
  const { club_name } = club;
  expect(data).toEqual({
    ...(await ada.api.clubs.get({ club: club.id })),
    members_for_admin: [
      { ...member(ada, 'Ada', 200), user_name: '', email: ada.email, email_refused: false, club_name },
      { ...member(bob, 'Bob', 0), user_name: 'bobby', email: bob.email, email_refused: false, club_name },
    ],
    more_members_for_admin: null,
  });
});

test('update: changes only the given fields [API-21]', async () => {
  const { w, ada, club } = await setUp();
  await using _ = w;
  const change = async (body: Record<string, unknown>) => {
    const { status, data } = await send(w, ada, `PATCH /v1/clubs/${club.slug}`, body);
    expect(status).toBe(200);
    expect(data).toMatchObject({ id: club.id, slug: club.slug });
    const { club_name, club_description, location_name, meta } = await ada.api.clubs.get({ club: club.id });
    return { club_name, club_description, location_name, ...meta };
  };
  const first = { club_name: 'Rowers', location_name: 'Pier 3', meta: { website: 'rowers.example' } };
  let now = {
    club_name: 'Rowers',
    club_description: '',
    location_name: 'Pier 3' as string | null,
    website: 'https://rowers.example' as string | null,
  };
  expect(await change({ ...first, clubId: club.id })).toEqual(now);
  expect(await change({})).toEqual(now);
  expect(await change({ club_description: 'We row.' })).toEqual(
    (now = { ...now, club_description: 'We row.' }),
  );
  expect(await change({ location_name: null })).toEqual((now = { ...now, location_name: null }));
  expect(await change({ meta: { website: null } })).toEqual((now = { ...now, website: null }));
  expect(await change({ meta: {}, location_name: 'Pier 4' })).toEqual(
    (now = { ...now, location_name: 'Pier 4' }),
  );
  expect(await change({ meta: { website: '' }, location_name: '' })).toEqual({ ...now, location_name: null });
});

test('update: ignores fields that admins cannot set', async () => {
  const { w, ada, club } = await setUp();
  await using _ = w;
  const rows = sql`select to_json(c) as club, to_json(m) as seat from clubs c join members m on m.club_id = c.id order by m.user_id`;
  const before = await all(w.db, rows);
  const privileged = { id: ada.id, slug: 'mine', created_at: '2000-01-01T00:00:00Z', ical_feed_url_id: 'x' };
  const more = {
    club_role: 200,
    members: [],
    website: 'evil.example',
    profile_picture_url: 'https://evil.example',
  };
  const { status } = await send(w, ada, `PATCH /v1/clubs/${club.id}`, {
    ...privileged,
    ...more,
    __proto__: {},
  });
  expect(status).toBe(200);
  expect(await all(w.db, rows)).toEqual(before);
});

test('update: refused if path and body name different clubs, the name is empty or the website is dangerous', async () => {
  const { w, ada, club } = await setUp();
  await using _ = w;
  const other = await w.club([ada], 'Another club');
  const update = (change: object) => outcomeOf(ada.api.clubs.update({ club: club.id, ...change }));
  expect(await update({ clubId: other.id, club_name: 'x' })).toBe('400 ids_disagree');
  expect(await update({ clubId: other.slug, club_name: 'x' })).toBe('400 ids_disagree');
  expect(await update({ club_name: ' ' })).toBe('400 bad_input');
  for (const website of ['javascript:', 'data:', 'http:javascript', '\tjava\nscript:', 'httpx:'])
    expect(`${website} ${await update({ meta: { website } })}`).toBe(`${website} 400 bad_input`);
  expect(await ada.api.clubs.get({ club: club.id })).toMatchObject({ ...club, meta: { website: null } });
});

test('remove: any admin can delete the club with everything in it [API-22]', async () => {
  const { w, ada, bob, club } = await setUp();
  await using _ = w;
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  await w.event(club, ada);
  await ada.api.updates.publish({ club: club.id, content: 'News' });
  const survivor = await w.club([ada], 'Another club');
  expect(await send(w, bob, `DELETE /v1/clubs/${club.slug}`)).toMatchObject({ status: 200, data: null });
  expect(await outcomeOf(ada.api.clubs.get({ club: club.id }))).toBe('404 not_found');
  expect(await outcomeOf(ada.api.clubs.remove({ club: club.id }))).toBe('404 not_found');
  const left = sql`
    select (select json_agg(id) from clubs) as clubs, (select json_agg(club_id) from members) as members,
      (select count(*) from events) + (select count(*) from answers) + (select count(*) from club_updates)
        + (select count(*) from invite_links) as others`;
  expect(await first(w.db, left)).toEqual({ clubs: [survivor.id], members: [survivor.id], others: 0 });
});

const member = ({ id }: Person, first_name: string, club_role: number) => ({
  id,
  first_name,
  last_name: '',
  profile_picture_url: null,
  section_ids: [],
  club_role,
});

test('C16: update: concurrent edits of different fields are both kept; If-Match with an older version is 412', async () => {
  const { w, ada, club } = await setUp();
  await using _ = w;
  const edit = (body: Record<string, unknown>, ifMatch?: string) =>
    send(w, ada, `PATCH /v1/clubs/${club.id}`, body, ifMatch === undefined ? {} : { 'if-match': ifMatch });
  for (let round = 1; round <= 20; round++) {
    const [club_name, location_name] = [`Club ${round}`, `Pier ${round}`];
    await Promise.all([edit({ club_name }), edit({ location_name })]);
    expect(await ada.api.clubs.get({ club: club.id })).toMatchObject({
      club_name,
      location_name,
      version: 2 * round,
    });
  }
  expect(await edit({ club_name: 'Club 20' }, '"40"')).toMatchObject({ status: 200, data: { version: 40 } });
  expect(await edit({ club_name: 'New' }, '"40"')).toMatchObject({ status: 200, data: { version: 41 } });
  expect(await edit({ location_name: '' }, '"41"')).toMatchObject({ status: 200, data: { version: 42 } });
  expect(await edit({ club_name: 'Late' }, '"41"')).toMatchObject({
    status: 412,
    error: 'changed_meanwhile',
  });
  expect((await ada.api.clubs.get({ club: club.id })).club_name).toBe('New');
  const both = await Promise.all([edit({ club_name: 'Left' }, '"42"'), edit({ club_name: 'Right' }, '"42"')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
});

test('create: refused with too_many_clubs for an admin of fifty clubs, allowed for a non-admin member of many clubs', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  await run(
    w.db,
    sql`with new as (
          insert into clubs (id, slug, club_name, created_at)
          select gen_random_uuid(), 'many-' || n, 'Many', now() from generate_series(1, 49) n returning id)
        insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
        select id, u, r, gen_random_uuid(), now() from new,
          (values (${ada.id}::uuid, 200::smallint), (${bob.id}::uuid, 100::smallint)) as seats (u, r)`,
  );
  const create = (who: Person) => send(w, who, 'POST /v1/clubs', { club_name: 'One more' });
  const both = await Promise.all([create(ada), create(ada)]);
  expect(both.map(({ status, error }) => `${status} ${error}`).toSorted()).toEqual([
    '200 null',
    '409 too_many_clubs',
  ]);
  expect((await create(bob)).status).toBe(200);
});

const stepsOf = async ({ api }: Person, { id }: { id: string }) =>
  (await api.clubs.get({ club: id })).first_steps;

describe('first steps', () => {
  test('are shown only to the founder, and are ticked once there is an invite link or the calendar is added [UX-27]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([ada]);
    expect(await stepsOf(ada, club)).toEqual({ invited: false, calendar_added: false });
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    expect(await stepsOf(ada, club)).toEqual({ invited: true, calendar_added: false });
    await bob.api.invites.join({ invite: invite_link });
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    expect(await stepsOf(bob, club)).toBeNull();
    await ada.api.clubs.setFirstSteps({ club: club.slug, first_steps: 'calendar_added' });
    expect(await stepsOf(ada, club)).toEqual({ invited: true, calendar_added: true });
    await bob.api.members.changeRole({ club: club.id, member: ada.id, role: 0 });
    expect(await stepsOf(ada, club)).toBeNull();
  });

  test('can be hidden for good, which affects only this admin in this club [UX-27]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const [club, other, bobs] = [await w.club([ada]), await w.club([ada]), await w.club([bob, ada])];
    await bob.api.members.changeRole({ club: bobs.id, member: ada.id, role: 200 });
    await ada.api.clubs.setFirstSteps({ club: club.id, first_steps: null });
    await ada.api.clubs.setFirstSteps({ club: club.id, first_steps: 'calendar_added' });
    await ada.api.clubs.setFirstSteps({ club: bobs.id, first_steps: null });
    expect(await stepsOf(ada, club)).toBeNull();
    expect([await stepsOf(ada, other), await stepsOf(bob, bobs)]).not.toContain(null);
  });
});
