import { expect, test } from 'vitest';
import { newEventProblem } from '#features/events/form-rules.ts';
import { instant } from '#wire/instant.ts';
import { emptyEvent } from './useNewEvent.ts';

test.each([
  ['2026-06-20T12:00:00.000Z', '2026-06-20T12:05:00.000Z'],
  ['2026-06-20T12:04:59.999Z', '2026-06-20T12:05:00.000Z'],
  ['2026-06-20T23:57:00.000Z', '2026-06-21T00:00:00.000Z'],
])('emptyEvent: created at %s, starts at %s and lasts one hour [EVENTNEW-08 EVENTNEW-11]', (now, start) => {
  const event = emptyEvent(Date.parse(now), 'UTC');
  expect(event).toMatchObject({ start_time: start, entry_until_time: start, duration: 1, unit: 'hours' });
});

test('emptyEvent: is valid once it has a title and a place', () => {
  const openedAt = Date.parse('2026-06-20T12:00:00.000Z');
  const event = emptyEvent(openedAt, 'UTC');
  const filled = { name: 'Run', location_name: 'Gate', start_time: event.start_time ?? undefined };
  expect(newEventProblem(filled, instant(openedAt + 60_000))).toBeUndefined();
});
