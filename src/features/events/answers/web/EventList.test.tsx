import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import type { EventCard } from '#features/events/contract.ts';
import { addSeconds } from '#wire/instant.ts';
import { card } from '#test/render-page.tsx';
import { EventList } from './EventList.tsx';
import { weekly } from '#test/new-series.ts';

const now = '2026-11-24T12:00:00.000Z';

/** An event that starts in `inDays` days and lasts an hour, unless `more` gives another end. */
const event = (name: string, inDays: number, more: Partial<EventCard> = {}): EventCard => {
  const start_time = addSeconds(now, inDays * 86_400);
  const times = { start_time, end_time: addSeconds(start_time, 3600), entry_until_time: start_time };
  return { ...card, id: name, slug: name, name, ...times, ...more };
};

/** The heading of each day, followed by the names of the events below it. */
function days(events: EventCard[]): [head: string | null, ...names: (string | null)[]][] {
  cleanup();
  render(
    <MemoryRouter>
      <EventList events={events} now={now} />
    </MemoryRouter>,
  );
  return screen.getAllByRole('list').map((list) => {
    const head = document.getElementById(list.getAttribute('aria-labelledby') ?? '');
    return [
      head && head.textContent,
      ...within(list)
        .getAllByRole('link')
        .map(({ textContent }) => textContent),
    ];
  });
}

test('event list: events of one day share a heading: Today, Tomorrow or the date, with the year if it is not the current year [UX-07]', () => {
  const events = [
    event('early', 0.1),
    event('late', 0.2),
    event('next', 1),
    event('later', 2),
    event('new year', 38),
  ];
  expect(days(events)).toEqual([
    ['Today', 'early', 'late'],
    ['Tomorrow', 'next'],
    ['Thursday 26 November', 'later'],
    ['Friday 1 January 2027', 'new year'],
  ]);
  expect(days(events.toReversed()).map(([head]) => head)).toEqual([
    'Friday 1 January 2027',
    'Thursday 26 November',
    'Tomorrow',
    'Today',
  ]);
});

test('event list: a day with a single event has no heading on phones, and its row says Today or Tomorrow [UX-07 HOMEUX-04]', () => {
  days([event('early', 0.1), event('late', 0.2), event('next', 1), event('later', 2)]);
  const heads = [...document.querySelectorAll('p[id]')];
  expect(heads.map(({ className }) => className.includes('max-md:hidden'))).toEqual([false, true, true]);
  const times = screen
    .getAllByRole('article')
    .map((row) => row.querySelector('time')?.parentElement?.textContent);
  expect(times.map((text) => /Today|Tomorrow/.exec(text ?? '')?.[0])).toEqual([
    undefined,
    undefined,
    'Tomorrow',
    undefined,
  ]);
});

test('event list: each day has one heading, even if a long event that ended later is not listed next to the others of that day [UX-07]', () => {
  const long = { end_time: addSeconds(now, -3600) };
  expect(days([event('camp', -5, long), event('run', -3), event('swim', -5.1), event('row', -4)])).toEqual([
    ['Thursday 19 November', 'camp', 'swim'],
    ['Saturday 21 November', 'run'],
    ['Friday 20 November', 'row'],
  ]);
});

test('event list: months are separated by headings, with the year if it is not the current year [UX-07]', () => {
  days([event('a', 1), event('b', 8), event('c', 9), event('d', 40)]);
  const months = /^(January|November|December)( \d+)?$/;
  expect(screen.getAllByText(months).map(({ textContent }) => textContent)).toEqual([
    'December',
    'January 2027',
  ]);
});

test('event list: a cancelled event keeps its position and is struck through [UX-07]', () => {
  const cancelled = event('cancelled', 1.1, { deleted_at: now });
  expect(days([event('first', 1), cancelled, event('last', 1.2)])).toEqual([
    ['Tomorrow', 'first', 'cancelled', 'last'],
  ]);
  const [, row] = screen.getAllByRole('article');
  expect(row?.textContent).toContain('CANCELLED');
  expect(within(row as HTMLElement).getByRole('heading').className).toContain('line-through');
});

const names = () => screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);

test('event list: a series is shown as its next date and the number of other dates, which expand in place [SERIES-09 SERIES-20]', async () => {
  const series = { ...weekly, slug: 'runs' };
  days([
    event('run 1', 1, { series }),
    event('swim', 2),
    ...[8, 15, 22].map((inDays) => event(`run ${inDays}`, inDays, { series })),
    event('alone', 30, { series: { ...weekly, slug: 'alone', freq: 'monthly_day', month_day: 24 } }),
  ]);
  expect(names()).toEqual(['run 1', 'swim', 'alone']);
  expect(screen.getByRole('link', { name: 'Every Tuesday' }).getAttribute('href')).toBe('/app/series/runs');
  expect(screen.getByRole('link', { name: 'Monthly on the 24th' })).toBeDefined();
  const more = screen.getByRole('button', { name: /more date/ });
  expect([more.textContent, more.getAttribute('aria-expanded')]).toEqual(['3 more dates', 'false']);
  await userEvent.click(more);
  expect(more.getAttribute('aria-expanded')).toBe('true');
  expect(names()).toEqual(['run 1', 'run 8', 'run 15', 'run 22', 'swim', 'alone']);
  await userEvent.click(more);
  expect(names()).toEqual(['run 1', 'swim', 'alone']);
});

test('event list: the expanded dates of a series are a list with its rule as name, and cancelled dates are counted apart [SERIES-20]', async () => {
  const series = { ...weekly, slug: 'runs' };
  days([
    event('run 1', 1, { series }),
    event('run 8', 8, { series }),
    event('run 15', 15, { series, deleted_at: now }),
    event('concert', 10),
  ]);
  await userEvent.click(screen.getByRole('button', { name: '1 more date, 1 cancelled' }));
  const dates = within(screen.getByRole('list', { name: 'Every Tuesday' })).getAllByRole('article');
  expect(dates.map((row) => row.querySelector('h3')?.textContent)).toEqual(['run 8', 'run 15']);
});

test('event list: a series whose other dates are all cancelled says so [SERIES-20]', () => {
  const series = { ...weekly, slug: 'runs' };
  days([event('run 1', 1, { series }), event('run 8', 8, { series, deleted_at: now })]);
  expect(screen.getByRole('button', { name: '1 cancelled' })).toBeDefined();
});
