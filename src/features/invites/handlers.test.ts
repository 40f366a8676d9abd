import { describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { addSeconds, secondsBetween } from '#wire/instant.ts';
import { outcomeOf, send, whileHeld } from '#test/calls.ts';
import { isolatedWorld, world, type Person } from '#test/world.ts';

async function scene() {
  const w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  return { w, ada, bob, club: await w.club([ada]) };
}

const linkOf = async (admin: Person, club: { id: string }) =>
  (await admin.api.invites.create({ club_id: club.id })).invite_link;

const isMember = async (person: Person, club: { id: string }) =>
  (await outcomeOf(person.api.clubs.get({ club: club.id }))) === 'ok';

const lockOf = (club: { id: string }) => sql`select 1 from clubs where id = ${club.id} for update`;

test('create: returns a link that is valid for a week; admins can read it [API-23 API-24 DATA-17 INVITEDLG-06]', async () => {
  const { w, ada, club } = await scene();
  await using _ = w;
  expect(await outcomeOf(ada.api.invites.ofClub({ club: club.slug }))).toBe('404 not_found');
  const { status, data } = await send(w, ada, 'POST /v1/invite-links', { club_id: club.id });
  const link = await ada.api.invites.ofClub({ club: club.slug });
  expect(await send(w, ada, `GET /v1/invite-links/club/${club.id}`)).toMatchObject({
    status: 200,
    data: link,
  });
  expect(status).toBe(200);
  expect(data).toEqual(link);
  expect(link.invite_link).toMatch(/^[\w-]{22}$/);
  expect(secondsBetween(w.now(), link.expires_at)).toBeGreaterThan(7 * 86_400 - 60);
  expect(secondsBetween(w.now(), link.expires_at)).toBeLessThanOrEqual(7 * 86_400);
});

test('create: with if_none, an existing link stays, even if it has expired, and many requests at once get the same link [FORMUX-05]', async () => {
  const { w, ada, club } = await scene();
  await using _ = w;
  const create = () => ada.api.invites.create({ club_id: club.id, if_none: true });
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, create));
  expect(others).toEqual(Array(4).fill(first));
  w.later('8 days');
  expect(await create()).toEqual(first);
  const { id, invite_link } = await ada.api.invites.create({ club_id: club.id });
  expect(invite_link).not.toBe(first?.invite_link);
  await ada.api.invites.remove({ invite: id });
  expect((await create()).id).not.toBe(id);
});

test('get: returns what the invite page shows and nothing else, with no session or an expired one [API-25 DATA-18 INVITE-02 UX-25]', async () => {
  const { w, ada, bob, club } = await scene();
  await using _ = w;
  const { id, invite_link } = await ada.api.invites.create({ club_id: club.id });
  const path = `GET /v1/invite-links/${invite_link}`;
  const shown = {
    id,
    club_id: club.id,
    club_name: 'Harbour Rowers',
    profile_picture_url: null,
    profile_banner_url: null,
    invited_by: 'Ada',
    member_count: 1,
    next_event_day: null,
  };
  const visitor = await send(w, undefined, path);
  expect([visitor.status, visitor.data]).toEqual([200, shown]);
  await bob.api.invites.join({ invite: invite_link });
  const day = (days: number) => addSeconds(w.now(), days * 86_400).slice(0, 10);
  const startsIn = (days: number) => (Date.parse(`${day(days)}T23:30:00Z`) - Date.parse(w.now())) / 3_600_000;
  const cancelled = await w.event(club, ada, { startsIn: startsIn(2) });
  await w.event(club, ada, { startsIn: startsIn(5) });
  // In the time zone of the event, it is the next day.
  await w.event(club, ada, { startsIn: startsIn(3), time_zone: 'Pacific/Auckland' });
  await ada.api.events.cancel({ event: cancelled.id });
  await ada.api.users.update({ first_name: '' });
  ada.session.write({ AccessToken: { Token: 'dead' }, RefreshToken: { Token: 'dead' } });
  expect((await send(w, ada, path)).data).toEqual({
    ...shown,
    invited_by: null,
    member_count: 2,
    next_event_day: day(4),
  });
});

test('get: a replaced, expired or unknown link gets a 404 without any data [UX-25]', async () => {
  const { w, ada, club } = await scene();
  await using _ = w;
  const replaced = await linkOf(ada, club);
  const expired = await linkOf(ada, club);
  w.later('8 days');
  for (const invite of [replaced, expired, 'unknown']) {
    const response = await fetch(`${w.origin}/api/v1/invite-links/${invite}`);
    expect(await response.json()).toEqual({
      data: null,
      status: 404,
      error: 'not_found',
      message: "We couldn't find that, or you don't have access.",
    });
  }
});

