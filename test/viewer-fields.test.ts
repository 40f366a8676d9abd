import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, isoTimestamp, run, sql } from '#platform/db/client.ts';
import { contracts } from '#features/contracts.ts';
import { eventOfViewer, rareFieldsOfEvent } from '#features/events/page-queries.ts';
import { isRunner, role } from '#features/members/rules.ts';
import { headFor } from '#features/events/series/queries.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import { addSeconds } from '#wire/instant.ts';
import { send } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { viewerOf } from '#test/viewer.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
/** For each endpoint, two viewers who differ in every viewer field of some object, and the objects that they read. */
const readings = new Map<string, Reading>();

interface Reading {
  viewers: readonly [Person, Person];
  refs: string[];
}

let club: ClubHandle;
/** A club with one admin, which needs a second one. */
let careful: ClubHandle;

beforeAll(async () => {
  w = await world();
  const [ada, bob, cleo] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cleo')];
  club = await w.club([ada, bob, cleo]);
  const other = await w.club([bob, cleo], 'Other');
  await ada.api.members.changeRole({ club: club.id, member: cleo.id, role: role.admin });
  careful = await w.club([ada, bob, cleo, await w.person('Dan'), await w.person('Eve')], 'Careful');
  await run(w.db, sql`update clubs set created_at = now() - interval '15 days' where id = ${careful.id}`);
  const dan = await w.person('Dan');
  const { invite_link } = await ada.api.invites.ofClub({ club: club.id });
  await dan.api.invites.join({ invite: invite_link });
  await ada.api.members.offerHandover({ club: club.id, user_id: dan.id, afterwards: 'stay' });
  const { id: event } = await w.event(club, ada, { guests_max: 2, question: 'Which menu?' });
  const { id: unconfirmed } = await w.event(club, ada, { name: 'Asked', startsIn: 48 });
  const { id: full } = await w.event(club, ada, { name: 'Full', startsIn: 72, capacity: 1 });
  const poll = await w.poll(club, ada, { at: [100, 120] });
  const series = await ada.api.series.plan({ club: club.id, ...newSeries });
  const [date, next] = (await ada.api.series.get({ series: series.id })).events;
  await bob.api.answers.answer({ event, answer: 'maybe', guests: 1, note: 'Late', reply: 'Vegan' });
  await cleo.api.answers.answer({ event, answer: 'maybe' });
  await bob.api.answers.favourite({ event, favourite: true });
  await bob.api.answers.subscribe({ event });
  await bob.api.answers.attend({ event: unconfirmed });
  await bob.api.answers.answer({ event: full, answer: 'going', lets_pass: true });
  for (const voter of [bob, cleo])
    await voter.api.polls.vote({ event: poll.id, votes: poll.times.map((time) => ({ time, vote: 'yes' })) });
  await bob.api.questions.ask({ event, question: 'Where?' });
  await ada.api.updates.sendMessage({ event, content: 'Hello', to: ['silent', 'maybe'] });
  const { id: update } = await ada.api.updates.publish({ club: club.id, content: 'Read', important: true });
  for (const reader of [bob, cleo]) await reader.api.updates.read({ club: club.id, update });
  await bob.api.series.standing({ series: series.id, answer: 'going' });
  await bob.api.answers.answer({ event: next?.id ?? '', answer: 'no' });
  await run(
    w.db,
    sql`insert into feed_fetches (user_id, club_id, app, fetched_at) values (${bob.id}, ${club.id}, 'google', now())`,
  );
  // Only members with an answer have to confirm.
  for (const each of [event, unconfirmed, date?.id ?? ''])
    await ada.api.events.edit({ event: each, club: club.id, location_name: 'Hall', ask_again: true });
  const away = await w.event(club, ada, { name: 'While Bob is away', startsIn: 24 * 20 });
  const awayOn = addSeconds(w.now(), 20 * 86_400).slice(0, 10);
  await bob.api.absences.add({ first_on: awayOn, last_on: awayOn });
  const rival = await w.event(other, bob, { name: 'At the same time' });
  await cleo.api.answers.attend({ event: rival.id });
  await w.event(other, bob, { name: 'As the asked one', startsIn: 48 });
  const wednesday = { start_time: date?.start_time ?? '', end_time: date?.end_time ?? '' };
  await bob.api.events.create({ club: other.id, name: 'As the date', location_name: 'Pier', ...wednesday });
  const [crew] = await ada.api.sections.save({ club: club.id, sections: [{ name: 'Crew' }] });
  await ada.api.sections.changeMembers({ club: club.id, section: crew?.id ?? '', add: [ada.id] });
  await run(
    w.db,
    sql`update events set section_ids = array[${crew?.id}::uuid] where owner_club_id = ${club.id}`,
  );
  const events = [event, full, poll.id, date?.id ?? '', away.id];
  await ada.api.members.mute({ club: club.id, muted: true });
  readings.set('events.attending', { viewers: [ada, bob], refs: [''] });
  readings.set('events.ofMyClubs', { viewers: [ada, bob], refs: [''] });
  readings.set('events.ofClub', { viewers: [ada, bob], refs: [club.id] });
  readings.set('events.get', { viewers: [ada, bob], refs: events });
  readings.set('series.get', { viewers: [ada, bob], refs: [series.id] });
  readings.set('clubs.get', { viewers: [ada, bob], refs: [club.id, careful.id] });
  readings.set('clubs.getForAdmin', { viewers: [ada, cleo], refs: [club.id] });
});
afterAll(() => w[Symbol.asyncDispose]());

