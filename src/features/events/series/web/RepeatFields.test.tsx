import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import NewEventPage from '#features/events/pages/web/NewEventPage.tsx';
import { fill, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import { browserZone } from '#features/events/web/useSuggestedStarts.ts';

beforeEach(() => void vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40)));
afterEach(() => vi.useRealTimers());

const show = () =>
  renderPage(<NewEventPage />, {
    route: '/app/:slug/new-event',
    path: '/app/rowers/new-event',
    club: rowers,
  });

/** Unfolds the fields of the repetition. */
const unfold = () => fireEvent.click(screen.getByRole('button', { name: 'Repeats' }));

const choose = (name: string, value: string) =>
  fireEvent.change(screen.getByRole('combobox', { name }), { target: { value } });
const optionsOf = (name: string) =>
  within(screen.getByRole('combobox', { name }))
    .getAllByRole('option')
    .map(({ textContent }) => textContent);
const nextDates = () =>
  within(screen.getByRole('list', { name: 'Next dates' }))
    .queryAllByRole('listitem')
    .map(({ textContent }) => textContent);

test('repeats: an event does not repeat until its chip is pressed, which chooses every week; the monthly options are the day and the weekday of the start [SERIES-07]', () => {
  show();
  expect(screen.queryByRole('combobox', { name: 'Repeats' })).toBeNull();
  unfold();
  expect(optionsOf('Repeats')).toEqual([
    'Never',
    'Every week',
    'Every two weeks',
    'Monthly on the 8th',
    'Monthly on the second Tuesday',
    'Custom',
  ]);
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Repeats' }).value).toBe('weekly');
  choose('Repeats', 'never');
  expect(screen.queryByRole('list', { name: 'Next dates' })).toBeNull();
  fireEvent.change(screen.getByRole('textbox', { name: 'Start' }), {
    target: { value: '06/29/2027 07:30 PM' },
  });
  expect(optionsOf('Repeats').slice(3, 5)).toEqual(['Monthly on the 29th', 'Monthly on the last Tuesday']);
});

test.each([
  ['weekly', ['8 June', '15 June', '22 June', '29 June', '6 July']],
  ['biweekly', ['8 June', '22 June', '6 July', '20 July', '3 August']],
  [
    'monthly_day',
    ['Tuesday 8 June', 'Thursday 8 July', 'Sunday 8 August', 'Wednesday 8 September', 'Friday 8 October'],
  ],
  ['monthly_weekday', ['8 June', '13 July', '10 August', '14 September', '12 October']],
])(
  'repeats: the choice "%s" lists the next five dates in words before saving [SERIES-07]',
  (choice, dates) => {
    show();
    unfold();
    choose('Repeats', choice);
    const shown = nextDates();
    expect(shown.length).toBe(dates.length);
    for (const [at, date] of dates.entries()) expect(shown[at]).toMatch(new RegExp(`${date} 2027, 7:30 pm$`));
  },
);

test('repeats: five dates are listed even if the rule starts in more than 90 days [SERIES-07]', () => {
  show();
  fireEvent.change(screen.getByRole('textbox', { name: 'Start' }), {
    target: { value: '06/06/2028 07:30 PM' },
  });
  unfold();
  expect(nextDates()).toEqual(
    ['6 June', '13 June', '20 June', '27 June', '4 July'].map((day) => `Tuesday ${day} 2028, 7:30 pm`),
  );
  expect(screen.getByText(/and so on/)).toBeDefined();
});

test('repeats: the next dates leave out the breaks of the club [SERIES-07]', () => {
  queryClient.setQueryData(queries.breaks('rowers').queryKey, [
    { name: 'Holidays', first_on: '2027-06-10', last_on: '2027-06-27' },
  ]);
  show();
  unfold();
  choose('Repeats', 'weekly');
  expect(nextDates()[1]).toMatch(/29 June/);
});

test('repeats: a custom rule takes an interval, weekdays and an end [SERIES-07]', () => {
  show();
  unfold();
  choose('Repeats', 'custom');
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Interval' }), { target: { value: '3' } });
  fireEvent.click(screen.getByRole('checkbox', { name: 'Thursday' }));
  expect(screen.getByText('Every 3 weeks on Tuesday and Thursday')).toBeDefined();
  choose('Ends', 'after');
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Dates' }), { target: { value: '3' } });
  expect(nextDates().map((date) => date?.replace(' 2027, 7:30 pm', ''))).toEqual([
    'Tuesday 8 June',
    'Thursday 10 June',
    'Tuesday 29 June',
  ]);
  expect(screen.queryByText(/and so on/)).toBeNull();
  expect(optionsOf('Weeks or months')).toEqual([
    'Every 3 weeks',
    'Every 3 months on the 8th',
    'Every 3 months on the second Tuesday',
  ]);
  choose('Weeks or months', 'monthly_weekday');
  expect(screen.getByText('Every 3 months on the second Tuesday', { selector: 'p' })).toBeDefined();
});

test('repeats: without a weekday, or with a last day before the start, nothing is sent [SERIES-07]', async () => {
  show();
  await fill('Title', 'Run');
  await fill('Location', 'Pier');
  unfold();
  choose('Repeats', 'custom');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Tuesday' }));
  await press('Create Event');
  expect(screen.getByRole('alert').textContent).toBe('Choose at least one weekday.');
  choose('Repeats', 'weekly');
  choose('Ends', 'on');
  for (const last of ['', '2027-06-07']) {
    fireEvent.change(screen.getByLabelText(/^Last day/), { target: { value: last } });
    await press('Create Event');
    expect(screen.getByRole('alert').textContent).toBe('Enter the last day, not before the start.');
  }
  for (const last of ['2201-01-01', '0207-06-08']) {
    fireEvent.change(screen.getByLabelText(/^Last day/), { target: { value: last } });
    await press('Create Event');
    expect(screen.getByRole('alert').textContent).toBe('Choose a year from 2000 to 2200.');
  }
  expect(server.sent).toEqual([]);
});

test('repeats: a weekly series is sent with its rule, in the time zone of the browser [SERIES-07]', async () => {
  server.respond = () => success({ id: 's', slug: 'run', name: 'Run' });
  const router = show();
  await fill('Title', 'Run');
  await fill('Location', 'Pier');
  await press('Tomorrow 7 pm');
  unfold();
  await press('Create Event');
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/rowers'));
  expect(server.sent).toMatchObject([
    {
      call: 'POST /api/v1/clubs/id-of-rowers/series',
      body: {
        name: 'Run',
        location_name: 'Pier',
        freq: 'weekly',
        every: 1,
        weekdays: [3],
        local_time: '19:00',
        minutes: 60,
        time_zone: browserZone(),
        starts_on: '2027-06-09',
        ends_on: null,
        count: null,
        cutoff_minutes: 0,
        everybody: false,
      },
    },
  ]);
  expect(server.sent[0]?.body).not.toHaveProperty('start_time');
  expect(server.sent[0]?.body).not.toHaveProperty('repeats');
});
