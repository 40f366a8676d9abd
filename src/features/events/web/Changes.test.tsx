import { cleanup, render, screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ChangedFields, EventChange } from '#features/events/contract.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';
import { run } from '#test/render-page.tsx';
import { addSeconds } from '#wire/instant.ts';
import { Changes } from './Changes.tsx';

const now = '2026-11-23T12:00:00.000Z';
const start_time = '2026-11-24T19:00:00.000Z';
const change: EventChange = {
  id: 'id-of-change',
  kind: 'edit',
  changed_at: addSeconds(now, -2 * 3600),
  changed_by: { first_name: 'Ana', last_name: '' },
  new_host: null,
  before: {},
  after: {},
  reason: null,
  words: '',
  asked_again: false,
  undone_at: null,
};

function show(...changes: Partial<EventChange>[]) {
  cleanup();
  render(
    <Changes
      event={{ ...run, changes: changes.map((part, nth) => ({ ...change, id: String(nth), ...part })) }}
      now={now}
    />,
  );
  return screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
}

test('changes: an event without changes does not have the section [HIST-02]', () => {
  expect(show()).toEqual([]);
  expect(screen.queryByText('Changes')).toBeNull();
});

test('changes: the section is collapsed and shows the number of changes', () => {
  show({ after: { name: 'Run' } }, { after: { details: '' } });
  const summary = screen.getByRole('heading', { name: 'Changes' }).closest('summary') as HTMLElement;
  expect(within(summary).getByText('2')).toBeDefined();
  expect(summary.closest('details')?.open).toBe(false);
});

test.each<[before: ChangedFields, after: ChangedFields, what: string]>([
  [
    { start_time, end_time: start_time, entry_until_time: start_time },
    { start_time: addSeconds(start_time, 88_200), end_time: now, entry_until_time: now },
    'moved this from Tue 24 Nov, 7:00 pm to Wed 25 Nov, 7:30 pm',
  ],
  [
    { end_time: start_time },
    { end_time: addSeconds(start_time, 3600) },
    'changed the end from Tue 24 Nov, 7:00 pm to Tue 24 Nov, 8:00 pm',
  ],
  [{ entry_until_time: start_time }, { entry_until_time: now }, 'changed when answers close'],
  [{ time_zone: 'UTC' }, { time_zone: 'America/New_York' }, 'changed the time zone to America/New York'],
  [{ location_name: 'Field' }, { location_name: '' }, 'changed the location from Field to no place'],
  [{ name: 'Run' }, { name: 'Walk' }, 'renamed this from “Run” to “Walk”'],
  [{ guests_max: 0 }, { guests_max: 2 }, 'changed the guests per person from 0 to 2'],
  [{ capacity: 10 }, { capacity: 20 }, 'changed the seats from 10 to 20'],
  [{ capacity: null }, { capacity: 20 }, 'changed the seats from no limit to 20'],
  [{ waitlist: true }, { waitlist: false }, 'switched the waitlist off'],
  [{ waitlist: false }, { waitlist: true }, 'switched the waitlist on'],
  [{ question: '', choices: [] }, { question: 'Which menu?', choices: ['Vegan'] }, 'changed the question'],
  [{ choices: ['Vegan'] }, { choices: ['Vegan', 'Meat'] }, 'changed the choices of the question'],
  [
    { capacity: 20, waitlist: false, guests_max: 0 },
    { capacity: null, waitlist: true, guests_max: 1 },
    'changed the seats from 20 to no limit, switched the waitlist on and changed the guests per person from 0 to 1',
  ],
  [
    { name: 'Run', description: 'Old', details: 'Old' },
    { name: 'Walk', description: 'New', details: 'New' },
    'renamed this from “Run” to “Walk”, changed the description and changed the details',
  ],
])('changes: a change from %j to %j reads "%s" [HOSTUX-07]', (before, after, what) => {
  expect(show({ before, after })).toEqual([`Ana ${what} · 2h ago`]);
});

test('changes: a change of any field has a sentence [HOSTUX-07]', () => {
  for (const [key, value] of Object.entries({ ...emptyEventFields, start_time, end_time: start_time }))
    expect(show({ before: { [key]: value }, after: { [key]: value } })[0]).toMatch(/^Ana \w+ .* · 2h ago$/);
});

test.each<[Partial<EventChange>, string]>([
  [{ reason: 'weather', words: '' }, 'Weather'],
  [{ reason: 'too_few', words: 'Only two of us' }, 'Too few people: Only two of us'],
  [{ reason: null, words: 'Sorry!' }, 'Sorry!'],
])('changes: with %j, the reason comes before the time [HIST-02]', (why, text) => {
  const moved = { before: { start_time }, after: { start_time: addSeconds(start_time, 88_200) }, ...why };
  expect(show(moved)).toEqual([
    `Ana moved this from Tue 24 Nov, 7:00 pm to Wed 25 Nov, 7:30 pm · ${text} · 2h ago`,
  ]);
});

test.each<[Partial<EventChange>, string]>([
  [{ kind: 'cancelled' }, 'cancelled this'],
  [{ kind: 'host', new_host: change.changed_by }, 'took over as host'],
  [{ kind: 'host', new_host: { first_name: 'Bo', last_name: 'Li' } }, 'made Bo Li the host'],
  [{ kind: 'host', new_host: null }, 'made Someone the host'],
  [
    { asked_again: true, before: { name: 'A' }, after: { name: 'B' } },
    'renamed this from “A” to “B” and asked everyone to confirm',
  ],
])('changes: %j reads "%s"', (part, what) => {
  expect(show(part)).toEqual([`Ana ${what} · 2h ago`]);
});

test('changes: an editor whose account was deleted is named Someone, and an undone change is struck through [HIST-03]', () => {
  const undone = { changed_by: null, undone_at: now, before: { name: 'A' }, after: { name: 'B' } };
  expect(show(undone)).toEqual(['Someone renamed this from “A” to “B” · 2h agoUndone']);
  expect(screen.getByText(/renamed/).className).toContain('line-through');
});
