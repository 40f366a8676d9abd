// @vitest-environment jsdom
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { backgroundOf } from '#ui/identity.ts';
import { queries, queryClient } from '#web/queries.ts';
import { ada, renderPage } from '#test/render-page.tsx';
import SearchDialog from './SearchDialog.tsx';

test('search: a club has its own initials and colour, and a cancelled event is tagged and struck through [EVENT-24 EVENT-25 UX-36]', () => {
  const event = { start_time: '2026-06-08T18:30:00.000Z', club_name: 'Harbour Rowers' };
  queryClient.setQueryData(queries.search('').queryKey, {
    events: [
      { ...event, name: 'Day row', slug: 'day-row', deleted_at: null },
      { ...event, name: 'Night row', slug: 'night-row', deleted_at: event.start_time },
    ],
    clubs: [{ club_name: 'Harbour Rowers', slug: 'rowers' }],
  });
  renderPage(<SearchDialog onClose={vi.fn()} />, { user: ada });
  const avatar = document.querySelector('[data-initials=HR]')?.parentElement;
  expect(avatar?.className).toContain(backgroundOf('id-of-rowers'));
  expect(screen.getByText('Night row').className).toContain('line-through');
  expect(screen.getByText('Day row').className).not.toContain('line-through');
  const cancelled = screen.getAllByText('CANCELLED').map((tag) => tag.closest('a')?.getAttribute('href'));
  expect(cancelled).toEqual(['/app/events/night-row']);
});
