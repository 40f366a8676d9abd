import { afterAll, beforeAll, expect, test } from 'vitest';
import { first, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

const people = (...names: string[]) =>
  Promise.all(names.map((name) => w.person(name))) as Promise<[Person, Person, Person, Person]>;
const named = (...names: string[]) => names.map((name) => ({ name }));
const namesOf = (sections: readonly { name: string }[]) => sections.map(({ name }) => name);

/** A club with sections, an organiser who plans, and a member. */
async function choir(...names: string[]) {
  const [ada, gus, bob, zoe] = await people('Ada', 'Gus', 'Bob', 'Zoe');
  const club = await w.club([ada, gus, bob]);
  await ada.api.members.changeRole({ club: club.id, member: gus.id, role: 100 });
  await ada.api.clubs.update({ club: club.id, organisers_plan: true });
  const sections = await ada.api.sections.save({ club: club.id, sections: named(...names) });
  const idOf = (name: string) => sections.find((section) => section.name === name)?.id ?? '';
  return { ada, gus, bob, zoe, club, sections, idOf };
}

const state = () =>
  first(
    w.db,
    sql`select (select json_agg(s order by id) from sections s) as sections, (select count(*) from club_log) as entries`,
  );
const boats = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ name: `Boat ${nth} of the club at the harbour` }));
const idsIn = (list: { members: { id: string }[] }) => list.members.map(({ id }) => id);
const kindsInLog = async ({ api }: Person, { id }: ClubHandle) =>
  (await api.members.log({ club: id })).entries.map(({ kind, details }) => [kind, details.sections]);
const sectionsOf = async ({ api }: Person, { id }: ClubHandle, person: Person) =>
  (await api.clubs.get({ club: id })).members.find(({ id: member }) => member === person.id)?.section_ids;

test('sections: an admin adds, names, orders and removes them, and members read them [SECT-01]', async () => {
  const { ada, bob, club, idOf } = await choir('Tenor', 'Bass');
  const [tenor, bass] = [idOf('Tenor'), idOf('Bass')];
  const saved = await ada.api.sections.save({
    club: club.slug,
    sections: [{ id: bass, name: 'Tenor' }, { name: ' Alto ' }, { id: tenor, name: 'Bass' }],
  });
  expect(saved).toEqual([
    { id: bass, name: 'Tenor', members: 0 },
    { id: expect.any(String), name: 'Alto', members: 0 },
    { id: tenor, name: 'Bass', members: 0 },
  ]);
  expect(await bob.api.sections.ofClub({ club: club.id })).toEqual(saved);
  // Two names swapped without giving an order, and one section that is not sent.
  const swapped = await ada.api.sections.save({
    club: club.id,
    sections: [
      { id: tenor, name: 'tenor' },
      { id: bass, name: 'Bass' },
    ],
  });
  expect(namesOf(swapped)).toEqual(['tenor', 'Bass', 'Alto']);
  expect(namesOf(await ada.api.sections.save({ club: club.id, remove: [tenor] }))).toEqual(['Bass', 'Alto']);
  expect((await kindsInLog(ada, club)).slice(0, 4)).toEqual([
    ['sections', ['removed']],
    ['sections', ['renamed', 'ordered']],
    ['sections', ['added', 'renamed', 'ordered']],
    ['sections', ['added']],
  ]);
});

test('sections: bad input, a 31st section and other roles are refused, and change nothing [SECT-01 ROLE2-06 LOG-03]', async () => {
  const { ada, gus, bob, zoe, club, idOf } = await choir('Tenor', 'Bass');
  const before = await state();
  const save = ({ api }: Person, input: object) => outcomeOf(api.sections.save({ club: club.id, ...input }));
  for (const sections of [
    named('Alto', 'ALTO'),
    named('tenor'),
    named(''),
    named('x'.repeat(41)),
    named('two\nlines'),
    [{ id: idOf('Tenor'), name: '\u200b' }],
    [{ id: club.id }],
    [{ id: 'none', name: 'Alto' }],
    [{}],
  ])
    expect(await save(ada, { sections })).toBe('400 bad_input');
  expect(await save(ada, { remove: [club.id] })).toBe('400 bad_input');
  expect(await save(ada, { sections: boats(29) })).toBe('409 too_many_sections');
  expect(await save(ada, {})).toBe('ok');
  expect(await save(ada, { sections: [{ id: idOf('Tenor'), name: 'Tenor' }] })).toBe('ok');
  for (const [person, error] of [
    [gus, '403 not_admin'],
    [bob, '403 not_admin'],
    [zoe, '404 not_found'],
  ] as const) {
    expect(await save(person, { sections: named('Alto') })).toBe(error);
    const members = person.api.sections.changeMembers({
      club: club.id,
      section: idOf('Tenor'),
      add: [bob.id],
    });
    expect(await outcomeOf(members)).toBe(error);
  }
  expect(await state()).toEqual(before);
});

test('sections: a repetition with the same Idempotency-Key adds one section and one log entry [LOG-03 SECT-01]', async () => {
  const { ada, club } = await choir('Tenor');
  const twice = () =>
    send(
      w,
      ada,
      `PUT /v1/clubs/${club.id}/sections`,
      { sections: named('Bass') },
      { 'idempotency-key': 'once' },
    );
  expect((await twice()).data).toEqual((await twice()).data);
  expect((await kindsInLog(ada, club)).filter(([kind]) => kind === 'sections')).toHaveLength(2);
});

