import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Break } from '#features/events/series/contract.ts';
import { queries, queryClient } from '#web/queries.ts';
import {
  ada,
  confirm,
  expectToast,
  field,
  fill,
  press,
  renderPage,
  rowers,
  server,
  success,
} from '#test/render-page.tsx';
import BreaksPage from './BreaksPage.tsx';

const holidays = { name: 'Holidays', first_on: '2099-12-21', last_on: '2100-01-01' };
const regatta = { name: 'Regatta', first_on: '2099-06-06', last_on: '2099-06-06' };
const inWords = 'Holidays: no dates from Monday 21 December 2099 to Friday 1 January 2100';

function show(breaks: Break[] = [], isAdmin = true) {
  queryClient.setQueryData(queries.breaks('rowers').queryKey, breaks);
  renderPage(<BreaksPage />, {
    route: '/app/clubs/:slug/breaks',
    path: '/app/clubs/rowers/breaks',
    user: ada,
    club: { ...rowers, my_club_role: isAdmin ? 200 : 0 },
  });
}

async function enter({ name, first_on, last_on }: Break) {
  await fill('Name', name);
  fireEvent.change(screen.getByLabelText(/^First day/), { target: { value: first_on } });
  fireEvent.change(screen.getByLabelText(/^Last day/), { target: { value: last_on } });
}

const call = 'PUT /api/v1/clubs/rowers/breaks';
const listedBreaks = () =>
  within(screen.getByRole('list', { name: 'Breaks' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
const failing = (status: number, error: string) => () =>
  Response.json({ data: null, status, error }, { status });

test('breaks: admins can add and remove breaks [SERIES-16]', async () => {
  show();
  expect(screen.getByText('No breaks')).toBeDefined();
  server.respond = () => success({ breaks: [holidays], cancelled: 0 });
  await enter(holidays);
  await press('Add break');
  await screen.findByText(inWords);
  expect(field('Name').value).toBe('');
  server.respond = () => success({ breaks: [], cancelled: 0 });
  await press('Remove Holidays');
  await screen.findByText('No breaks');
  expect(server.sent).toEqual([
    { call, body: { breaks: [holidays] } },
    { call, body: { breaks: [] } },
  ]);
});

test('breaks: a break over existing events needs a confirmation before it is saved [SERIES-16]', async () => {
  show([regatta]);
  server.respond = failing(409, 'dates_in_break');
  await enter(holidays);
  await press('Add break');
  expect((await screen.findByRole('alertdialog')).textContent).toContain('There are events on these days.');
  await confirm('Keep events');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect([field('Name').value, listedBreaks().length]).toEqual(['Holidays', 1]);
  await press('Add break');
  await screen.findByRole('alertdialog');
  server.respond = () => success({ breaks: [regatta, holidays], cancelled: 2 });
  await confirm('Cancel events');
  await screen.findByText(inWords);
  await expectToast('Breaks saved', '2 events are cancelled. Everybody who was going has been told.');
  const submitted = { call, body: { breaks: [regatta, holidays] } };
  expect(server.sent).toEqual([submitted, submitted, { call, body: { ...submitted.body, cancel: true } }]);
});

test('breaks: after removing a break that had cancelled events, a toast says that these events are planned again [SERIES-14]', async () => {
  show([holidays]);
  server.respond = () => success({ breaks: [], cancelled: 0, planned: 1 });
  await press('Remove Holidays');
  await expectToast('Breaks saved', '1 event is planned again, without answers. Members have been told.');
});

test('breaks: an admin who does not host the affected events sees why the break is not saved, and the input stays [SERIES-16]', async () => {
  show();
  server.respond = failing(409, 'dates_in_break');
  await enter(holidays);
  await press('Add break');
  await screen.findByRole('alertdialog');
  server.respond = failing(403, 'not_host');
  await confirm('Cancel events');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/The breaks weren't saved.*Only a host of the event can do this/);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(field('Name').value).toBe('Holidays');
  expect(screen.getByText('No breaks')).toBeDefined();
});

test.each([
  [
    'without a name and days',
    {},
    ['Give the break a name.', 'Enter the first and the last day, at most a year apart.'],
  ],
  [
    'in an invalid year',
    { ...holidays, first_on: '0206-12-21', last_on: '0206-12-24' },
    ['Choose a year from 2000 to 2200.'],
  ],
  [
    'of more than a year',
    { ...holidays, last_on: '2101-12-21' },
    ['Enter the first and the last day, at most a year apart.'],
  ],
])('breaks: a break %s shows errors and is not sent', async (_, input, texts) => {
  show();
  await enter({ name: '', first_on: '', last_on: '', ...input });
  await press('Add break');
  expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual(texts);
  expect(server.sent).toEqual([]);
});

test('breaks: the keyboard alone can add and remove a break, and the focus stays on the page [SERIES-16]', async () => {
  show();
  await userEvent.click(field('Name'));
  await userEvent.keyboard('Holidays{Tab}');
  fireEvent.change(screen.getByLabelText(/^First day/), { target: { value: holidays.first_on } });
  await userEvent.tab();
  fireEvent.change(screen.getByLabelText(/^Last day/), { target: { value: holidays.last_on } });
  server.respond = () => success({ breaks: [holidays], cancelled: 0 });
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  await screen.findByText(inWords);
  server.respond = () => success({ breaks: [], cancelled: 0 });
  screen.getByRole('button', { name: 'Remove Holidays' }).focus();
  await userEvent.keyboard('{Enter}');
  const empty = await screen.findByText('No breaks');
  await vi.waitFor(() => expect(document.activeElement?.contains(empty)).toBe(true));
  expect(document.activeElement).not.toBe(document.body);
});

test('breaks: members who are not admins see no form [SERIES-16]', () => {
  show([], false);
  expect(screen.getByText('Only club admins can change the breaks')).toBeDefined();
  expect(screen.queryByRole('textbox')).toBeNull();
});
