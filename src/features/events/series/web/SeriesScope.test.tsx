import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { instant, addSeconds } from '#wire/instant.ts';
import type { Event } from '#features/events/contract.ts';
import EditEventPage from '#features/events/pages/web/EditEventPage.tsx';
import { queries, queryClient } from '#web/queries.ts';
import type { Series } from '#features/events/series/contract.ts';
import {
  card,
  expectToast,
  field,
  fill,
  press,
  renderPage,
  run,
  server,
  success,
} from '#test/render-page.tsx';
import { weekly } from '#test/new-series.ts';

await import('./SeriesScope.tsx');

const days = ['2099-06-01', '2099-06-08', '2099-06-15'];

/** A series with a date on every Monday. The edited event is its second date. */
const series = {
  slug: 'runs',
  freq: 'weekly',
  every: 1,
  weekdays: [1],
  month_day: null,
  nth: null,
  local_time: '18:30',
  minutes: 90,
  time_zone: 'UTC',
  starts_on: '2099-06-01',
  ends_on: null,
  count: null,
  events: days.map((day) => ({ ...card, id: day, slug: day, start_time: `${day}T18:30:00.000Z` })),
  breaks: [],
} as Partial<Series> as Series;
const second = { series: { ...weekly, slug: 'runs', weekdays: [1] }, slot_on: '2099-06-08' };

function show(event: Partial<Event> = {}, of: Partial<Series> = {}) {
  queryClient.setQueryData(queries.series('runs').queryKey, { ...series, ...of });
  return renderPage(<EditEventPage />, {
    route: '/app/events/edit/:slug',
    path: '/app/events/edit/tuesday-run',
    event: { ...run, ...second, ...event },
  });
}

const dialog = () => screen.findByRole('dialog', { name: 'Which events change?' });
const choice = (name: RegExp) => screen.getByRole<HTMLInputElement>('radio', { name });
/** The labels of the choices. Those of disabled choices begin with 'no'. */
const choices = async () =>
  within(await dialog())
    .getAllByRole<HTMLInputElement>('radio')
    .map(
      (radio) =>
        `${radio.disabled ? 'no ' : ''}${radio.closest('label')?.querySelector('span span')?.textContent}`,
    );
async function save() {
  const button = within(await dialog()).getByRole('button', { name: 'Update Event' });
  await userEvent.click(button);
}
const failing = (status: number, error: string) => () =>
  Response.json({ data: null, status, error }, { status });
const ofEvent = 'PUT /api/v1/events/tuesday-run/edit/id-of-rowers';
const ofSeries = 'PUT /api/v1/series/runs';

test('scope: saving an event of a series asks which events change, and by default changes only this event [SERIES-10]', async () => {
  const router = show();
  await fill('Location', 'Hall');
  await press('Update Event');
  expect(await choices()).toEqual(['This event', 'This and later', 'All coming']);
  expect(screen.getByText('2 events, from Monday 8 June 2099 on')).toBeDefined();
  expect(screen.getByText('3 events, from Monday 1 June 2099 on')).toBeDefined();
  expect(screen.getByText(/^Past events never change/)).toBeDefined();
  expect(server.sent).toEqual([]);
  server.respond = () => success('tuesday-run', 202);
  await save();
  await expectToast('Success', 'You have updated this event');
  expect(server.sent).toEqual([{ call: ofEvent, body: { location_name: 'Hall' } }]);
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/events/tuesday-run'));
});

test.each([
  [/^This and later/, { location_name: 'Hall', from: '2099-06-08' }],
  [/^All coming/, { location_name: 'Hall' }],
])(
  'scope: %s sends the edit to the series, and refreshes the queries that contain the event [SERIES-10]',
  async (name, body) => {
    const router = show();
    const refreshed = vi.spyOn(queryClient, 'invalidateQueries');
    await fill('Location', 'Hall');
    await press('Update Event');
    await dialog();
    await userEvent.click(choice(name));
    server.respond = () => success({ changed: 2, cancelled: 0 });
    await save();
    await expectToast('Series updated', '2 events changed.');
    expect(server.sent).toEqual([{ call: ofSeries, body }]);
    expect(refreshed.mock.calls.map(([filters]) => filters?.queryKey)).toEqual(
      expect.arrayContaining([['event'], ['club'], ['series']]),
    );
    await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/events/tuesday-run'));
  },
);

