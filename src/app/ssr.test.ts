import { expect, test } from 'vitest';
import { addSeconds } from '#wire/instant.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import type { EventCard } from '#features/events/contract.ts';
import { role } from '#features/members/rules.ts';
import { run, sql } from '#platform/db/client.ts';
import { isolatedWorld, world, type Person, type World } from '#test/world.ts';

interface Rendered {
  html: string;
  now: string;
  responses: Record<string, string>;
  incomplete: unknown[];
  scripts: string[];
}

interface Query {
  path?: string;
  zone?: string;
  rows?: string;
  wide?: string;
}

async function ask(w: World, who: Person | undefined, query: Query) {
  const requested = {
    path: '/app',
    zone: 'UTC',
    rows: '100',
    wide: 'true',
    ...query,
  };
  const token = who?.session.read()?.AccessToken.Token;
  const response = await fetch(`${w.origin}/api/screen?${new URLSearchParams(requested)}`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });
  const body = (await response.json()) as { data: Rendered | null };
  const { html = '', now = '', responses = {}, incomplete = [], scripts = [] } = body.data ?? {};
  return {
    status: response.status,
    headers: response.headers,
    html,
    now,
    responses,
    incomplete,
    scripts,
    text: JSON.stringify(body),
  };
}

/** The text content of a screen. */
const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('ssr: home, club and event are rendered with the API responses for the viewer', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob], 'Deep Water');
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: role.admin });
  const event = await w.event(club, ada, { name: 'Night row', location_name: 'Pier 3' });
  const screens = [
    ['/app', ['Welcome, Bob', 'Night row', 'Deep Water'], ['users', 'users/events', 'users/clubs/events']],
    [`/app/clubs/${club.slug}`, ['Deep Water', 'Night row', 'Bob'], ['users', `clubs/${club.slug}`]],
    [
      `/app/clubs/${club.slug}/members`,
      ['Deep Water', 'Bob', `${bob.email}`],
      ['users', `clubs/${club.slug}`, `clubs/admin/${club.slug}/members?q=`, `clubs/${club.slug}/sections`],
    ],
    [`/app/events/${event.slug}`, ['Night row', 'Pier 3', 'Deep Water'], ['users', `events/${event.slug}`]],
  ] as const;
  for (const [path, words, calls] of screens) {
    const rendered = await ask(w, bob, { path });
    for (const word of words) expect(wordsOf(rendered.html)).toContain(word);
    expect(Object.keys(rendered.responses)).toEqual(calls.map((call) => `/api/v1/${call}`));
    for (const [url, text] of Object.entries(rendered.responses)) {
      const token = bob.session.read()?.AccessToken.Token;
      const same = await fetch(w.origin + url, { headers: { authorization: `Bearer ${token}` } });
      expect(text).toBe(await same.text());
    }
    expect(rendered.headers.get('cache-control')).toBe('no-store');
  }
});

test('ssr: an event names the scripts that only its host and admins need, and only to them', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob], 'Deep Water');
  const event = await w.event(club, ada, { name: 'Night row' });
  const path = `/app/events/${event.slug}`;
  const [host, member] = [await ask(w, ada, { path }), await ask(w, bob, { path })];
  expect(wordsOf(host.html)).toContain('Change of plan');
  expect(host.scripts).toContainEqual(expect.stringMatching(/^\/assets\/RunnerParts-/));
  expect(wordsOf(member.html)).not.toContain('Change of plan');
  expect(member.scripts).toEqual([]);
  // The page, which knows no viewer, names the scripts of all.
  const page = await (await fetch(w.origin + path)).text();
  expect(page).toContain('/assets/EventPage-');
  for (const script of host.scripts) expect(page).not.toContain(script);
});

test('ssr: a club is rendered with the month in the address [CLUBUX-03]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada], 'Deep Water');
  await Promise.all(Array.from({ length: 30 }, () => w.event(club, ada)));
  const path = `/app/clubs/${club.slug}?month=2031-05`;
  expect(wordsOf((await ask(w, ada, { path })).html)).toContain('May 2031');
});

test('ssr: even the first home page with an answer to confirm contains the question, although its code is loaded lazily [CALL-09]', async () => {
  await using w = await isolatedWorld();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob], 'Deep Water');
  const event = await w.event(club, ada, { name: 'Night row' });
  await bob.api.answers.attend({ event: event.id });
  const start_time = addSeconds((await ada.api.events.get({ event: event.id })).start_time, -600);
  await ada.api.events.edit({ event: event.id, club: club.id, start_time, announce: true, ask_again: true });
  const { html } = await ask(w, bob, {});
  expect(wordsOf(html)).toContain('Please confirm: the time has changed');
});

test('ssr: returns the error of the API, and 404 for paths without server rendering', async () => {
  await using w = await world();
  const [ada, eve] = [await w.person('Ada'), await w.person('Eve')];
  const club = await w.club([ada], 'Deep Water');
  const path = `/app/clubs/${club.slug}`;
  const theirs = await fetch(`${w.origin}/api/v1/clubs/${club.slug}`, {
    headers: { authorization: `Bearer ${eve.session.read()?.AccessToken.Token}` },
  });
  const requested: [Person | undefined, Query, number][] = [
    [undefined, { path }, 401],
    [eve, { path }, theirs.status],
    [ada, { path: '/app/profile' }, 404],
    [ada, { path: '/login' }, 404],
    [ada, { path: `${path}/..%2f..` }, 404],
    [ada, { path, zone: 'Middle/Earth' }, 400],
    [ada, { path, rows: '-1' }, 400],
  ];
  for (const [who, query, status] of requested) {
    const rendered = await ask(w, who, query);
    expect([query, rendered.status]).toEqual([query, status]);
    expect(rendered.text).not.toContain('Deep Water');
    expect(rendered.headers.get('cache-control')).toBe('no-store');
  }
});