/** Fields that are the same for everybody who may call the endpoint. */
const constant = new Set([
  'clubs.getForAdmin my_club_role',
  'clubs.getForAdmin is_planner',
  // Only its host attends an event while its members vote, and no date of a series has a poll.
  'events.attending has_voted',
  'series.get has_voted',
  // Where two people are admins, nobody is the only one.
  'clubs.getForAdmin needs_second_admin',
]);

const person = (user: string) => sql`(
    select json_build_object('id', id, 'first_name', first_name, 'last_name', last_name) from users where id = ${sql.ref(user)})`;

/** The fields that statements with a viewer return, keyed by the id of the object. */
async function fieldsOf({ id }: Person) {
  const ofClubs = await all(
    w.db,
    sql<Record<string, unknown> & { id: string }>`
      select clubs.id, calendar_secret as ical_feed_url_id, club_role as my_club_role,
        is_planner(club_role, organisers_plan),
        exists (select from club_mutes b where b.club_id = clubs.id and b.user_id = members.user_id) as muted,
        (select read_at from update_reads b where b.user_id = members.user_id and b.update_id = (
          select id from club_updates where club_id = clubs.id order by created_at desc, id limit 1)) as latest_update_read_at,
        case when first_steps is not null then '{"invited": true, "calendar_added": false}'::json end as first_steps,
        club_role = 200 and clubs.id = ${careful.id} as needs_second_admin,
        (select json_build_object('from', ${person('h.from_id')}, 'to', ${person('h.to_id')}, 'afterwards', afterwards,
            'until', ${isoTimestamp('h.until')})
          from handovers h where h.club_id = clubs.id and h.from_id = members.user_id) as handover
      from members join clubs on clubs.id = club_id
      where club_id in (${club.id}, ${careful.id}) and user_id = ${id}`,
  );
  const viewer = await viewerOf(w.db, { id });
  const now = w.now();
  const events = await all(w.db, sql<{ id: string }>`select id from events`);
  const series = await all(w.db, sql<{ id: string }>`select id from series`);
  const heads = series.map((row) => headFor(w.db, id, row.id, now));
  const rows = events.map(async ({ id: event }) => {
    const found = await eventOfViewer(w.db, { viewer, ref: event, now });
    if (!found) throw new Error('The event is gone.');
    const runs = isRunner(
      { is_planner: viewer.memberships.get(found.owner_club_id)?.is_planner ?? false },
      found,
    );
    return [event, { ...found, ...(await rareFieldsOfEvent(w.db, id, now, { ...found, runs })) }] as const;
  });
  const fields = [
    ...ofClubs.map(({ id: of, ...membership }) => [of, membership] as const),
    ...(await Promise.all(heads)).map((row) => [row.id, row] as const),
  ];
  return new Map<string, unknown>([...fields, ...(await Promise.all(rows))]) as Map<
    string,
    Record<string, unknown>
  >;
}

