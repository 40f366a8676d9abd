import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { hueOf } from '#wire/hue.ts';
import { queries, queryClient } from '#web/queries.ts';
import { ada, press, renderPage } from '#test/render-page.tsx';
import SearchDialog from './SearchDialog.tsx';
import { weekly } from '#test/new-series.ts';

test('search: a club has its own initials and colour, and a cancelled event is tagged and struck through [EVENT-24 EVENT-25 UX-36]', () => {
  const event = { start_time: '2026-06-08T18:30:00.000Z', club_name: 'Harbour Rowers', series: null };
  queryClient.setQueryData(queries.search('').queryKey, {
    events: [
      { ...event, name: 'Day row', slug: 'day-row', deleted_at: null },
      { ...event, name: 'Night row', slug: 'night-row', deleted_at: event.start_time },
    ],
    clubs: [{ club_name: 'Harbour Rowers', slug: 'rowers' }],
  });
  renderPage(<SearchDialog onClose={vi.fn()} />, { user: ada });
  const avatar = document.querySelector('[data-initials=HR]')?.parentElement;
  expect(avatar?.dataset['hue']).toBe(`${hueOf('id-of-rowers')}`);
  expect(screen.getByText('Night row').className).toContain('line-through');
  expect(screen.getByText('Day row').className).not.toContain('line-through');
  const cancelled = screen.getAllByText('CANCELLED').map((tag) => tag.closest('a')?.getAttribute('href'));
  expect(cancelled).toEqual(['/app/events/night-row']);
});

const found = () => screen.getAllByRole('link').map((link) => link.getAttribute('href'));

test('search: a series is shown as its next date, with a button that lists the other dates in place [SERIES-20]', async () => {
  const series = { ...weekly, slug: 'runs' };
  const event = { name: 'Run', deleted_at: null, club_name: 'Harbour Rowers', series };
  queryClient.setQueryData(queries.search('').queryKey, {
    events: ['08', '15', '22'].map((day) => ({
      ...event,
      slug: `run-${day}`,
      start_time: `2026-06-${day}T18:30:00.000Z`,
    })),
    clubs: [],
  });
  renderPage(<SearchDialog onClose={vi.fn()} />, { user: ada });
  expect(found()).toEqual(['/app/events/run-08']);
  expect(screen.getByRole('link').textContent).toContain('Harbour Rowers · Every Tuesday');
  await press('2 more dates');
  expect(found()).toEqual(['/app/events/run-08', '/app/events/run-15', '/app/events/run-22']);
});
