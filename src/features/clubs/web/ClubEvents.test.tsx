import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import type { EventCard } from '#features/events/contract.ts';
import { queries } from '#web/queries.ts';
import { addSeconds } from '#wire/instant.ts';
import { weekly } from '#test/new-series.ts';
import { ada, server, success } from '#test/render-page.tsx';
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
  time_count: 0,
  series: null,
  section_names: [],
  is_for_me: true,
  my_role: null,
  my_answer: null,
  must_confirm: false,
  has_voted: false,
  conflicting_events: [],
  faces: [],
});

function show(events: EventCard[]) {
  vi.setSystemTime(now);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  client.setQueryData(queries.user().queryKey, ada);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <ClubEvents
          club={{
            slug: 'runners',
            club_name: 'Runners',
            created_at: '2026-05-02T12:00:00.000Z',
            is_planner: false,
            events,
            event_count: events.length,
            more_events: { upcoming: null, in_progress: null, previous: null },
          }}
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
  expect(screen.getAllByRole('region', { name: /^(In|Up|Pre)/ }).map((group) => group.ariaLabel)).toEqual([
    'In Progress',
    'Upcoming',
    'Previous',
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

test('club events: the nearest ten upcoming events are shown until "Show all" is pressed', () => {
  show(Array.from({ length: 25 }, (_, day) => event(`in ${day + 1} days`, 24 * (day + 1), 1)));
  expect(inGroup('Upcoming')).toHaveLength(10);
  fireEvent.click(screen.getByRole('button', { name: 'Show all 25 upcoming events' }));
  expect(inGroup('Upcoming').at(-1)).toBe('in 25 days');
});

const many = Array.from({ length: 30 }, (_, day) => event(`in ${day + 1} days`, 24 * (day + 1), 1));
const month = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Month' });

/** Responds to a read of events with the events whose names begin with a word, and records the queries. */
function respondWith(events: EventCard[]) {
  const queries: Record<string, string>[] = [];
  server.read = (url) => {
    const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
    queries.push(query);
    return success({ events: query['phase'] && query['phase'] !== 'upcoming' ? [] : events, more: null });
  };
  return queries;
}

const stubWindow = (wide: boolean) =>
  vi.stubGlobal('matchMedia', () => ({ matches: wide, addEventListener() {}, removeEventListener() {} }));

test('club events: a club of fewer than 30 events has no filters [CLUBUX-03]', () => {
  show(many.slice(1));
  expect(screen.queryByRole('radio', { name: 'Mine' })).toBeNull();
  expect(screen.queryByRole('combobox', { name: 'Month' })).toBeNull();
});

test("club events: from 30 on, 'Mine' shows the events of the viewer, and 'All' all again [CLUBUX-03]", async () => {
  const queries = respondWith([event('mine', 48, 1)]);
  show(many);
  await userEvent.click(screen.getByRole('radio', { name: 'Mine' }));
  await screen.findByRole('link', { name: 'mine' });
  expect(inGroup('Upcoming')).toEqual(['mine']);
  expect(queries.map(({ phase, whose }) => `${phase} ${whose}`).toSorted()).toEqual([
    'in_progress mine',
    'previous mine',
    'upcoming mine',
  ]);
  await userEvent.click(screen.getByRole('radio', { name: 'All' }));
  expect(inGroup('Upcoming')).toHaveLength(10);
});

test('club events: from 30 on, a jump to a month shows its events, on a wide screen in a table by days [CLUBUX-03]', async () => {
  for (const wide of [false, true]) {
    stubWindow(wide);
    const queries = respondWith([event('race', 24 * 24, 1), event('regatta', 24 * 24 + 1, 1)]);
    show(many);
    // From the month in which the club was created to a year from now: first the coming months, then earlier ones.
    const options = [...month().options].map(({ text }) => text);
    expect(options.slice(0, 3)).toEqual(['All months', 'June 2026', 'July 2026']);
    expect(options.slice(-2)).toEqual(['June 2027', 'May 2026']);
    await userEvent.selectOptions(month(), 'July 2026');
    await screen.findByRole('link', { name: /race/ });
    const { from = '', until = '' } = queries[0] ?? {};
    expect([new Date(from), new Date(until)]).toEqual([new Date(2026, 6), new Date(2026, 7)]);
    if (wide) {
      const cell = screen.getByRole('cell', { name: /Wednesday 15 July 2026/ });
      expect(
        within(cell)
          .getAllByRole('link')
          .map((link) => link.getAttribute('href')),
      ).toEqual(['/app/events/race', '/app/events/regatta']);
      expect(screen.getAllByRole('columnheader')[0]?.textContent).toBe('Monday');
    } else expect(screen.queryByRole('table')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Next month' }));
    expect(month().value).toBe('2026-08');
    await vi.waitFor(() => expect(new Date(queries.at(-1)?.['from'] ?? '')).toEqual(new Date(2026, 7)));
    cleanup();
  }
});

test('club events: on a phone, the list of a month has a row for each date of a series [CLUBUX-03]', async () => {
  stubWindow(false);
  const series = { ...weekly, slug: 'rowing' };
  respondWith([7, 14, 21].map((days) => ({ ...event(`in ${days} days`, 24 * (20 + days), 1), series })));
  show(many);
  await userEvent.selectOptions(month(), 'July 2026');
  await screen.findByRole('link', { name: 'in 7 days' });
  const rows = screen.getAllByRole('article').map((row) => within(row).getByRole('link').textContent);
  expect(rows).toEqual(['in 7 days', 'in 14 days', 'in 21 days']);
  expect(screen.queryByRole('button', { name: /more dates/ })).toBeNull();
});

test('club events: a month that cannot be loaded says so and can be tried again [CLUBUX-03]', async () => {
  stubWindow(false);
  show(many);
  await userEvent.selectOptions(month(), 'July 2026');
  await screen.findByText("We couldn't load the events", {}, { timeout: 5000 });
  respondWith([]);
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('No events in July 2026.');
});

test('club events: from 30 on, a search finds events of this club alone [CLUBUX-03]', async () => {
  await import('#features/search/web/SearchDialog.tsx');
  const urls: string[] = [];
  server.read = (url) => {
    urls.push(url);
    const found = { name: 'Rowing', slug: 'rowing', start_time: now, deleted_at: null, club_name: 'Runners' };
    return success({ events: [{ ...found, series: null }], clubs: [] });
  };
  show(many);
  await userEvent.click(screen.getByRole('button', { name: 'Search events' }));
  const field = await screen.findByRole('searchbox', { name: 'Search events of Runners' });
  await userEvent.type(field, 'row');
  const link = await screen.findByRole('link', { name: /^Rowing/ });
  expect(link.textContent).not.toContain('Runners');
  await vi.waitFor(() => expect(urls).toContainEqual(expect.stringContaining('q=row&club=runners')));
});
