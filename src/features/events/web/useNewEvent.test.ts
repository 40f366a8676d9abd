// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { newEventProblem } from '#features/events/rules.ts';
import { instant } from '#wire/instant.ts';
import { emptyEvent } from './useNewEvent.ts';

test.each([
  ['2026-06-20T12:00:00.000Z', '2026-06-20T12:05:00.000Z'],
  ['2026-06-20T12:04:59.999Z', '2026-06-20T12:05:00.000Z'],
  ['2026-06-20T23:57:00.000Z', '2026-06-21T00:00:00.000Z'],
])('opened at %s, the form starts at %s and lasts an hour [EVENTNEW-08 EVENTNEW-11]', (now, start) => {
  const plan = emptyEvent(Date.parse(now));
  expect(plan).toMatchObject({ start_time: start, entry_until_time: start, duration: 1, unit: 'hours' });
});

test('emptyEvent: is valid once it has a title and a place', () => {
  const opened = Date.parse('2026-06-20T12:00:00.000Z');
  const plan = emptyEvent(opened);
  const filled = { name: 'Run', location_name: 'Gate', start_time: plan.start_time ?? undefined };
  expect(newEventProblem(filled, instant(opened + 60_000))).toBeUndefined();
});
