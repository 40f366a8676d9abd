import { cleanup, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ada, renderPage, run } from '#test/render-page.tsx';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import type { Event } from '#features/events/contract.ts';
import type { User } from '#features/users/contract.ts';

type Numbers = NonNullable<Event['reach']>;

const member: User = { ...ada, clubs: ada.clubs.map((club) => ({ ...club, club_role: 100 })) };
const by = { answered: 12, seen: 6, calendar: 4, push: 3, email: 4 };
const tom = { id: 'tom', first_name: 'Tom', last_name: '', why: 'not_delivered' } as const;
const ida = { id: 'ida', first_name: 'Ida', last_name: '', why: 'on_its_way' } as const;
const numbers: Numbers = { about: 'time', all: 31, reached: 29, by, missing: [tom, ida] };
const upcoming = { start_time: '2090-01-01T18:00:00.000Z', end_time: '2090-01-01T19:00:00.000Z' };

const show = (reach: Numbers | null, event: Partial<Event> = {}, user?: User) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    event: { ...run, ...upcoming, ...event, reach },
    ...(user && { user }),
  });

test("runners see '29 of 31 reached' and who was not, and in a fold how, without what is zero, with the line of calendars [KNOW-10 KNOW-12 RELAY-07]", () => {
  show({ ...numbers, by: { ...by, push: 0 } }, { calendars: { about: 'time', known: 31, all: 34 } });
  expect(screen.getByText('29 of 31 reached').closest('details')).toBeNull();
  expect(
    screen.getByText('Not reached: Tom (not delivered), Ida (on its way)').closest('details'),
  ).toBeNull();
  const fold = screen
    .getByText('12 answered, 6 saw it in the app, 4 by calendar, 4 emails accepted')
    .closest('details');
  expect(fold).not.toBeNull();
  expect(
    screen.getAllByText('31 of 34 calendars know the new time').map((line) => line.closest('details')),
  ).toEqual([fold]);
});

test('with all five ways, the fold tells all of them [KNOW-10]', () => {
  show(numbers);
  screen.getByText('12 answered, 6 saw it in the app, 4 by calendar, 3 by push, 4 emails accepted');
});

test("before there are names: 'Telling 31 people…', unless everybody was reached [KNOW-12]", () => {
  show({ ...numbers, missing: null });
  screen.getByText('Telling 31 people…');
  expect(screen.queryByText(/31 reached|Not reached/)).toBeNull();
});

test.each<[string, Numbers]>([
  ['before there are names', { ...numbers, reached: 31, missing: null }],
  ['later', { ...numbers, reached: 31, missing: [] }],
])("'31 of 31 reached' if everybody was, %s [KNOW-12]", (_, reach) => {
  show(reach);
  screen.getByText('31 of 31 reached');
  expect(screen.queryByText(/Not reached|Telling/)).toBeNull();
});

test("more than five names lead to the list 'Not reached' [KNOW-12]", () => {
  const missing = [...'ABCDE'].map((name) => ({ ...ida, id: name, first_name: name }));
  show({ ...numbers, reached: 23, missing });
  const link = screen.getByRole('link', { name: 'All 8 who were not reached' });
  expect(link.getAttribute('href')).toBe('/app/events/tuesday-run/answers?list=unreached');
});

test('fewer than five people: no fold without calendars [KNOW-10]', () => {
  show({ ...numbers, all: 3, reached: 1, by: null });
  screen.getByText('1 of 3 reached');
  expect(screen.queryByText('How they were reached')).toBeNull();
});

test('nothing without a change, after the start, or for other members [KNOW-10 KNOW-12]', () => {
  show(null);
  expect(screen.queryByText(/reached/)).toBeNull();
  cleanup();
  show(numbers, { start_time: '2026-01-01T00:00:00.000Z' });
  expect(screen.queryByText(/reached/)).toBeNull();
  cleanup();
  show(null, { my_role: 'attendee' }, member);
  expect(screen.queryByText(/reached/)).toBeNull();
});
