import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Series } from '#features/events/series/contract.ts';
import { queries, queryClient } from '#web/queries.ts';
import {
  ada,
  card,
  confirm,
  expectToast,
  failure,
  press,
  renderPage,
  server,
  success,
} from '#test/render-page.tsx';
import SeriesPage from './SeriesPage.tsx';
import { weekly } from '#test/new-series.ts';

const dates = ['2099-06-09', '2099-06-16', '2099-06-30'].map((day) => ({
  ...card,
  id: `id-${day}`,
  slug: `tuesday-run-${day}`,
  start_time: `${day}T18:30:00.000Z`,
  end_time: `${day}T20:00:00.000Z`,
  entry_until_time: `${day}T18:30:00.000Z`,
  series: { ...weekly, slug: 'runs' },
}));

const series: Series = {
  id: 'id-of-runs',
  slug: 'runs',
  name: 'Tuesday run',
  description: '',
  details: '',
  location_name: 'Pier 3',
  guests_max: 0,
  capacity: null,
  waitlist: true,
  question: '',
  choices: [],
  section_ids: [],
  needed: {},
  freq: 'weekly',
  every: 1,
  weekdays: [2],
  month_day: null,
  nth: null,
  local_time: '18:30',
  minutes: 90,
  time_zone: 'UTC',
  starts_on: '2099-06-09',
  ends_on: null,
  count: null,
  cutoff_minutes: 0,
  everybody: false,
  club_id: 'id-of-rowers',
  club_slug: 'rowers',
  club_name: 'Harbour Rowers',
  host: { host_first_name: 'Ada', host_last_name: '', host_profile_picture_url: null },
  is_host: true,
  ended_at: null,
  version: 0,
  my_standing: null,
  seats_held: null,
  events: dates,
  breaks: [],
};

const going = (count: number) => ({ answer: 'going' as const, guests: 0, dates: count });
type Held = NonNullable<Series['seats_held']>['people'][number];

function show(part: Partial<Series> = {}, user = ada) {
  queryClient.setQueryData(queries.series('runs').queryKey, { ...series, ...part });
  return renderPage(<SeriesPage />, { route: '/app/series/:slug', path: '/app/series/runs', user });
}

const breaksLink = () => screen.queryByRole('link', { name: 'Change breaks' })?.getAttribute('href');
const choice = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name });

test('series page: says when the series ends, and that later dates are not listed yet [SERIES-09]', () => {
  vi.setSystemTime('2099-06-01T12:00:00.000Z');
  for (const [end, text, hasLater] of [
    [{}, 'Every Tuesday', true],
    [{ ends_on: '2100-06-29' }, 'Every Tuesday until 29 Jun 2100', true],
    [{ ends_on: '2099-06-30' }, 'Every Tuesday until 30 Jun 2099', false],
    [{ count: 10 }, 'Every Tuesday, 10 times', false],
    [{ count: 30 }, 'Every Tuesday, 30 times', true],
    [{ ended_at: '2099-05-01T12:00:00.000Z' }, 'Every Tuesday', false],
  ] as const) {
    show(end);
    expect(screen.getByText(/^Every Tuesday/, { selector: 'header span' }).textContent).toBe(text);
    expect(screen.queryByText('Later dates appear 90 days ahead.') !== null).toBe(hasLater);
    cleanup();
  }
  vi.useRealTimers();
});

test('series page: lists the coming dates with the answer to each [SERIES-09]', () => {
  const [first, second, third] = dates as [(typeof dates)[0], (typeof dates)[0], (typeof dates)[0]];
  show({
    events: [
      { ...first, my_answer: 'going', my_role: 'attendee' },
      { ...second, my_answer: 'no' },
      { ...third, deleted_at: third.start_time },
    ],
  });
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Tuesday run');
  expect(screen.getByText('Every Tuesday', { selector: 'header span' })).toBeDefined();
  const rows = screen.getAllByRole('article').slice(1);
  expect(rows.map((row) => within(row).getByRole('link').getAttribute('href'))).toEqual(
    dates.map(({ slug }) => `/app/events/${slug}`),
  );
  expect(rows.map((row) => /Attending|Can't go|CANCELLED/.exec(row.textContent ?? '')?.[0])).toEqual([
    'Attending',
    "Can't go",
    'CANCELLED',
  ]);
  expect(screen.queryByText(/more date/)).toBeNull();
});