test('join: creates a member without a role and with their own calendar address [API-26 T16]', async () => {
  const { w, ada, bob, club } = await scene();
  await using _ = w;
  const invite = await linkOf(ada, club);
  const body = { first_name: 'Robert', last_name: 'Brown', role: 200, club_role: 200 };
  const joined = await send(w, bob, `POST /v1/invite-links/join/${invite}`, body);
  expect(joined).toMatchObject({ status: 200, data: { id: club.id, slug: club.slug } });
  const [adas, bobs] = [
    await ada.api.clubs.get({ club: club.id }),
    await bob.api.clubs.get({ club: club.id }),
  ];
  expect(bobs.members.find(({ id }) => id === bob.id)).toMatchObject({
    first_name: 'Bob',
    last_name: 'Brown',
    club_role: 0,
  });
  expect(bobs.ical_feed_url_id).toMatch(/^[\w-]{22}$/);
  expect(bobs.ical_feed_url_id).not.toBe(adas.ical_feed_url_id);
});

test('join: changes neither role nor names of a member', async () => {
  const { w, ada, club } = await scene();
  await using _ = w;
  const nameless = await w.person('');
  const invite = await linkOf(ada, club);
  await nameless.api.invites.join({ invite });
  await ada.api.members.changeRole({ club: club.id, member: nameless.id, role: 200 });
  const memberships = sql`select * from members order by user_id`;
  const before = await all(w.db, memberships);
  expect(await nameless.api.invites.join({ invite, first_name: 'New', last_name: 'Name' })).toMatchObject({
    id: club.id,
  });
  expect(await all(w.db, memberships)).toEqual(before);
  expect((await nameless.api.users.me({})).first_name).toBe('');
});

test('create: invalidates the previous link; the new link leads only to its own club [INVITEDLG-06 T16]', async () => {
  const { w, ada, bob, club } = await scene();
  await using _ = w;
  const other = await w.club([ada], 'Another club');
  const old = await linkOf(ada, club);
  const fresh = await linkOf(ada, club);
  expect(await outcomeOf(w.anyone.invites.get({ invite: old }))).toBe('404 not_found');
  expect(await outcomeOf(bob.api.invites.join({ invite: old }))).toBe('404 not_found');
  await bob.api.invites.join({ invite: fresh });
  expect([await isMember(bob, club), await isMember(bob, other)]).toEqual([true, false]);
});

test.each(['id', 'invite_link'] as const)(
  'delete: a link deleted by its %s is not found [API-27 INVITEDLG-07 T17]',
  async (key) => {
    const { w, ada, bob, club } = await scene();
    await using _ = w;
    const link = await ada.api.invites.create({ club_id: club.id });
    const deletion = `DELETE /v1/invite-links/${link[key]}`;
    expect(await send(w, ada, deletion)).toMatchObject({ status: 200, data: null });
    expect(await outcomeOf(w.anyone.invites.get({ invite: link.invite_link }))).toBe('404 not_found');
    expect(await outcomeOf(bob.api.invites.join({ invite: link.invite_link }))).toBe('404 not_found');
    expect(await outcomeOf(ada.api.invites.ofClub({ club: club.id }))).toBe('404 not_found');
    expect(await send(w, ada, deletion)).toMatchObject({ status: 404, error: 'not_found' });
  },
);

test('expiry: an expired link is refused but still shown to admins [INVITE-17]', async () => {
  const { w, ada, bob, club } = await scene();
  await using _ = w;
  const cyd = await w.person('Cyd');
  const invite = await linkOf(ada, club);
  w.later('167 hours');
  await bob.api.invites.join({ invite });
  w.later('1 hour');
  expect(await outcomeOf(w.anyone.invites.get({ invite }))).toBe('404 not_found');
  expect(await outcomeOf(cyd.api.invites.join({ invite }))).toBe('404 not_found');
  expect(await ada.api.invites.ofClub({ club: club.id })).toMatchObject({ invite_link: invite });
});

