import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dateTimeProblem, dateTimeText, dayProblem, parseDateTime } from '#ui/date-time-text.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';

const berlin = 'Europe/Berlin';
/** Monday 23 November 2026, 10:00 in Berlin. */
const now = Date.parse('2026-11-23T09:00:00.000Z');
const read = (text: string, timeZone = berlin) => {
  const date = parseDateTime(text, now, timeZone);
  return date && dateTimeText(date, timeZone);
};

describe('date text', () => {
  test.each([
    ['12/24/2026 07:30 PM', '12/24/2026 07:30 PM'],
    ['12/24/2026 19:30', '12/24/2026 07:30 PM'],
    ['24.12.2026 19:30', '12/24/2026 07:30 PM'],
    ['24.12.26 19:30', '12/24/2026 07:30 PM'],
    ['2026-12-24 19:30', '12/24/2026 07:30 PM'],
    ['2026-12-24T19:30', '12/24/2026 07:30 PM'],
    ['24 Dec 7pm', '12/24/2026 07:00 PM'],
    ['24 Dec 7 PM', '12/24/2026 07:00 PM'],
    ['24. december 2026 7:30 p.m.', '12/24/2026 07:30 PM'],
    ['Dec 24th, 2026 at 7:30 pm', '12/24/2026 07:30 PM'],
    ['Thursday 24 December 2026, 7:30 pm', '12/24/2026 07:30 PM'],
    ['tue 7:30 pm', '11/24/2026 07:30 PM'],
    ['19:30 Tuesday', '11/24/2026 07:30 PM'],
    ['mon 11am', '11/23/2026 11:00 AM'],
    ['mon 9am', '11/30/2026 09:00 AM'],
    ['tomorrow 19:30', '11/24/2026 07:30 PM'],
    ['today 7pm', '11/23/2026 07:00 PM'],
    ['today 7am', '11/23/2026 07:00 AM'],
    ['tomorrow noon', '11/24/2026 12:00 PM'],
    ['tomorrow 12 pm', '11/24/2026 12:00 PM'],
    ['tomorrow 12 am', '11/24/2026 12:00 AM'],
    ['tomorrow 00:30', '11/24/2026 12:30 AM'],
    ['23 nov 9:00', '11/23/2027 09:00 AM'],
    ['23.11. 11:00', '11/23/2026 11:00 AM'],
    ['29 feb 7pm', '02/29/2028 07:00 PM'],
    ['02/29/2028 07:00 PM', '02/29/2028 07:00 PM'],
  ])('%j is read as %s [UX-14]', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['04/05/2027 7pm', '04/05/2027 07:00 PM'],
    ['04.05.2027 7pm', '05/04/2027 07:00 PM'],
    ['2027-04-05 7pm', '04/05/2027 07:00 PM'],
  ])(
    'the month comes first with slashes, the day with dots, the year with hyphens: %j is %s [UX-15]',
    (text, expected) => {
      expect(read(text)).toBe(expected);
    },
  );

  test.each([
    '',
    'tomorrow',
    '13/01/2026 07:30 PM',
    '02/29/2027 07:30 PM',
    '06/21/2026 00:30 AM',
    '06/21/2026 13:00 PM',
    '06/21/2026 07:60 PM',
    '06/21/26 07:30 PM',
    '06/21/2026 07:30',
    '7pm',
    '24 dec 7',
    '24 dec 24:00',
    '12.24.2026 19:30',
    '2026/12/24 19:30',
    '31.4.2027 10:00',
    '0.1.2027 10:00',
    '29.2.2027 10:00',
    'Friday 24 December 2026, 7:30 pm',
    'someday 7pm',
    'tomorrow 7pm or later',
  ])('%j is not a valid date and time [EVENTNEW-25 UX-14]', (text) => {
    expect(read(text)).toBeNull();
  });

  test.each([
    // A time skipped by daylight saving moves one hour ahead; of a repeated hour the first one counts.
    ['03/28/2027 01:30 AM', 'Europe/London', '2027-03-28T01:30:00.000Z'],
    ['10/31/2027 01:30 AM', 'Europe/London', '2027-10-31T00:30:00.000Z'],
    ['03/14/2027 02:30 AM', 'America/New_York', '2027-03-14T07:30:00.000Z'],
    ['11/07/2027 01:30 AM', 'America/New_York', '2027-11-07T05:30:00.000Z'],
    ['03/28/2027 09:00 AM', 'Europe/London', '2027-03-28T08:00:00.000Z'],
    ['04/04/2027 01:45 AM', 'Australia/Lord_Howe', '2027-04-03T14:45:00.000Z'],
    ['tomorrow 00:30', 'Pacific/Kiritimati', '2026-11-23T10:30:00.000Z'],
  ])('%s in %s is parsed as %s [C15]', (typed, timeZone, instant) => {
    expect(parseDateTime(typed, now, timeZone)?.toISOString()).toBe(instant);
  });

  test('a day that the time zone skipped is rejected, not moved to another day [UX-14]', () => {
    expect(read('30.12.2011 10:00', 'Pacific/Apia')).toBeNull();
    expect(read('31.12.2011 10:00', 'Pacific/Apia')).toBe('12/31/2011 10:00 AM');
  });

  const zones = fc.constantFrom(
    'UTC',
    berlin,
    'America/New_York',
    'America/Sao_Paulo',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Antarctica/Troll',
    'Africa/Cairo',
    'Pacific/Apia',
    'Pacific/Chatham',
  );
  const dates = fc.date({
    min: new Date(Date.UTC(1970, 0, 2)),
    max: new Date(Date.UTC(2999, 0, 1)),
    noInvalidDate: true,
  });

  test('every minute can be formatted and parsed back in every zone [EVENTNEW-25]', () => {
    fc.assert(
      fc.property(dates, zones, (date, zone) => {
        const text = dateTimeText(date, zone);
        expect(text).toMatch(/^\d{2}\/\d{2}\/\d{4} (0[1-9]|1[0-2]):[0-5]\d [AP]M$/);
        const parsed = parseDateTime(text, now, zone);
        expect(parsed && dateTimeText(parsed, zone)).toBe(text);
      }),
    );
  });

  test('every format of a date is parsed as the same day, and a time that exists on that day is kept [UX-14 UX-15]', () => {
    fc.assert(
      fc.property(dates, zones, (wall, zone) => {
        wall.setUTCSeconds(0, 0);
        const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth() + 1, wall.getUTCDate()];
        const time = wall.toISOString().slice(11, 16);
        const inWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(wall);
        const exists = wallTime(atWallTime(wall, zone), zone).getTime() === wall.getTime();
        for (const text of [
          `${day}.${month}.${year} ${time}`,
          `${year}-${month}-${day} ${time}`,
          `${inWords}, ${time}`,
          `${time} ${inWords}`,
        ]) {
          const parsed = parseDateTime(text, now, zone);
          const shown = parsed && wallTime(parsed, zone).toISOString();
          // Null if the zone skipped the day.
          expect([wall.toISOString().slice(0, 10), undefined]).toContain(shown?.slice(0, 10));
          if (exists) expect(shown).toBe(wall.toISOString());
        }
      }),
    );
  });

  test('a text without a year, or with only a day of the week, means the next such time in the future [UX-14]', () => {
    const days = fc.constantFrom('sun', 'monday', 'tues', '1 jan', 'feb 28', '30.6.', '31 Oct');
    const times = fc.nat(24 * 60 - 1).map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16));
    fc.assert(
      fc.property(days, times, dates, zones, (day, time, at, zone) => {
        const ahead = Number(parseDateTime(`${day} ${time}`, at, zone)) - at.getTime();
        expect(ahead).toBeGreaterThan(0);
        expect(ahead / 86_400_000).toBeLessThan(/\d/.test(day) ? 367 : 8);
      }),
    );
  });

  test('any text is parsed as an existing time or null [UX-14]', () => {
    const words =
      'tue today dec 24 2026 24.12. 12/24/2026 2026-12-24 19:30 7 pm 7pm at , noon 99 0 / . - Ω ١';
    const tokens = fc.constantFrom(...words.split(' '));
    const texts = fc.oneof(
      fc.string(),
      fc.array(tokens, { maxLength: 6 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(texts, zones, (text, zone) => {
        const parsed = parseDateTime(text, now, zone);
        if (parsed) expect(parseDateTime(dateTimeText(parsed, zone), now, zone)).not.toBeNull();
      }),
    );
  });
});

test('date problem: reported for unreadable text and for years outside 2000 to 2200 [T44]', () => {
  const years = 'Choose a year from 2000 to 2200.';
  expect(dateTimeProblem(null)).toMatch(/^We can't read/);
  expect(dateTimeProblem(undefined)).toBeUndefined();
  expect(['1999', '2000', '2200', '2201'].map((year) => dateTimeProblem(new Date(`${year}-06-01`)))).toEqual([
    years,
    undefined,
    undefined,
    years,
  ]);
  expect(['', '0206-05-01', '2000-01-01', '2201-01-01'].map(dayProblem)).toEqual([
    undefined,
    years,
    undefined,
    years,
  ]);
});
