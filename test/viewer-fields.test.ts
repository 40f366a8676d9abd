import { afterAll, beforeAll, expect, test } from 'vitest';
import { first, sql } from '#platform/db/client.ts';
import { contracts } from '#features/contracts.ts';
import { role } from '#features/members/rules.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import { send } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
/** Two viewers of each endpoint, who differ in every viewer field of some object. */
const viewers = new Map<string, readonly [Person, Person]>();
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  const [ada, bob, cleo] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cleo')];
  club = await w.club([ada, bob, cleo]);
  const other = await w.club([bob, cleo], 'Other');
  await ada.api.members.changeRole({ club: club.id, member: cleo.id, role: role.admin });
  const { id: event } = await w.event(club, ada);
  for (const { api } of [bob, cleo]) await api.answers.answer({ event, answer: 'maybe' });
  // Only those who answered have to confirm.
  await ada.api.events.edit({ event, club: club.id, location_name: 'Hall', ask_again: true });
  const rival = await w.event(other, bob, { name: 'At the same time' });
  await cleo.api.answers.attend({ event: rival.id });
  viewers.set('clubs.get', [ada, bob]).set('clubs.getForAdmin', [ada, cleo]);
});
afterAll(() => w[Symbol.asyncDispose]());

/** Fields that are the same for everybody who may call the endpoint. */
const constant = new Set(['clubs.getForAdmin my_club_role']);

/** What endpoints whose responses are never shared say to a viewer: the fields by the id of the object. */
async function fieldsOf({ id, api }: Person) {
  const { events } = await api.events.ofClub({ club: club.id });
  const membership = await first(
    w.db,
    sql<Record<string, unknown>>`
      select calendar_secret as ical_feed_url_id, club_role as my_club_role,
        case when first_steps is not null then '{"invited": true, "calendar_added": false}'::json end as first_steps
      from members
      where club_id = ${club.id} and user_id = ${id}`,
  );
  const rows = new Map<string, object | undefined>(events.map((event) => [event.id, event]));
  return rows.set(club.id, membership) as Map<string, Record<string, unknown>>;
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

/** The objects at a place in a response: the response itself, or the rows of a list. */
const rowsAt = (data: Row, place: string) => (place === '' ? [data] : (data[place] as Row[]));

async function read(endpoint: (typeof shared)[number], viewer: Person): Promise<Row> {
  const { data } = await send(w, viewer, `GET ${endpoint.path.replaceAll(/:\w+/g, club.id)}`);
  return data as Row;
}

const viewersOf = (name: string) => viewers.get(name) as readonly [Person, Person];

test('shared responses: each has two viewers in this test', () => {
  expect(shared.map(({ name }) => name)).toEqual([...viewers.keys()]);
});

test.each(shared)('$name: each viewer gets their own value of every viewer field', async (endpoint) => {
  const both = viewersOf(endpoint.name);
  const expected = await Promise.all(both.map(fieldsOf));
  // The second round finds everything cached.
  for (const round of ['cold', 'cached']) {
    const [one, other] = (await Promise.all(both.map((viewer) => read(endpoint, viewer)))) as [Row, Row];
    for (const [place, { shape }] of Object.entries(endpoint.viewer)) {
      for (const field of Object.keys(shape)) {
        const pairs = rowsAt(one, place).map((row) => {
          const same = rowsAt(other, place).find(({ id }) => id === row.id) as Row;
          return [row, same] as const;
        });
        const isDifferent =
          constant.has(`${endpoint.name} ${field}`) ||
          pairs.some(([a, b]) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));
        expect({ round, place, field, isDifferent }).toMatchObject({ isDifferent: true });
        for (const pair of pairs)
          for (const [index, row] of pair.entries())
            expect([place, field, row[field]]).toEqual([place, field, expected[index]?.get(row.id)?.[field]]);
      }
    }
  }
});

test.each(shared)('$name: only viewer fields differ between viewers', async (endpoint) => {
  const pages = await Promise.all(viewersOf(endpoint.name).map((viewer) => read(endpoint, viewer)));
  const [one, other] = pages.map((page) => {
    for (const [place, { shape }] of Object.entries(endpoint.viewer))
      for (const row of rowsAt(page, place)) for (const field of Object.keys(shape)) delete row[field];
    return page;
  });
  expect(one).toEqual(other);
});
