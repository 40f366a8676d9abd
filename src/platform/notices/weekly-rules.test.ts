import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import { wallTime } from '#wire/wall-time.ts';
import {
  isSentAtOnce,
  isTooLate,
  mondayAfter,
  shownLines,
  weeklyAfter,
  weeklyInZone,
} from '#platform/notices/weekly-rules.ts';

const hour = 60 * 60;
const day = 24 * hour;
const zones = ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland'] as const;

/** Any second of 2026, which has both clock changes in each zone. */
const time = fc
  .integer({ min: Date.UTC(2026, 0) / 1000, max: Date.UTC(2027, 0) / 1000 })
  .map((seconds) => instant(seconds * 1000));
const zone = fc.constantFrom(...zones, 'Pacific/Honolulu', 'Asia/Kolkata', 'UTC');

const expectMonday = (at: Instant, of: string) => {
  const wall = wallTime(Date.parse(at), of);
  expect([wall.getUTCDay(), wall.toISOString().slice(11, 19)]).toEqual([1, '08:00:00']);
};

describe('the time of the weekly email', () => {
  test('is the next Monday 8:00 in the zone of its reader, also in the weeks of both clock changes [DIGEST-01 DIGEST-06]', () => {
    expect(mondayAfter('2026-03-25T12:00:00.000Z', 'Europe/Berlin')).toBe('2026-03-30T06:00:00.000Z');
    expect(mondayAfter('2026-10-21T12:00:00.000Z', 'Europe/Berlin')).toBe('2026-10-26T07:00:00.000Z');
    expect(mondayAfter('2026-03-04T12:00:00.000Z', 'America/New_York')).toBe('2026-03-09T12:00:00.000Z');
    expect(mondayAfter('2026-10-28T12:00:00.000Z', 'America/New_York')).toBe('2026-11-02T13:00:00.000Z');
    expect(mondayAfter('2026-04-01T12:00:00.000Z', 'Pacific/Auckland')).toBe('2026-04-05T20:00:00.000Z');
    expect(mondayAfter('2026-09-23T12:00:00.000Z', 'Pacific/Auckland')).toBe('2026-09-27T19:00:00.000Z');
  });

  test('on a Monday is the same day before 8:00, and a week later from 8:00 on [DIGEST-01]', () => {
    const monday = '2026-11-30T07:00:00.000Z';
    expect(mondayAfter(addSeconds(monday, -1), 'Europe/Berlin')).toBe(monday);
    expect(mondayAfter(monday, 'Europe/Berlin')).toBe(addSeconds(monday, 7 * day));
  });

  test('is always a Monday 8:00, at most a week and an hour later [DIGEST-06]', () => {
    fc.assert(
      fc.property(time, zone, (after, of) => {
        const next = mondayAfter(after, of);
        expectMonday(next, of);
        expect(next > after).toBe(true);
        expect(next <= addSeconds(after, 7 * day + hour)).toBe(true);
      }),
    );
  });

  test('is the first Monday 8:00 more than six days after the last email, even if that one was late [DIGEST-06]', () => {
    fc.assert(
      fc.property(time, zone, fc.integer({ min: 0, max: 2 * day }), (before, of, late) => {
        const last = addSeconds(mondayAfter(before, of), late);
        const next = weeklyAfter(last, of);
        expectMonday(next, of);
        expect(next > addSeconds(last, 6 * day)).toBe(true);
        // No earlier Monday would have been late enough.
        expect(next <= addSeconds(last, 13 * day + hour)).toBe(true);
      }),
    );
    expect(weeklyAfter('2026-11-30T07:04:00.000Z', 'Europe/Berlin')).toBe('2026-12-07T07:00:00.000Z');
    expect(weeklyAfter('2026-10-19T06:04:00.000Z', 'Europe/Berlin')).toBe('2026-10-26T07:00:00.000Z');
    expect(weeklyAfter('2026-03-23T07:04:00.000Z', 'Europe/Berlin')).toBe('2026-03-30T06:00:00.000Z');
  });

  test('after a change of the zone is the first Monday 8:00 in the new zone that is more than six days after the last one [DIGEST-06]', () => {
    const until = '2026-11-23T07:00:00.000Z';
    const inZone = (of: string) => weeklyInZone({ until }, of, addSeconds(until, day));
    expect(inZone('America/New_York')).toBe('2026-11-30T13:00:00.000Z');
    expect(inZone('Pacific/Auckland')).toBe('2026-11-29T19:00:00.000Z');
    // Kiritimati is a day ahead of Honolulu, so the Monday there would be exactly six days after the last email.
    const atHonolulu = { until: '2026-11-23T18:00:00.000Z' };
    const now = '2026-11-25T00:00:00.000Z';
    expect(weeklyInZone(atHonolulu, 'Pacific/Kiritimati', now)).toBe('2026-12-06T18:00:00.000Z');
    fc.assert(
      fc.property(time, zone, zone, fc.integer({ min: 0, max: 13 * day }), (before, from, to, moved) => {
        const sent = mondayAfter(before, from);
        const at = weeklyInZone({ until: sent }, to, addSeconds(sent, moved));
        expectMonday(at, to);
        expect(at > addSeconds(sent, Math.max(6 * day, moved))).toBe(true);
        expect(at <= addSeconds(sent, Math.max(6 * day, moved) + 7 * day + hour)).toBe(true);
      }),
    );
  });

  test('before the first email is the next Monday 8:00 in the new zone [DIGEST-01]', () => {
    expect(weeklyInZone({ until: null }, 'Pacific/Auckland', '2026-11-29T18:59:59.000Z')).toBe(
      '2026-11-29T19:00:00.000Z',
    );
  });

  test('is over a day later: its news is left to the next one [DIGEST-06]', () => {
    const until = '2026-11-30T07:00:00.000Z';
    expect(isTooLate(until, addSeconds(until, day))).toBe(false);
    expect(isTooLate(until, addSeconds(until, day + 1))).toBe(true);
  });
});