const shared = Object.entries(contracts).flatMap(([noun, contract]) =>
  Object.entries(contract as Record<string, Endpoint>).flatMap(([name, endpoint]) =>
    'viewer' in endpoint
      ? [{ name: `${noun}.${name}`, ...endpoint, viewer: endpoint.viewer as Record<string, ViewerShape> }]
      : [],
  ),
);

interface ViewerShape {
  shape: object;
}

type Row = Record<string, unknown> & { id: string };

/** The objects at a place in a response: the response itself or its rows, or the rows of a list in it. */
const rowsAt = (data: Row, place: string) => [(place === '' ? data : data[place]) as Row | Row[]].flat();

const read = (endpoint: (typeof shared)[number], viewer: Person, refs: string[]): Promise<Row[]> =>
  Promise.all(
    refs.map(async (ref) => {
      const { data } = await send(w, viewer, `GET ${endpoint.path.replaceAll(/:\w+/g, ref)}`);
      return data as Row;
    }),
  );

const readingsOf = ({ name }: (typeof shared)[number]) => readings.get(name) as Reading;

/** The value of a field without the seconds left for an undo, which go down. */
const settled = (field: string, value: unknown) =>
  field === 'undo' && value ? (value as { change: string }).change : value;

test('shared responses: each has two viewers in this test', () => {
  expect(shared.map(({ name }) => name)).toEqual([...readings.keys()]);
});

test.each(shared)('$name: each viewer gets their own value of every viewer field', async (endpoint) => {
  const { viewers, refs } = readingsOf(endpoint);
  const expected = await Promise.all(viewers.map(fieldsOf));
  // The second round finds everything cached.
  for (const round of ['cold', 'cached']) {
    const [one, other] = (await Promise.all(viewers.map((viewer) => read(endpoint, viewer, refs)))) as [
      Row[],
      Row[],
    ];
    for (const [place, { shape }] of Object.entries(endpoint.viewer)) {
      const others = other.flatMap((data) => rowsAt(data, place));
      // Some lists have events that only one of the viewers may see.
      const pairs = one.flatMap((data) =>
        rowsAt(data, place).flatMap((row) => {
          const same = others.find(({ id }) => id === row.id);
          return same ? [[row, same] as const] : [];
        }),
      );
      for (const field of Object.keys(shape)) {
        const isDifferent =
          constant.has(`${endpoint.name} ${field}`) ||
          pairs.some(([a, b]) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));
        expect({ round, place, field, isDifferent }).toMatchObject({ isDifferent: true });
        for (const pair of pairs)
          for (const [index, row] of pair.entries())
            expect([place, field, settled(field, row[field])]).toEqual([
              place,
              field,
              settled(field, expected[index]?.get(row.id)?.[field]),
            ]);
      }
    }
  }
});

test.each(shared)('$name: only viewer fields differ between viewers', async (endpoint) => {
  const { viewers, refs } = readingsOf(endpoint);
  const pages = await Promise.all(viewers.map((viewer) => read(endpoint, viewer, refs)));
  const places = Object.entries(endpoint.viewer);
  for (const page of pages)
    for (const data of page)
      for (const [place, { shape }] of places)
        for (const row of rowsAt(data, place)) for (const field of Object.keys(shape)) delete row[field];
  const [one, other] = pages as [Row[], Row[]];
  const isList = Array.isArray(one[0]);
  const isInBoth = ({ id }: Row) => [one, other].every((page) => page.flat().some((row) => row.id === id));
  const [ones, others] = [one, other].map((page) => (isList ? page.flat().filter(isInBoth) : page));
  expect(ones?.length).toBeGreaterThan(0);
  expect(ones).toEqual(others);
});
