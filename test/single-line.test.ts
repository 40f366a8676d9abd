import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import type { Endpoint } from '#wire/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { send } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;
let event: { slug: string };
let invite: string;

beforeAll(async () => {
  w = await world();
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  event = await w.event(club, ada);
  invite = (await ada.api.invites.create({ club_id: club.id })).invite_link;
});
afterAll(() => w[Symbol.asyncDispose]());

const times = { start_time: '2090-01-01T10:00:00Z', end_time: '2090-01-01T12:00:00Z' };

/** Every endpoint that takes a name, a title or a place, called with the value under test. */
const calls: [field: string, call: (value: string) => Parameters<typeof send>][] = [
  ['first_name', (value) => [w, ada, 'PATCH /v1/users', { first_name: value }]],
  ['last_name', (value) => [w, ada, 'PATCH /v1/users', { last_name: value }]],
  ['user_name', (value) => [w, ada, 'PATCH /v1/users', { user_name: value }]],
  ['club_name of a new club', (value) => [w, ada, 'POST /v1/clubs', { club_name: value }]],
  ['club_name', (value) => [w, ada, `PATCH /v1/clubs/${club.id}`, { club_name: value }]],
  ['place of a club', (value) => [w, ada, `PATCH /v1/clubs/${club.id}`, { location_name: value }]],
  [
    'name of a new event',
    (value) => [
      w,
      ada,
      `POST /v1/clubs/${club.id}/events`,
      { name: value, location_name: 'Pier 3', ...times },
    ],
  ],
  [
    'place of a new event',
    (value) => [w, ada, `POST /v1/clubs/${club.id}/events`, { name: 'Run', location_name: value, ...times }],
  ],
  ['name of an event', (value) => [w, ada, `PUT /v1/events/${event.slug}/edit/${club.id}`, { name: value }]],
  [
    'place of an event',
    (value) => [w, ada, `PUT /v1/events/${event.slug}/edit/${club.id}`, { location_name: value }],
  ],
  [
    'first_name of a joining user',
    (value) => [w, bob, `POST /v1/invite-links/join/${invite}`, { first_name: value }],
  ],
  [
    'last_name of a joining user',
    (value) => [w, bob, `POST /v1/invite-links/join/${invite}`, { last_name: value }],
  ],
];

test.each(calls)(
  '%s: refused with 400 when it has a line break or a control character [T28]',
  async (_f, call) => {
    for (const value of ['a\r\nb', 'a\nb', 'a\u0085b', 'a\u2028b', 'a\u001Bb']) {
      const { status, error } = await send(...call(value));
      expect({ value, status, error }).toEqual({ value, status: 400, error: 'bad_input' });
    }
    for (const value of ['Ada \u2067עברית\u2069', 'Ada\tLovelace\v'])
      expect((await send(...call(value))).status).toBe(200);
  },
);

/** Fields of several lines. */
const longer: typeof calls = [
  ['description of a club', (value) => [w, ada, `PATCH /v1/clubs/${club.id}`, { club_description: value }]],
  [
    'description of an event',
    (value) => [w, ada, `PUT /v1/events/${event.slug}/edit/${club.id}`, { description: value }],
  ],
  [
    'details of an event',
    (value) => [w, ada, `PUT /v1/events/${event.slug}/edit/${club.id}`, { details: value }],
  ],
  [
    'note to the hosts',
    (value) => [w, ada, `PUT /v1/events/${event.slug}/answer`, { answer: 'going', note: value }],
  ],
  ['content of an update', (value) => [w, ada, `POST /v1/updates/${club.id}`, { content: value }]],
  ['feedback', (value) => [w, ada, 'POST /v1/feedback', { feedback: value }]],
];

/** What may not be emptied. */
const required = new Set([
  'club_name of a new club',
  'club_name',
  'name of a new event',
  'place of a new event',
  'name of an event',
  'content of an update',
  'feedback',
]);

test.each([...calls, ...longer])(
  '%s: refused with 400 at its field when no character is visible; may be emptied unless it is required [ROBUST-07]',
  async (field, call) => {
    for (const value of ['\u200B', '\u2800\u3164', ' \uFE0F\u00AD ', '\u0301', '\u{E0041}']) {
      const { status, error, message } = await send(...call(value));
      expect({ value, status, error }).toEqual({ value, status: 400, error: 'bad_input' });
      expect(message).toMatch(/^\w+: has no visible character$/);
      expect(call('')[3]).toHaveProperty(message?.split(':')[0] ?? '');
    }
    expect((await send(...call(''))).status).toBe(required.has(field) ? 400 : 200);
  },
);

test('names: an unpaired bidi control is removed and pairs stay', async () => {
  const { first_name, last_name } = await ada.api.users.update({
    first_name: 'Ada\u202E',
    last_name: '\u2067עברית\u2069',
  });
  expect([first_name, last_name]).toEqual(['Ada', '\u2067עברית\u2069']);
});

test('names: tabs, which people paste from tables, become spaces', async () => {
  const { first_name } = await ada.api.users.update({ first_name: '\tAda\tMaria\v' });
  expect(first_name).toBe('Ada Maria');
});

test('noncharacters: none reaches an email, a feed or a response [T28]', async () => {
  const noncharacters = '\uFFFE\uFFFF\uFDD0\uFDEF\u{1FFFE}\u{10FFFF}';
  const around = (words: string) => noncharacters + words + noncharacters;
  const carol = await w.person('Carol');
  const rowers = await w.club([carol, bob], around('Rowers'));
  await carol.api.users.update({ first_name: around('Carol') });
  const { slug } = await w.event(rowers, carol, {
    name: around('Night row'),
    description: around('Bring\na lamp'),
    details: around('Code 77'),
    location_name: around('Pier 4'),
  });
  await carol.api.updates.publish({ club: rowers.id, content: around('The boats\nare back') });
  await bob.api.answers.attend({ event: slug });
  await expect
    .poll(async () => (await w.outbox()).filter(({ text }) => /boats/.test(text ?? '')))
    .toHaveLength(1);

  const found = /\p{Noncharacter_Code_Point}/u;
  for (const { subject, text, html } of await w.outbox())
    expect([subject, text, html].join('\n')).not.toMatch(found);
  const { ical_feed_url_id } = await bob.api.users.me({});
  const feed = await fetch(`${w.origin}/api/v1/users/${ical_feed_url_id}/ical/calendar.ics`);
  const body = await feed.text();
  expect(body).toContain('SUMMARY:Night row\r\n');
  expect(body).toContain('Bring\\na lamp\\n\\nCode 77');
  expect(body).not.toMatch(found);
  expect((await send(w, bob, `GET /v1/clubs/${rowers.id}`)).data).toMatchObject({ club_name: 'Rowers' });
});

test('contracts: every name, title and place accepts a single line only', () => {
  const fields = Object.entries(contracts).flatMap(([feature, contract]) =>
    Object.entries<Pick<Endpoint, 'input'>>(contract).flatMap(([call, { input }]) =>
      Object.entries(input.shape)
        .filter(([field]) => /(^|_)(name|title|place|location)$/.test(field))
        .map(([field, schema]) => ({ field: `${feature}.${call}.${field}`, schema: schema as ZodType })),
    ),
  );
  expect(fields.length).toBeGreaterThan(10);
  // The `name` of a media file is generated by the app.
  const taking = fields.filter(
    ({ field, schema }) => !field.startsWith('media.') && schema.safeParse('a\nb').success,
  );
  expect(taking.map(({ field }) => field)).toEqual([]);
});