test('ssr: concurrent viewers get their own data', async () => {
  await using w = await world();
  const names = ['Ada', 'Bob', 'Cyd', 'Dot'];
  const people = await Promise.all(names.map((name) => w.person(name)));
  await Promise.all(people.map((person, at) => w.club([person], `Club of ${names[at]}`)));
  const rendered = await Promise.all([...people, ...people].map((person) => ask(w, person, {})));
  for (const [at, { html }] of rendered.entries()) {
    const words = wordsOf(html);
    for (const name of names) expect(words.includes(`Club of ${name}`)).toBe(name === names[at % 4]);
  }
});

test('ssr: uses the time zone and row count of the viewer', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const path = `/app/clubs/${club.slug}`;
  for (const name of ['First', 'Second', 'Third']) await w.event(club, ada, { name });
  const { events } = await ada.api.clubs.get({ club: club.slug });
  const start = new Date(events[0]?.start_time ?? '');
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue', 'Asia/Kathmandu']) {
    const day = new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric' }).format(start);
    const { html } = await ask(w, ada, { path, zone });
    expect(html).toContain(`>${day}</span>`);
  }
  const { html } = await ask(w, ada, { path, rows: '2' });
  expect(html.match(/<article/g)).toHaveLength(2);
});

test('ssr: renders for the time of the server, and says which [ROBUST-10]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const event = await w.event(club, ada);
  const path = `/app/clubs/${club.slug}`;
  const upcoming = await ask(w, ada, { path });
  expect(wordsOf(upcoming.html)).toContain('Upcoming');
  expect(Math.abs(Date.parse(upcoming.now) - Date.now())).toBeLessThan(60_000);
  await run(
    w.db,
    sql`update events set start_time = now() - interval '1 minute', end_time = now() + interval '1 hour'
      where id = ${event.id}`,
  );
  expect(wordsOf((await ask(w, ada, { path })).html)).toContain('In Progress');
});

test('ssr: lists contain only the rows that the screen shows at first, and the texts count all rows', async () => {
  await using w = await world();
  const people = await Promise.all(Array.from({ length: 15 }, (_, at) => w.person(`Person ${at}`)));
  const [ada, bob, ...others] = people as [Person, Person];
  const club = await w.club([ada, bob, ...others]);
  for (let at = 0; at < 18; at++) await w.event(club, ada, { name: `Row ${at}`, startsIn: 24 + at });
  const path = `/app/clubs/${club.slug}`;
  const past = sql`select id from events where owner_club_id = ${club.id} order by start_time limit 6`;
  await run(
    w.db,
    sql`update events set start_time = start_time - interval '9 days', end_time = end_time - interval '9 days',
      entry_until_time = entry_until_time - interval '9 days' where id in (${past})`,
  );
  const clubOf = ({ responses }: { responses: Record<string, string> }) =>
    (JSON.parse(responses[`/api/v1/clubs/${club.slug}`] ?? '') as { data: LoadedClub }).data;
  const narrow = await ask(w, bob, { path, rows: '5' });
  expect(clubOf(narrow).events.map(({ name }) => name)).toEqual([
    'Row 6',
    'Row 7',
    'Row 8',
    'Row 9',
    'Row 10',
  ]);
  expect(clubOf(narrow).members).toHaveLength(8);
  expect(clubOf(narrow).left_out).toEqual({ upcoming: 7, in_progress: 0, previous: 6, members: 7 });
  expect(narrow.incomplete).toEqual([['club', club.slug]]);
  expect(wordsOf(narrow.html)).toContain('Show all 15 members');
  const tall = await ask(w, bob, { path, rows: '100' });
  expect(clubOf(tall).events).toHaveLength(10 + 4);
  expect(clubOf(tall).left_out).toEqual({ upcoming: 2, in_progress: 0, previous: 2, members: 7 });
  expect(wordsOf(tall.html)).toContain('Show all 6 previous events');

  const home = await ask(w, bob, { rows: '5' });
  const cards = JSON.parse(home.responses['/api/v1/users/clubs/events'] ?? '') as { data: EventCard[] };
  expect(cards.data.map(({ name }) => name)).toEqual(Array.from({ length: 11 }, (_, at) => `Row ${at + 6}`));
  expect(home.incomplete).toEqual([]);
  // The host has nothing to answer.
  const { responses } = await ask(w, ada, {});
  expect(JSON.parse(responses['/api/v1/users/clubs/events'] ?? '')).toMatchObject({ data: [] });
});

test('ssr: user-written text is escaped', async () => {
  await using w = await world();
  const ada = await w.person('Ada', '"><img src=x onerror=alert(1)>');
  const club = await w.club([ada], '<script>alert(1)</script>');
  const { html } = await ask(w, ada, { path: `/app/clubs/${club.slug}` });
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).not.toMatch(/<script|<img src="?x|style="/);
});
