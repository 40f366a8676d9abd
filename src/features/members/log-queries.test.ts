import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import type { LogEntry, PersonInLog } from '#features/members/log-contract.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { codeFor } from '#test/races/people.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

const logOf = async ({ api }: Person, { id }: ClubHandle) => (await api.members.log({ club: id })).entries;
const nameOf = (person: PersonInLog | null) =>
  person && (person.is_member ? person.first_name : 'a former member');
const inWords = ({ kind, actor, person, details }: LogEntry) => [
  nameOf(actor),
  kind,
  nameOf(person),
  details,
];
const people = (...names: string[]) => Promise.all(names.map((name) => w.person(name)));
const newYear = { first_on: '2090-01-01', last_on: '2090-01-02', name: 'New Year' };
const png = () =>
  sharp({ create: { width: 9, height: 9, channels: 3, background: '#456' } })
    .png()
    .toBuffer();

test('log: has what admins did to roles, members, links and settings, newest first [LOG-01]', async () => {
  const [ada, bob, cyd] = (await people('Ada', 'Bob', 'Cyd')) as [Person, Person, Person];
  const club = await ada.api.clubs.create({ club_name: 'Harbour Rowers' });
  w.later('1 second');
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  for (const { api } of [bob, cyd]) await api.invites.join({ invite: invite_link });
  const steps = [
    () => ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 }),
    () => bob.api.members.changeRole({ club: club.id, member: ada.id, role: 100 }),
    () =>
      bob.api.clubs.update({
        club: club.id,
        club_name: 'Pier Rowers',
        organisers_plan: true,
        meta: { website: 'example.org' },
      }),
    async () => bob.api.media.setAvatar({ club: club.id, file: new Blob([await png()]) }),
    async () => bob.api.media.setBanner({ club: club.id, file: new Blob([await png()]) }),
    () => bob.api.media.removeBanner({ club: club.id }),
    () => bob.api.series.saveBreaks({ club: club.id, breaks: [newYear] }),
    () => bob.api.members.eject({ club: club.id, member: cyd.id }),
    () => bob.api.invites.remove({ invite: invite_link }),
  ];
  for (const step of steps) {
    w.later('1 second');
    await step();
  }
  expect((await logOf(bob, club)).map(inWords)).toEqual([
    ['Bob', 'link_deleted', null, {}],
    ['Bob', 'ejected', 'a former member', {}],
    ['Bob', 'settings', null, { fields: ['breaks'] }],
    ['Bob', 'settings', null, { fields: ['profile_banner_url'] }],
    ['Bob', 'settings', null, { fields: ['profile_banner_url'] }],
    ['Bob', 'settings', null, { fields: ['profile_picture_url'] }],
    ['Bob', 'settings', null, { fields: ['club_name', 'organisers_plan', 'website'] }],
    ['Bob', 'role', 'Ada', { role: { before: 200, now: 100 } }],
    ['Ada', 'role', 'Bob', { role: { before: 0, now: 200 } }],
    ['Ada', 'link_made', null, {}],
    ['Ada', 'founded', null, {}],
  ]);
});

