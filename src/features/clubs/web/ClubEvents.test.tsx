import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import type { EventCard } from '#features/events/contract.ts';
import { addSeconds } from '#wire/instant.ts';
import { ClubEvents } from './ClubEvents.tsx';

const now = '2026-06-21T12:00:00.000Z';
const hour = 60 * 60;

const event = (name: string, startsIn: number, lasts: number): EventCard => ({
  id: name,
  slug: name,
  name,
  description: '',
  location_name: 'The bridge',
  start_time: addSeconds(now, startsIn * hour),
  end_time: addSeconds(now, (startsIn + lasts) * hour),
  entry_until_time: addSeconds(now, startsIn * hour),
  time_zone: 'Europe/London',
  owner_club_id: 'club',
  club_name: 'Runners',
  club_slug: 'runners',
  user_count: 0,
  deleted_at: null,
  polling: false,
  host: null,
  guest_count: 0,
  moved_from: null,
  seats_left: null,
  waiting_count: 0,
  asked_about: null,
  series: null,
  my_role: null,
  my_answer: null,
  must_confirm: false,
  conflicting_events: [],
  faces: [],
});

function show(events: EventCard[]) {
  vi.setSystemTime(now);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <ClubEvents
          club={{
            slug: 'runners',
            events,
            event_count: events.length,
            more_events: { upcoming: null, in_progress: null, previous: null },
          }}
          admin={false}
          steps={false}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

afterEach(() => void vi.useRealTimers());

const inGroup = (title: string) => {
  const group = screen.queryByRole('region', { name: title });
  return group
    ? within(group)
        .getAllByRole('article')
        .map((card) => within(card).getByRole('link').textContent)
    : [];
};

test('club events: are grouped into Upcoming, In Progress and Previous, nearest first [CLUB-06 CLUB-10 CLUB-11 CLUB-12]', () => {
  show([
    event('in a week', 168, 1),
    event('tomorrow', 24, 1),
    event('now', -1, 2),
    event('just over', -1, 1),
    event('starts this moment', 0, 1),
    event('last week', -168, 1),
  ]);
  expect(inGroup('Upcoming')).toEqual(['tomorrow', 'in a week']);
  expect(inGroup('In Progress')).toEqual(['now', 'starts this moment']);
  expect(inGroup('Previous')).toEqual(['just over', 'last week']);
});

test('club events: change their group while the page is open [CLUB-11 CLUB-12]', () => {
  vi.useFakeTimers();
  show([event('now', -1, 1.5)]);
  expect(inGroup('In Progress')).toEqual(['now']);
  act(() => void vi.advanceTimersByTime(hour * 1000));
  expect(inGroup('In Progress')).toEqual([]);
  expect(inGroup('Previous')).toEqual(['now']);
});

test('club events: an empty group is not rendered', () => {
  show([event('tomorrow', 24, 1)]);
  expect(screen.queryByText('Previous')).toBeNull();
});

test('club events: the latest four previous events are shown until "Show all" is pressed', () => {
  show(Array.from({ length: 6 }, (_, week) => event(`${week + 1} weeks ago`, -168 * (week + 1), 1)));
  expect(inGroup('Previous')).toEqual(['1 weeks ago', '2 weeks ago', '3 weeks ago', '4 weeks ago']);
  fireEvent.click(screen.getByRole('button', { name: 'Show all 6 previous events' }));
  expect(inGroup('Previous')).toHaveLength(6);
});

test('club events: the nearest 20 upcoming events are shown until "Show all" is pressed', () => {
  show(Array.from({ length: 25 }, (_, day) => event(`in ${day + 1} days`, 24 * (day + 1), 1)));
  expect(inGroup('Upcoming')).toHaveLength(20);
  fireEvent.click(screen.getByRole('button', { name: 'Show all 25 upcoming events' }));
  expect(inGroup('Upcoming').at(-1)).toBe('in 25 days');
});
