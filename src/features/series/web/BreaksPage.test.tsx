// @vitest-environment jsdom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Break } from '#features/series/contract.ts';
import { queries, queryClient } from '#web/queries.ts';
import { confirm, fill, press, renderPage, rowers, server, success } from '#test/render-page.tsx';
import BreaksPage from './BreaksPage.tsx';

const holidays = { name: 'Holidays', first_on: '2099-12-21', last_on: '2100-01-01' };

function show({ breaks = [], admin = true }: { breaks?: Break[]; admin?: boolean } = {}) {
  queryClient.setQueryData(queries.breaks('rowers').queryKey, breaks);
  const club = { ...rowers, my_club_role: admin ? (200 as const) : (0 as const) };
  return renderPage(<BreaksPage />, {
    route: '/app/clubs/:slug/breaks',
    path: '/app/clubs/rowers/breaks',
    club,
  });
}

async function enter({ name, first_on, last_on }: Break) {
  await fill('Name', name);
  fireEvent.change(screen.getByLabelText(/^First day/), { target: { value: first_on } });
  fireEvent.change(screen.getByLabelText(/^Last day/), { target: { value: last_on } });
}

const call = 'PUT /api/v1/clubs/rowers/breaks';

test('breaks: admins add and remove them [SERIES-16]', async () => {
  show();
  expect(screen.getByText('No breaks')).toBeDefined();
  server.respond = () => success({ breaks: [holidays], cancelled: 0 });
  await enter(holidays);
  await press('Add break');
  await screen.findByText('Holidays: no dates from Monday 21 December 2099 to Friday 1 January 2100');
  server.respond = () => success({ breaks: [], cancelled: 0 });
  await press('Remove Holidays');
  await screen.findByText('No breaks');
  expect(server.sent).toEqual([
    { call, body: { breaks: [holidays] } },
    { call, body: { breaks: [] } },
  ]);
});

test('breaks: one over existing dates asks first, and is saved only when they may be cancelled [SERIES-16]', async () => {
  show();
  server.respond = () => Response.json({ data: null, status: 409, error: 'dates_in_break' }, { status: 409 });
  await enter(holidays);
  await press('Add break');
  expect((await screen.findByRole('alertdialog')).textContent).toContain('There are dates on these days.');
  server.respond = () => success({ breaks: [holidays], cancelled: 2 });
  await confirm('Cancel the dates');
  await screen.findByText(/^Holidays: no dates/);
  expect(server.sent.map(({ body }) => body)).toEqual([
    { breaks: [holidays] },
    { breaks: [holidays], cancel: true },
  ]);
});

test('breaks: without a name or days nothing is sent', async () => {
  show();
  await press('Add break');
  expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
    'Give the break a name.',
    'Enter the first and the last day, at most a year apart.',
  ]);
  expect(server.sent).toEqual([]);
});

test('breaks: members who are not admins see no form', () => {
  show({ admin: false });
  expect(screen.getByText('Only club admins can change the breaks')).toBeDefined();
  expect(screen.queryByRole('textbox')).toBeNull();
});