test('log: fifty entries a page with a cursor that new entries do not shift [LOG-01]', async () => {
  const [ada] = (await people('Ada')) as [Person];
  const club = await w.club([ada]);
  await run(w.db, sql`delete from club_log`);
  expect(await ada.api.members.log({ club: club.slug })).toEqual({ entries: [], more: null });
  const dayAgo = sql`${w.now()}::timestamptz - interval '1 day'`;
  await run(
    w.db,
    sql`insert into club_log (id, club_id, at, kind, actor_id)
        select gen_random_uuid(), ${club.id}, ${dayAgo} - (n / 2) * interval '1 hour', 'link_made', ${ada.id}
        from generate_series(1, 110) as n`,
  );
  const found: LogEntry[] = [];
  let after: string | undefined;
  const sizes: number[] = [];
  do {
    const page = await ada.api.members.log({ club: club.slug, ...(after && { after }) });
    found.push(...page.entries);
    sizes.push(page.entries.length);
    after = page.more ?? undefined;
    await ada.api.clubs.update({ club: club.id, club_description: `Change ${sizes.length}` });
  } while (after);
  expect(sizes).toEqual([50, 50, 10]);
  expect(new Set(found.map(({ id }) => id)).size).toBe(110);
  expect(found.map(({ at }) => at)).toEqual(
    found
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect(await send(w, ada, `GET /v1/clubs/${club.id}/log`, { after: 'no-cursor' })).toMatchObject({
    status: 400,
    error: 'bad_input',
  });
});

test('log: only admins read it, and no call changes or deletes an entry [LOG-01 LOG-03]', async () => {
  const [ada, olga, bob, zoe] = (await people('Ada', 'Olga', 'Bob', 'Zoe')) as [
    Person,
    Person,
    Person,
    Person,
  ];
  const club = await w.club([ada, olga, bob]);
  await ada.api.members.changeRole({ club: club.id, member: olga.id, role: 100 });
  await ada.api.clubs.update({ club: club.id, organisers_plan: true });
  const line = `GET /v1/clubs/${club.id}/log`;
  expect(await send(w, olga, line)).toMatchObject({ status: 403, error: 'not_admin' });
  expect(await send(w, bob, line)).toMatchObject({ status: 403, error: 'not_admin' });
  expect(await send(w, zoe, line)).toMatchObject({ status: 404, error: 'not_found' });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await send(w, ada, line.replace('GET', method))).status).toBe(405);
});

test('log: shows current names, and none of people who left or deleted their account [LOG-02]', async () => {
  const [ada, bob, cyd, dan] = (await people('Ada', 'Bob', 'Cyd', 'Dan')) as [Person, Person, Person, Person];
  const club = await w.club([ada, bob, cyd, dan]);
  for (const { id } of [bob, cyd, dan])
    await ada.api.members.changeRole({ club: club.id, member: id, role: 200 });
  await dan.api.clubs.update({ club: club.id, club_description: 'By Dan' });
  await cyd.api.clubs.update({ club: club.id, club_description: 'By Cyd' });
  await bob.api.users.update({ first_name: 'Robert' });
  await cyd.api.members.leave({ club: club.id });
  await dan.api.account.remove({ code: await codeFor(w, dan.email, 'ABCDEF', 'deletion'), choices: [] });
  const entries = await logOf(ada, club);
  const shown = entries.filter(({ kind }) => ['role', 'settings'].includes(kind)).map(inWords);
  const promoted = { role: { before: 0, now: 200 } };
  const described = { fields: ['club_description'] };
  expect(shown).toHaveLength(5);
  expect(shown).toEqual(
    expect.arrayContaining([
      ['a former member', 'settings', null, described],
      [null, 'settings', null, described],
      ['Ada', 'role', 'Robert', promoted],
      ['Ada', 'role', 'a former member', promoted],
      ['Ada', 'role', null, promoted],
    ]),
  );
  expect(JSON.stringify(entries)).not.toMatch(/Bob|Cyd|Dan|@/);
});

test('log: stores ids, roles and names of fields, and no name, email or text [LOG-02]', async () => {
  const [ada, bob] = (await people('Adalovelace', 'Bobthebuilder')) as [Person, Person];
  const club = await w.club([ada, bob], 'Canaryclub');
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
  await ada.api.clubs.update({ club: club.id, club_name: 'Canaryname', club_description: 'Canarytext' });
  await ada.api.members.eject({ club: club.id, member: bob.id });
  const rows = await all(w.db, sql`select * from club_log where club_id = ${club.id}`);
  expect(rows).toHaveLength(5);
  expect(JSON.stringify(rows)).not.toMatch(/adalovelace|bobthebuilder|canary|@/i);
});

