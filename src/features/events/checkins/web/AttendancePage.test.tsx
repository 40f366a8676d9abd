import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { queryClient } from '#web/queries.ts';
import { renderPage, rowers } from '#test/render-page.tsx';
import AttendancePage from './AttendancePage.tsx';

const member = (first_name: string, came: number) => ({
  id: `id-of-${first_name}`,
  first_name,
  last_name: '',
  profile_picture_url: null,
  going: 12,
  came,
  late_no: 1,
  not_come: 2,
});

test('attendance page: lists members in the order of the server, without a way to rank them [CAME-04]', () => {
  queryClient.setQueryData(['attendance', 'rowers'], {
    pages: [{ members: [member('Ada', 3), member('Bob', 9)], more: null }],
    pageParams: [undefined],
  });
  renderPage(<AttendancePage />, {
    route: '/app/clubs/:slug/attendance',
    path: '/app/clubs/rowers/attendance',
    club: rowers,
  });
  const rows = screen.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toEqual([
    ['Name', 'Going', 'Came', 'Late no', 'Missed'],
    ['Ada', '12', '3', '1', '2'],
    ['Bob', '12', '9', '1', '2'],
  ]);
  expect(screen.getByRole('table').querySelector('button, a, [aria-sort]')).toBeNull();
});
