import { cleanup, screen, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import type { User } from '#features/users/contract.ts';
import { ada, renderPage, run } from '#test/render-page.tsx';
import { instant } from '#wire/instant.ts';

beforeEach(() => localStorage.removeItem('visits'));

const bob = { ...ada, attendee_id: 'id-of-bob', attendee_role: 'attendee', guests: 0 } as const;
const numbers = { user_count: 1, guest_count: 1, maybe: [bob], maybe_count: 1, no_count: 2, silent_count: 3 };
const withWaitlist = { ...run, ...numbers, capacity: 2, waiting_count: 4 };
const member: User = { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 100 })) };
const outsider: User = { ...ada, clubs: [] };

test.each([
  ['an admin', ada, null, true],
  ['the host', member, 'organiser', true],
  ['another member', member, 'attendee', false],
  ['an outsider', outsider, null, false],
] as const)(
  'event page: only admins and the host see the number of each answer, with a link to its list (viewer: %s)',
  (_who, user, my_role, sees) => {
    renderPage(<EventPage />, {
      route: '/app/events/:slug',
      path: '/app/events/tuesday-run',
      user,
      event: { ...run, ...numbers, my_role },
    });
    const links = screen
      .queryAllByRole('link')
      .map((link) => [link.textContent?.trim(), link.getAttribute('href')])
      .filter(([, path]) => path?.includes('/answers'));
    const path = '/app/events/tuesday-run/answers?list=';
    expect(links).toEqual(
      sees
        ? [
            ['1 going + 1 guest', `${path}going`],
            ['1 maybe', `${path}maybe`],
            ["2 can't go", `${path}no`],
            ['3 no answer', `${path}silent`],
          ]
        : [],
    );
  },
);

test('event page: the numbers of answers include the waitlist, and add up to the number of members [ANSWER-15]', () => {
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    event: withWaitlist,
  });
  const links = within(screen.getByRole('navigation', { name: 'Answers' })).getAllByRole('link');
  expect(links.map((link) => [link.textContent?.trim(), link.getAttribute('href')?.split('=')[1]])).toEqual([
    ['1 going + 1 guest', 'going'],
    ['4 on the waitlist', 'waiting'],
    ['1 maybe', 'maybe'],
    ["2 can't go", 'no'],
    ['3 no answer', 'silent'],
  ]);
});

test.each([
  ['once people were asked to confirm, runners', 1, {}, '1 of 2 confirmed'],
  ['before people are asked to confirm, nobody', null, {}, null],
  ['after the end of the event, nobody', 1, { end_time: '2026-01-01T00:00:00.000Z' }, null],
])(
  'event page: %s can see how many members have confirmed, with a link to those who have not [CALL-10]',
  (_, confirmed_count, part, text) => {
    renderPage(<EventPage />, {
      route: '/app/events/:slug',
      path: '/app/events/tuesday-run',
      event: { ...run, ...numbers, confirmed_count, ...part },
    });
    const link = screen.queryByRole('link', { name: /confirmed/ });
    expect(link?.textContent ?? null).toBe(text);
    if (link) expect(link.getAttribute('href')).toBe('/app/events/tuesday-run/answers?list=unconfirmed');
  },
);

const calendars = { about: 'time', known: 31, all: 34 } as const;

test.each([
  ['a change of time', { calendars }, '31 of 34 calendars know the new time'],
  [
    'a change of time, with one calendar',
    { calendars: { ...calendars, known: 1, all: 1 } },
    '1 of 1 calendar knows the new time',
  ],
  [
    'a change of place',
    { calendars: { ...calendars, about: 'place' } },
    '31 of 34 calendars know the new place',
  ],
  [
    'a cancellation',
    { calendars: { ...calendars, about: 'cancelled' }, deleted_at: '2026-01-01T00:00:00.000Z' },
    "31 of 34 calendars know that it's cancelled",
  ],
  ['no change', { calendars: null }, null],
  ['the end of the event', { calendars, end_time: '2026-01-01T00:00:00.000Z' }, null],
] as const)(
  'event page: how many calendars are up to date, as runners see it after %s [RELAY-07]',
  (_, part, text) => {
    const page = { route: '/app/events/:slug', path: '/app/events/tuesday-run' };
    renderPage(<EventPage />, { ...page, event: { ...run, ...numbers, ...part } });
    expect(screen.queryByText(/calendars? know/)?.textContent ?? null).toBe(text);
  },
);

test('event page: members who do not run the event see nothing about calendars [RELAY-07]', () => {
  const page = { route: '/app/events/:slug', path: '/app/events/tuesday-run' };
  const event = { ...run, ...numbers, calendars, my_role: 'attendee' } as const;
  renderPage(<EventPage />, { ...page, user: member, event });
  expect(screen.queryByText(/calendars? know/)).toBeNull();
});

const hoursAgo = (hours: number) => instant(Date.now() - hours * 3_600_000);
const visited = (last: string, before: string | null = null) =>
  localStorage.setItem('visits', JSON.stringify({ [run.id]: { last, before } }));
const marked = () =>
  within(screen.getByRole('navigation', { name: 'Answers' }))
    .getAllByRole('link')
    .filter((link) => link.textContent?.includes('changed since your last visit'))
    .map((link) => link.getAttribute('href')?.split('=')[1]);
const showChanges = () =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    event: { ...run, ...numbers, list_changes: { going: hoursAgo(3), no: hoursAgo(1) } },
  });

test('event page: marks the lists that changed since the last visit, and nothing at the first one [LATE-02]', () => {
  showChanges();
  expect(marked()).toEqual([]);
  cleanup();
  visited(hoursAgo(2));
  showChanges();
  expect(marked()).toEqual(['no']);
  // The same visit.
  cleanup();
  showChanges();
  expect(marked()).toEqual(['no']);
  cleanup();
  visited(hoursAgo(0.75), hoursAgo(2));
  showChanges();
  expect(marked()).toEqual([]);
});

test('event page: marks nothing if the storage was edited [LATE-02]', () => {
  localStorage.setItem('visits', '{');
  showChanges();
  expect(marked()).toEqual([]);
});