test('log: an operation that fails, changes nothing or is repeated with its key adds no entry [LOG-03]', async () => {
  const [ada, bob] = (await people('Ada', 'Bob')) as [Person, Person];
  const club = await w.club([ada, bob]);
  await ada.api.clubs.update({ club: club.id, club_description: 'Row', organisers_plan: false });
  await ada.api.series.saveBreaks({ club: club.id, breaks: [newYear] });
  const count = async () =>
    (await first(w.db, sql<{ count: number }>`select count(*)::int from club_log`))?.count ?? 0;
  const before = await count();

  await ada.api.clubs.update({ club: club.id, club_description: 'Row', organisers_plan: false });
  await ada.api.clubs.update({ club: club.id });
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 0 });
  await ada.api.invites.create({ club_id: club.id, if_none: true });
  await ada.api.media.removeAvatar({ club: club.id });
  await ada.api.series.saveBreaks({ club: club.id, breaks: [newYear] });
  const stranger = '5d0b7a52-4ad6-4a0c-9a37-60b6a3c9e111';
  expect([
    await outcomeOf(ada.api.members.changeRole({ club: club.id, member: ada.id, role: 0 })),
    await outcomeOf(ada.api.members.eject({ club: club.id, member: ada.id })),
    await outcomeOf(ada.api.members.eject({ club: club.id, member: stranger })),
    await outcomeOf(ada.api.invites.remove({ invite: stranger })),
    await outcomeOf(bob.api.clubs.update({ club: club.id, club_description: 'Mine' })),
    (await send(w, ada, `PATCH /v1/clubs/${club.id}`, { club_description: 'Old' }, { 'if-match': '"99"' }))
      .status,
  ]).toEqual([
    '400 only_admin_left',
    '400 only_admin_left',
    '404 not_found',
    '404 not_found',
    '403 not_admin',
    412,
  ]);
  expect(await count()).toBe(before);

  for (const _ of [1, 2])
    await send(w, ada, 'POST /v1/clubs', { club_name: 'Twice' }, { 'idempotency-key': 'founding' });
  expect(await count()).toBe(before + 1);
});

test('log: an entry is rolled back with its operation [LOG-03]', async () => {
  const [ada, bob] = (await people('Ada', 'Bob')) as [Person, Person];
  const club = await w.club([ada, bob]);
  await run(
    w.db,
    sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
  );
  await run(
    w.db,
    sql`create trigger refuse after update of club_role on members for each row execute function refuse()`,
  );
  const line = `PATCH /v1/clubs/${club.id}/role/${bob.id}`;
  const logged = sql`select 1 from club_log where kind = 'role' and club_id = ${club.id}`;
  expect((await send(w, ada, line, { role: 100 })).status).toBe(500);
  expect(await all(w.db, logged)).toEqual([]);
  await run(w.db, sql`drop trigger refuse on members`);
  await run(w.db, sql`drop function refuse`);
  expect((await send(w, ada, line, { role: 100 })).status).toBe(200);
  expect(await all(w.db, logged)).toHaveLength(1);
});

test('log: the own export has the entries about oneself without other names, and deleting the account detaches them [LOG-04]', async () => {
  const [ada, bob] = (await people('Ada', 'Bob')) as [Person, Person];
  const club = await w.club([ada, bob]);
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  await bob.api.members.changeRole({ club: club.id, member: ada.id, role: 0 });
  await bob.api.invites.create({ club_id: club.id });
  const code = async () => codeFor(w, bob.email, 'ABCDEF', 'export');
  const { club_log } = await bob.api.account.export({ code: await code() });
  expect(club_log).toMatchObject([
    {
      club_name: 'Harbour Rowers',
      kind: 'role',
      actor: 'an admin',
      person: 'you',
      details: { role: { before: 0, now: 200 } },
    },
    {
      club_name: 'Harbour Rowers',
      kind: 'role',
      actor: 'you',
      person: 'a member',
      details: { role: { before: 200, now: 0 } },
    },
    { club_name: 'Harbour Rowers', kind: 'link_made', actor: 'you', person: null, details: {} },
  ]);
  expect(JSON.stringify(club_log)).not.toMatch(/Ada|Bob|@/);
  await ada.api.members.leave({ club: club.id });
  await run(w.db, sql`delete from login_codes`);
  const other = await w.person('Zoe');
  const { invite_link } = await bob.api.invites.ofClub({ club: club.id });
  await other.api.invites.join({ invite: invite_link });
  await bob.api.account.remove({
    code: await codeFor(w, bob.email, 'BCDEFG', 'deletion'),
    choices: [{ club: club.id, successor: other.id }],
  });
  expect(await all(w.db, sql`select 1 from club_log where ${bob.id} in (actor_id, user_id)`)).toEqual([]);
  expect((await logOf(other, club)).map(inWords)).toContainEqual([
    null,
    'role',
    'Zoe',
    { role: { before: 0, now: 200 } },
  ]);
});