describe('joining again', () => {
  test('is allowed with the same link after leaving', async () => {
    const { w, ada, bob, club } = await scene();
    await using _ = w;
    const invite = await linkOf(ada, club);
    await bob.api.invites.join({ invite });
    await bob.api.members.leave({ club: club.id });
    expect(await outcomeOf(bob.api.invites.join({ invite }))).toBe('ok');
  });

  test('needs a link created after the ejection [T18]', async () => {
    const { w, ada, bob, club } = await scene();
    await using _ = w;
    const invite = await linkOf(ada, club);
    await bob.api.invites.join({ invite });
    await ada.api.members.eject({ club: club.id, member: bob.id });
    expect(await outcomeOf(bob.api.invites.join({ invite }))).toBe('403 ejected');
    const fresh = await linkOf(ada, club);
    expect(await outcomeOf(bob.api.invites.join({ invite: fresh }))).toBe('ok');
    await ada.api.members.eject({ club: club.id, member: bob.id });
    expect(await outcomeOf(bob.api.invites.join({ invite: fresh }))).toBe('403 ejected');
  });

  test('is refused with a link created while the ejection waited for the lock', async () => {
    const { w, ada, bob, club } = await scene();
    await using _ = w;
    const invite = await linkOf(ada, club);
    await bob.api.invites.join({ invite });
    const ejects = await whileHeld(
      w,
      lockOf(club),
      () => ada.api.members.eject({ club: club.id, member: bob.id }),
      (held) => run(held, sql`update invite_links set created_at = clock_timestamp()`),
    );
    expect(ejects).toBe('ok');
    expect(await outcomeOf(bob.api.invites.join({ invite }))).toBe('403 ejected');
  });

  test.each(['leaves', 'is ejected'])('is refused with the link of an admin who %s', async (how) => {
    const { w, ada, bob, club } = await scene();
    await using _ = w;
    await bob.api.invites.join({ invite: await linkOf(ada, club) });
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    const invite = await linkOf(bob, club);
    if (how === 'leaves') await bob.api.members.leave({ club: club.id });
    else await ada.api.members.eject({ club: club.id, member: bob.id });
    expect(await outcomeOf(w.anyone.invites.get({ invite }))).toBe('404 not_found');
  });
});

describe('concurrent requests', () => {
  test('join is refused when the link is replaced while the request waits for the lock', async () => {
    const { w, ada, bob, club } = await scene();
    await using _ = w;
    const invite = await linkOf(ada, club);
    const joins = await whileHeld(
      w,
      lockOf(club),
      () => bob.api.invites.join({ invite }),
      (held) => run(held, sql`update invite_links set token = 'another'`),
    );
    expect(joins).toBe('404 not_found');
    expect(await isMember(bob, club)).toBe(false);
  });

  test('delete returns not_found when the link has just been replaced, and keeps the new link', async () => {
    const { w, ada, club } = await scene();
    await using _ = w;
    const invite = await linkOf(ada, club);
    const removes = await whileHeld(
      w,
      lockOf(club),
      () => ada.api.invites.remove({ invite }),
      (held) => run(held, sql`update invite_links set token = 'another'`),
    );
    expect(removes).toBe('404 not_found');
    expect((await ada.api.invites.ofClub({ club: club.id })).invite_link).toBe('another');
  });

  test('fifty joins of one user create one membership', async () => {
    const { w, ada, bob, club } = await scene();
    await using _ = w;
    const invite = await linkOf(ada, club);
    const all50 = Array.from({ length: 50 }, () => outcomeOf(bob.api.invites.join({ invite })));
    expect(new Set(await Promise.all(all50))).toEqual(new Set(['ok']));
    expect(await first(w.db, sql`select count(*) from members where club_id = ${club.id}`)).toEqual({
      count: 2,
    });
  });
});

test('membership: no endpoint except join and the creation of a club adds a member, even if an admin calls it [GEN-03]', async () => {
  const { w, ada, bob, club } = await scene();
  await using _ = w;
  const event = await w.event(club, ada);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  const words = { name: 'x', first_name: 'Bob', content: 'x', location_name: 'x', code: 'x', secret: 'x' };
  const times = { start_time: '2100-01-01T10:00:00Z', end_time: '2100-01-01T11:00:00Z' };
  const ids = { club: club.slug, club_id: club.id, clubId: club.id, event: event.slug, invite: invite_link };
  const input = { ...words, ...times, ...ids, member: bob.id, role: 200 };
  const joining = new Set(['invites.join', 'clubs.create']);
  for (const { auth: __, ...nouns } of [bob.api, ada.api])
    for (const [noun, calls] of Object.entries(nouns))
      for (const [name, call] of Object.entries(calls)) {
        if (joining.has(`${noun}.${name}`)) continue;
        // Payments are not configured in this world.
        const broken = noun === 'payments' ? /^500/ : /^5/;
        expect(await outcomeOf((call as (input: object) => Promise<unknown>)(input))).not.toMatch(broken);
        const membership = await first(w.db, sql`select 1 from members where user_id = ${bob.id}`);
        expect(membership, `${noun}.${name}`).toBeUndefined();
      }
});

test('get: rate limited per network', async () => {
  await using w = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
  const guess = () => send(w, undefined, 'GET /v1/invite-links/guess');
  for (let tries = 0; tries < 60; tries++) expect((await guess()).status).toBe(404);
  const slowed = await guess();
  expect(slowed.status).toBe(429);
  expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
  w.later('1 minute');
  expect((await guess()).status).toBe(404);
});
