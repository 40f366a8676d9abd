import { afterEach, expect, test, vi } from 'vitest';
import { parseDateTime } from '#ui/date-time-text.ts';

afterEach(() => void vi.unstubAllEnvs());

test.each([
  // A time skipped by daylight saving moves one hour ahead; of a repeated hour the first one counts.
  ['03/28/2027 01:30 AM', 'Europe/London', '2027-03-28T01:30:00.000Z'],
  ['10/31/2027 01:30 AM', 'Europe/London', '2027-10-31T00:30:00.000Z'],
  ['03/14/2027 02:30 AM', 'America/New_York', '2027-03-14T07:30:00.000Z'],
  ['11/07/2027 01:30 AM', 'America/New_York', '2027-11-07T05:30:00.000Z'],
  ['03/28/2027 09:00 AM', 'Europe/London', '2027-03-28T08:00:00.000Z'],
])('date text: %s in %s is parsed as %s [C15]', (typed, timeZone, instant) => {
  vi.stubEnv('TZ', timeZone);
  expect(parseDateTime(typed)?.toISOString()).toBe(instant);
});