test('series page: lists the breaks among its dates, and has a link for admins to change them [SERIES-16]', () => {
  show({
    breaks: [
      { first_on: '2099-06-20', last_on: '2099-06-25', name: 'Holidays' },
      { first_on: '2099-07-07', last_on: '2099-07-07', name: 'Regatta' },
    ],
  });
  expect(
    screen.getByText('Holidays: no dates from Saturday 20 June 2099 to Thursday 25 June 2099'),
  ).toBeDefined();
  expect(screen.getByText('Regatta: no date on Tuesday 7 July 2099')).toBeDefined();
  expect(breaksLink()).toBe('/app/clubs/rowers/breaks');
  cleanup();
  show({}, { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 100 })) });
  expect(breaksLink()).toBeUndefined();
});

test('series page: says that an ended series has ended, and accepts no standing answer for it [SERIES-09]', () => {
  show({ ended_at: '2099-01-01T00:00:00.000Z', events: [] });
  expect(screen.getByText('This series has ended')).toBeDefined();
  expect(screen.queryByRole('radio')).toBeNull();
  expect(screen.queryByRole('button', { name: 'End series' })).toBeNull();
});

test('end series: only the host can end a series, after a confirmation that says how many dates are cancelled [SERIES-15]', async () => {
  show({ is_host: false });
  expect(screen.queryByRole('button', { name: 'End series' })).toBeNull();
  show();
  await press('End series');
  expect((await screen.findByRole('alertdialog')).textContent).toContain(
    "3 coming dates of Tuesday run will be cancelled for everyone. It can't be undone.",
  );
  server.respond = () => success({ id: series.id, slug: 'runs', ended_at: 'now', cancelled: 3 });
  await confirm('End series');
  await expectToast('Series ended', 'Everybody who was going has been told.');
  expect(server.sent).toEqual([{ call: 'DELETE /api/v1/series/runs', body: null }]);
});

test('end series: a failure closes the dialog and keeps the series', async () => {
  show();
  server.respond = () => failure(403);
  await press('End series');
  await confirm('End series');
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(screen.getByRole('button', { name: 'End series' })).toBeDefined();
});

test('standing answer: is chosen with one tap, and the page says how many dates it answers [STAND-01]', async () => {
  show();
  expect(screen.getByRole('group', { name: 'Every Tuesday' })).toBeDefined();
  expect(choice('I answer each time').checked).toBe(true);
  server.respond = () => success({ my_standing: { answer: 'going', guests: 0, dates: 3 } });
  await userEvent.click(choice("I'm going"));
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/series/runs/standing', body: { answer: 'going', guests: 0 } },
  ]);
  show({ my_standing: { answer: 'going', guests: 0, dates: 3 } });
  expect(screen.getByText(/^Answers 3 dates/)).toBeDefined();
});

test.each<[string, Partial<Series>, string]>([
  [
    'a member on the waitlist',
    { my_standing: going(3) },
    'Bob and Cyd have the seats until 16 June 2099. Then you take turns.',
  ],
  [
    'a member with a seat',
    { my_standing: going(3), events: dates.map((date) => ({ ...date, my_answer: 'going' as const })) },
    'You, Bob and Cyd have the seats until 16 June 2099. Then you take turns with those who wait.',
  ],
  [
    'a member with a seat on a later date only',
    {
      my_standing: going(3),
      events: dates.map((date, nth) => ({
        ...date,
        my_answer: nth === 2 ? ('going' as const) : ('waiting' as const),
      })),
    },
    'Bob and Cyd have the seats until 16 June 2099. Then you take turns.',
  ],
  [
    'a member who answers each time',
    {},
    'Bob and Cyd have the seats until 16 June 2099. Then members take turns.',
  ],
  [
    'the host',
    { my_standing: going(3), is_host: true },
    'Bob and Cyd have the seats until 16 June 2099. Then members take turns.',
  ],
])('series page: shows %s who has the seats, and until when [STAND-05]', (_, part, sentence) => {
  const people = ['Bob', 'Cyd', 'Dan'].map((name) => ({
    id: `id-of-${name}`,
    first_name: name,
    last_name: '',
  }));
  const isMine = sentence.startsWith('You');
  const seats_held = {
    until: '2099-06-16',
    people: isMine ? [{ ...ada, id: ada.id }, ...people.slice(0, 2)] : people.slice(0, 2),
    others: 0,
  };
  show({ is_host: false, seats_held, ...part });
  expect(screen.getByText(sentence)).toBeDefined();
});

