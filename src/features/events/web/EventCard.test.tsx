// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test } from 'vitest';
import type { EventCard as EventOnCard } from '#features/events/contract.ts';
import { addSeconds } from '#wire/instant.ts';
import { EventCard } from './EventCard.tsx';

const now = '2026-06-20T12:00:00.000Z';
const day = 24 * 60 * 60;
const event: EventOnCard = {
  id: 'e1',
  slug: 'river-run-abcdefghij',
  name: 'River run',
  description: '',
  location_name: 'East gate',
  start_time: addSeconds(now, 5 * day),
  end_time: addSeconds(now, 6 * day),
  entry_until_time: addSeconds(now, 5 * day),
  time_zone: 'UTC',
  owner_club_id: 'c1',
  club_name: 'Runners',
  club_slug: 'runners',
  user_count: 7,
  deleted_at: null,
  host: { host_first_name: 'Ada', host_last_name: 'Byron', host_profile_picture_url: null },
  my_role: null,
  conflicting_events: [],
  faces: [],
};

afterEach(cleanup);

const show = (part: Partial<EventOnCard> = {}, showClub = false) =>
  render(
    <MemoryRouter>
      <EventCard event={{ ...event, ...part }} now={now} showClub={showClub} />
    </MemoryRouter>,
  );

test('event card: shows name, place, host and attendee count, and has one link to the event', () => {
  show({}, true);
  for (const words of ['East gate', 'Runners', '7 going']) expect(screen.getByText(words)).toBeDefined();
  expect(screen.getByText(/Ada Byron/)).toBeDefined();
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links).toEqual(['/app/events/river-run-abcdefghij']);
});

test.each([
  ['Open', 2 * day + 1],
  ['Closes Soon', 2 * day],
  ['Closed', 0],
])(
  'event card: the badge is %s when sign-up closes in %i seconds [EVENT-21 EVENT-22 EVENT-23]',
  (label, secondsLeft) => {
    show({ entry_until_time: addSeconds(now, secondsLeft) });
    expect(screen.getByText(label)).toBeDefined();
  },
);

test('event card: a cancelled event is tagged and struck through, without sign-up status [EVENT-24 EVENT-25]', () => {
  show({ deleted_at: now, my_role: 'attendee' });
  expect(screen.getByText('CANCELLED')).toBeDefined();
  expect(screen.getByRole('heading').className).toContain('line-through');
  expect(screen.queryByText(/Open|Closes Soon|Closed|You're going/)).toBeNull();
});

test('event card: a conflicting event is tagged [EVENT-26]', () => {
  show();
  expect(screen.queryByText('Conflicting Event')).toBeNull();
  cleanup();
  show({ conflicting_events: [{ slug: 'x', name: 'Another' }] });
  expect(screen.getByText('Conflicting Event')).toBeDefined();
});

test('event card: shows the first 70 characters of the description [EVENT-27]', () => {
  show({ description: 'd'.repeat(70) });
  expect(screen.getByText('d'.repeat(70))).toBeDefined();
  cleanup();
  show({ description: 'd'.repeat(71) });
  expect(screen.getByText(`${'d'.repeat(70)}…`)).toBeDefined();
});

test.each([
  ["You're going", { my_role: 'attendee' }],
  ["You're hosting", { my_role: 'organiser' }],
  ['You went', { my_role: 'attendee', end_time: now }],
] as const)('event card: shows the viewer "%s"', (words, part) => {
  show(part);
  expect(screen.getByText(words)).toBeDefined();
});