test('sections: thirty with long names can be saved at once [SECT-01]', async () => {
  const { ada, club } = await choir();
  const names = Array.from({ length: 30 }, (_, nth) => `${nth} ${'x'.repeat(37)}`);
  const saved = await ada.api.sections.save({ club: club.id, sections: named(...names) });
  expect(namesOf(saved)).toEqual(names);
  expect(await ada.api.sections.ofClub({ club: club.id })).toEqual(saved);
});

test('members of sections: an admin adds and removes them, and one member can be in several [SECT-02]', async () => {
  const { ada, bob, gus, zoe, club, idOf } = await choir('Tenor', 'Bass');
  const change = (section: string, input: object) =>
    ada.api.sections.changeMembers({ club: club.id, section: idOf(section), ...input });
  expect(await change('Tenor', { add: [bob.id, ada.id, zoe.id] })).toEqual({ members: 2 });
  expect(await change('Bass', { add: [bob.id] })).toEqual({ members: 1 });
  expect(await change('Tenor', { add: [bob.id, gus.id], remove: [ada.id] })).toEqual({ members: 2 });
  expect(await sectionsOf(gus, club, bob)).toEqual([idOf('Tenor'), idOf('Bass')]);
  expect(await sectionsOf(gus, club, ada)).toEqual([]);
  expect((await gus.api.sections.ofClub({ club: club.id })).map(({ members }) => members)).toEqual([2, 1]);
  const entries = () => kindsInLog(ada, club);
  const logged = await entries();
  expect(logged[0]).toEqual(['sections', ['members']]);
  expect(await change('Tenor', { add: [bob.id], remove: [ada.id, zoe.id] })).toEqual({ members: 2 });
  expect(await entries()).toEqual(logged);
  expect(await outcomeOf(change('Tenor', { add: [ada.id], remove: [ada.id] }))).toBe('400 bad_input');
  expect(
    await outcomeOf(ada.api.sections.changeMembers({ club: club.id, section: club.id, add: [ada.id] })),
  ).toBe('404 not_found');
  const tooMany = { add: Array.from({ length: 501 }, () => ada.id) };
  expect(await outcomeOf(change('Tenor', tooMany))).toBe('400 bad_input');
});

test('members of sections: a removed section and the end of a membership end them [SECT-02]', async () => {
  const { ada, bob, gus, club, idOf } = await choir('Tenor', 'Bass');
  for (const name of ['Tenor', 'Bass'])
    await ada.api.sections.changeMembers({ club: club.id, section: idOf(name), add: [bob.id, gus.id] });
  await ada.api.sections.save({ club: club.id, remove: [idOf('Tenor')] });
  expect(await sectionsOf(ada, club, bob)).toEqual([idOf('Bass')]);
  await bob.api.members.leave({ club: club.id });
  expect(await ada.api.sections.ofClub({ club: club.id })).toMatchObject([{ name: 'Bass', members: 1 }]);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  await bob.api.invites.join({ invite: invite_link });
  expect(await sectionsOf(ada, club, bob)).toEqual([]);
});

test('members of sections: two admins who tick different people at once lose nothing [SECT-02]', async () => {
  const { ada, bob, gus, club, idOf } = await choir('Tenor');
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  const add = ({ api }: Person, ...who: Person[]) =>
    api.sections.changeMembers({ club: club.id, section: idOf('Tenor'), add: who.map(({ id }) => id) });
  await Promise.all([add(ada, bob), add(bob, gus), add(ada, ada)]);
  expect(await ada.api.sections.ofClub({ club: club.id })).toMatchObject([{ members: 3 }]);
});

test('sections: members see who belongs to them and filter lists by them, outsiders see nothing [SECT-03]', async () => {
  const { ada, bob, zoe, club, idOf } = await choir('Tenor of a name', 'Bass');
  const [tenor, bass] = [idOf('Tenor of a name'), idOf('Bass')];
  await ada.api.sections.changeMembers({ club: club.id, section: tenor, add: [bob.id] });
  expect(idsIn(await bob.api.members.ofClub({ club: club.id, section: tenor }))).toEqual([bob.id]);
  expect(idsIn(await bob.api.members.ofClub({ club: club.id, section: tenor, q: 'Ada' }))).toEqual([]);
  expect(idsIn(await ada.api.members.forAdmin({ club: club.id, section: tenor }))).toEqual([bob.id]);
  expect(idsIn(await ada.api.members.forAdmin({ club: club.id, section: bass }))).toEqual([]);
  expect(idsIn(await ada.api.members.forAdmin({ club: club.id, section: zoe.id }))).toEqual([]);
  expect(await outcomeOf(zoe.api.sections.ofClub({ club: club.id }))).toBe('404 not_found');

  const event = await w.event(club, ada);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  const user = await bob.api.users.me({});
  const feed = (await bob.api.clubs.get({ club: club.id })).ical_feed_url_id;
  const seenOutside = await Promise.all(
    [
      `/api/v1/invite-links/${invite_link}`,
      `/app/club/${club.slug}/${invite_link}`,
      `/app/events/${event.slug}`,
      `/app/clubs/${club.slug}`,
      `/api/v1/clubs/${club.id}/ical/${feed}/calendar.ics`,
      `/api/v1/users/${user.ical_feed_url_id}/ical/calendar.ics`,
    ].map(async (path) => (await fetch(`${w.origin}${path}`)).text()),
  );
  const preview = JSON.stringify(await zoe.api.events.get({ event: event.id }));
  for (const text of [...seenOutside, preview])
    for (const secret of ['Tenor of a name', tenor]) expect(text).not.toContain(secret);
});