describe('news of a person with the weekly email', () => {
  const [since, next_at] = ['2026-11-23T07:00:00.000Z', '2026-11-30T07:00:00.000Z'];
  const weekly = { since, next_at, until: since };

  const sent = (starts_at: Instant | undefined) =>
    isSentAtOnce({ created_at: addSeconds(since, day), starts_at }, weekly);

  test('is sent at once if what it is about starts before the next weekly email [DIGEST-04]', () => {
    expect(sent(addSeconds(next_at, -1))).toBe(true);
    expect(sent(next_at)).toBe(false);
    expect(sent(undefined)).toBe(false);
  });

  test('is not sent at once if the last weekly email contains it, also while that one is on its way [DIGEST-04]', () => {
    const starts_at = addSeconds(since, day);
    for (const row of [weekly, { ...weekly, since: addSeconds(since, -7 * day) }]) {
      expect(isSentAtOnce({ created_at: since, starts_at }, row)).toBe(false);
      expect(isSentAtOnce({ created_at: addSeconds(since, 1), starts_at }, row)).toBe(true);
    }
  });

  test('is sent at once if it is from before the choice, because no weekly email will contain it [DIGEST-01]', () => {
    const chosen = { ...weekly, until: null };
    expect(isSentAtOnce({ created_at: since, starts_at: undefined }, chosen)).toBe(true);
    expect(isSentAtOnce({ created_at: addSeconds(since, 1), starts_at: undefined }, chosen)).toBe(false);
  });
});

const lines = (n: number) => Array.from({ length: n }, (_, at) => at);

test('the weekly email shows ten lines for each sender and counts the others [DIGEST-02]', () => {
  expect(shownLines(lines(10))).toEqual({ shown: lines(10), more: 0 });
  expect(shownLines(lines(14))).toEqual({ shown: lines(10), more: 4 });
});