/** The sentence about the members with seats, without the part that begins with 'until'. */
const seatsShown = (part: Partial<Series>) => {
  show({ is_host: false, ...part });
  const { textContent } = screen.getByText(/until 16 June 2099/);
  cleanup();
  return textContent?.replace(/ until.*/, '');
};

test('series page: names at most three members with seats, the viewer first [STAND-05]', () => {
  const [bob, cyd, dan] = ['Bob', 'Cyd', 'Dan'].map((name) => ({
    id: name,
    first_name: name,
    last_name: '',
  })) as [Held, Held, Held];
  const mine = dates.map((date) => ({ ...date, my_answer: 'going' as const }));
  const me = { id: ada.id, first_name: 'Ada', last_name: '' };
  const until = '2099-06-16';
  expect(seatsShown({ seats_held: { until, people: [bob], others: 0 } })).toBe('Bob has the seat');
  expect(seatsShown({ seats_held: { until, people: [bob, cyd, dan], others: 1 } })).toBe(
    'Bob, Cyd, Dan and 1 other have the seats',
  );
  const asMember = { my_standing: going(3), events: mine };
  expect(seatsShown({ ...asMember, seats_held: { until, people: [me], others: 0 } })).toBe(
    'You have the seat',
  );
  expect(seatsShown({ ...asMember, seats_held: { until, people: [bob, me], others: 0 } })).toBe(
    'You and Bob have the seats',
  );
  expect(seatsShown({ ...asMember, seats_held: { until, people: [bob, cyd, dan], others: 4 } })).toBe(
    'You, Bob, Cyd and 4 others have the seats',
  );
});

test('series page: says nothing about seats while nobody is on the waitlist [STAND-05]', () => {
  show({ my_standing: going(3) });
  expect(screen.queryByText(/the seats? until/)).toBeNull();
});

test.each<[string, Series['my_standing'], string]>([
  ['answers each date', null, 'You answer each date yourself.'],
  ['is going, but has no coming date', going(0), 'We answer every date for you until you change it.'],
  ['is going to two dates', going(2), 'Answers 2 dates. Change a single one on its page.'],
])(
  'standing answer: the sentence below follows the choice of a member who %s [STAND-09]',
  (_, my_standing, text) => {
    show({ my_standing });
    expect(screen.getByRole('status').textContent).toBe(text);
  },
);

test('standing answer: a failure shows an error and keeps the old answer [STAND-01]', async () => {
  show();
  server.respond = () => failure(409);
  await userEvent.click(choice("Can't go"));
  await screen.findByRole('alert');
  expect(choice('I answer each time').checked).toBe(true);
});

test('standing answer: ending it asks for confirmation, and says how many answers are withdrawn [STAND-04]', async () => {
  show({ my_standing: { answer: 'going', guests: 0, dates: 3 } });
  await userEvent.click(choice('I answer each time'));
  expect((await screen.findByRole('alertdialog')).textContent).toContain(
    'Your automatic answers to 3 dates go. Answers that you gave to single dates stay.',
  );
  expect(server.sent).toEqual([]);
  server.respond = () => success({ my_standing: null });
  await confirm('I answer each time');
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/series/runs/standing', body: { answer: null, guests: 0 } },
  ]);
});