test('scope: a new weekday and time become the new rule of later events [SERIES-10]', async () => {
  show();
  await fill('Start', '10.6.2099 20:00');
  await press('Update Event');
  await dialog();
  expect(screen.getByText('Every Wednesday, 2 events from Monday 8 June 2099 on')).toBeDefined();
  await userEvent.click(choice(/^This and later/));
  server.respond = () => success({ changed: 2, cancelled: 0 });
  await save();
  const body = { weekdays: [3], local_time: '20:00', from: '2099-06-08' };
  expect(server.sent).toEqual([{ call: ofSeries, body }]);
});

test.each<[why: string, of: Partial<Series>, start: string]>([
  ['the rule has several weekdays', { weekdays: [1, 4] }, '9.6.2099 18:30'],
  ['the event moves by a week', {}, '15.6.2099 18:30'],
])('scope: only this event can change if %s [SERIES-10]', async (_, of, start) => {
  show({}, of);
  await fill('Start', start);
  await press('Update Event');
  expect(await choices()).toEqual(['This event', 'no This and later', 'no All coming']);
  expect(screen.getByText(/^The other events can't follow to this day/)).toBeDefined();
});

test('scope: if the event has started, the choices are only this event or all upcoming events [SERIES-10]', async () => {
  const start_time = addSeconds(instant(Date.now()), -3600);
  show({ start_time, end_time: addSeconds(start_time, 7200), slot_on: start_time.slice(0, 10) });
  await fill('Details', 'Bring a lamp.');
  await press('Update Event');
  expect(await choices()).toEqual(['This event', 'no This and later', 'All coming']);
  expect(screen.getByText(/^This event has started/)).toBeDefined();
});

test.each([
  [403, 'not_host', /^Only a host of the event can do this/],
  [400, 'must_tell', /^A new time or place is always announced/],
  [400, 'bad_input', /^Part of the request is missing or invalid/],
  [409, 'series_ended', /^This series has ended/],
])(
  'scope: %i %s shows an error in the dialog, and the input is kept [SERIES-10]',
  async (status, code, text) => {
    const router = show();
    await fill('Location', 'Hall');
    await press('Update Event');
    await dialog();
    await userEvent.click(choice(/^All coming/));
    server.respond = failing(status, code);
    await save();
    expect(within(await dialog()).getByRole('alert').textContent).toMatch("The events weren't updated");
    expect(within(await dialog()).getByText(text)).toBeDefined();
    expect(choice(/^All coming/).checked).toBe(true);
    await press('Keep editing');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(field('Location').value).toBe('Hall');
    expect(router.state.location.pathname).toBe('/app/events/edit/tuesday-run');
  },
);

test('scope: a missing title closes the dialog and shows an error at its field [SERIES-10]', async () => {
  show();
  await fill('Title', '');
  await press('Update Event');
  await dialog();
  server.respond = failing(400, 'bad_input');
  await save();
  await screen.findByText('An event needs a title.');
  expect(screen.queryByRole('dialog')).toBeNull();
  await vi.waitFor(() => expect(document.activeElement).toBe(field('Title')));
  await fill('Title', 'Run');
  await press('Update Event');
  await dialog();
});

test('scope: can be used by keyboard alone, and returns the focus to the field from which it was opened [SERIES-10]', async () => {
  show();
  await fill('Location', 'Hall');
  await userEvent.keyboard('{Enter}');
  await dialog();
  expect(document.activeElement).toBe(choice(/^This event/));
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  await vi.waitFor(() => expect(document.activeElement).toBe(field('Location')));
  await userEvent.keyboard('{Enter}');
  await dialog();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(choice(/^All coming/).checked).toBe(true);
  server.respond = () => success({ changed: 3, cancelled: 0 });
  await userEvent.keyboard('{Enter}');
  await expectToast('Series updated', '3 events changed.');
});

test('scope: an event without changes is saved without asking [SERIES-10]', async () => {
  server.respond = () => success('tuesday-run', 202);
  show();
  await press('Update Event');
  await vi.waitFor(() => expect(server.sent).toEqual([{ call: ofEvent, body: {} }]));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('scope: if the series cannot be loaded, an error is shown, and only this event can change [SERIES-10]', async () => {
  show();
  queryClient.removeQueries({ queryKey: ['series'] });
  await fill('Location', 'Hall');
  await press('Update Event');
  expect(await choices()).toEqual(['This event', 'no This and later', 'no All coming']);
  await screen.findByText("We couldn't load the series");
});
