import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { durationWords, remaining } from '#wire/duration.ts';
import texts from '#languages/de.json' with { type: 'json' };
import { shortestRun } from '#test/hostile-text.ts';
import { inLook, type Look } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import {
  dateTile,
  dayHead,
  dayKey,
  dayMonthYear,
  eventDayAndTime,
  eventSpan,
  eventTime,
  fullDate,
  isToday,
  monthHead,
  longDate,
  longDateInSentence,
  monthYear,
  relativeTime,
  sameClock,
  shortDate,
  shortDay,
  timeOfDay,
  truncate,
} from '#wire/format.ts';

const now = '2026-06-21T12:00:00.000Z';
const ago = (seconds: number) => Date.parse(now) - seconds * 1000;
const london = 'Europe/London';

describe('relative time', () => {
  test.each([
    [0, 'just now'],
    [59, 'just now'],
    [-30, 'just now'],
  ])('%i seconds ago is just now [CONST-01]', (seconds, words) => {
    expect(relativeTime(ago(seconds), now)).toBe(words);
  });
  test.each([
    [60, '1m ago'],
    [119, '1m ago'],
    [3599, '59m ago'],
  ])('%i seconds ago is shown in minutes [CONST-02]', (seconds, words) => {
    expect(relativeTime(ago(seconds), now)).toBe(words);
  });
  test.each([
    [3600, '1h ago'],
    [86_399, '23h ago'],
  ])('%i seconds ago is shown in hours [CONST-03]', (seconds, words) => {
    expect(relativeTime(ago(seconds), now)).toBe(words);
  });
  test.each([
    [86_400, '1d ago'],
    [604_799, '6d ago'],
  ])('%i seconds ago is shown in days [CONST-04]', (seconds, words) => {
    expect(relativeTime(ago(seconds), now)).toBe(words);
  });
  test.each([
    [604_800, london, '14 Jun 2026'],
    [604_800, 'Pacific/Kiritimati', '15 Jun 2026'],
    [31_536_000, london, '21 Jun 2025'],
  ])('%i seconds ago is a date in %s [CONST-05]', (seconds, zone, words) => {
    expect(relativeTime(ago(seconds), now, zone)).toBe(words);
  });
  test('never shows a smaller unit for a greater age [CONST-01 CONST-02 CONST-03 CONST-04 CONST-05]', () => {
    const units = ['just now', 'm ago', 'h ago', 'd ago', ' 2026'];
    const rank = (words: string) => units.findIndex((end) => words.endsWith(end));
    fc.assert(
      fc.property(fc.nat(2_000_000), fc.nat(2_000_000), (a, b) => {
        const [younger, older] = a < b ? [a, b] : [b, a];
        expect(rank(relativeTime(ago(younger), now, london))).toBeLessThanOrEqual(
          rank(relativeTime(ago(older), now, london)),
        );
      }),
    );
  });
});

test.each([
  ['2026-06-21T12:00:00Z', now, london, 'Today'],
  ['2026-06-21T00:30:00Z', now, london, 'Today'],
  ['2026-06-21T22:59:00Z', now, london, 'Today'],
  ['2026-06-21T23:00:00Z', now, london, 'Tomorrow'],
  ['2026-06-22T22:59:00Z', now, london, 'Tomorrow'],
  ['2026-06-22T23:00:00Z', now, london, 'Tuesday 23 June 2026'],
  ['2026-06-20T12:00:00Z', now, london, 'Saturday 20 June 2026'],
  ['2026-06-22T01:00:00Z', now, 'America/New_York', 'Today'],
  // Days of 23 and of 25 hours, when the clocks change.
  ['2026-03-29T22:59:00Z', '2026-03-28T23:30:00Z', london, 'Tomorrow'],
  ['2026-10-25T23:30:00Z', '2026-10-24T22:59:00Z', london, 'Tomorrow'],
  ['2027-01-01T10:00:00Z', '2026-12-31T10:00:00Z', london, 'Tomorrow'],
])('longDate: %s, seen at %s in %s, is %s [EVENT-19]', (time, at, zone, words) => {
  expect(longDate(time, at, zone)).toBe(words);
});

test.each([
  ['2026-06-21T18:30:00Z', london, '7:30 pm'],
  ['2026-06-21T11:00:00Z', london, '12:00 pm'],
  ['2026-06-20T23:05:00Z', london, '12:05 am'],
  ['2026-06-21T08:09:00Z', london, '9:09 am'],
  ['2026-06-21T18:30:00Z', 'America/New_York', '2:30 pm'],
  ['2026-06-21T18:30:00Z', 'Asia/Kolkata', '12:00 am'],
])('timeOfDay: %s in %s is %s [EVENT-20]', (time, zone, words) => {
  expect(timeOfDay(time, zone)).toBe(words);
});

test('timeOfDay: is unique for every minute of a day [EVENT-20]', () => {
  const times = Array.from({ length: 1440 }, (_, minute) =>
    timeOfDay(Date.UTC(2026, 5, 21, 0, minute), 'UTC'),
  );
  expect(new Set(times).size).toBe(1440);
  for (const time of times) expect(time).toMatch(/^([1-9]|1[0-2]):[0-5]\d (am|pm)$/);
});

test('shortDate: is the day and the short month in British format [CONST-10]', () => {
  expect(shortDate('2026-06-21T12:00:00Z', london)).toBe('21 Jun');
  expect(shortDate('2026-01-01T23:30:00Z', 'Asia/Tokyo')).toBe('2 Jan');
});

test('dayMonthYear: is the day, short month and year [UPDATES-04 CONST-10]', () => {
  expect(dayMonthYear('2026-06-01T12:00:00Z', london)).toBe('1 Jun 2026');
  expect(dayMonthYear('2025-12-31T23:30:00Z', 'Europe/Paris')).toBe('1 Jan 2026');
});

test('monthYear: is the month and the year in American format [CLUB-20]', () => {
  expect(monthYear('2026-06-21T12:00:00Z', london)).toBe('June 2026');
  expect(monthYear('2026-06-30T23:30:00Z', london)).toBe('July 2026');
});

test.each([
  [7 * 86_400, '7d 0h 0m'],
  [86_400 + 2 * 3600 + 3 * 60 + 59, '1d 2h 3m'],
  [59, '0d 0h 0m'],
  [-1, '0d 0h 0m'],
])('remaining: %i seconds are shown as %s [INVITEDLG-05]', (seconds, words) => {
  expect(remaining(Date.parse(now) + seconds * 1000, now)).toBe(words);
});

test('remaining: adds up to the total number of whole minutes [INVITEDLG-05]', () => {
  fc.assert(
    fc.property(fc.nat(100_000_000), (seconds) => {
      const [days = 0, hours = 0, minutes = 0] = remaining(seconds * 1000, 0)
        .split(' ')
        .map(Number.parseFloat);
      expect(hours).toBeLessThan(24);
      expect(minutes).toBeLessThan(60);
      expect((days * 24 + hours) * 60 + minutes).toBe(Math.floor(seconds / 60));
    }),
  );
});

test.each([
  [45, '45 min'],
  [60, '1 h'],
  [90, '1 h 30 min'],
  [1440, '1 day'],
  [2 * 1440 + 180, '2 days 3 h'],
  [0, '0 min'],
])('durationWords: %i minutes are %s', (minutes, words) => {
  expect(durationWords(now, Date.parse(now) + minutes * 60_000)).toBe(words);
});

test('truncate: keeps a text of 70 characters and cuts a longer one there [EVENT-27]', () => {
  expect(truncate('x'.repeat(70), 70)).toBe('x'.repeat(70));
  expect(truncate('x'.repeat(71), 70)).toBe(`${'x'.repeat(70)}…`);
  expect(truncate('', 70)).toBe('');
});

test('truncate: segments a long text only up to the limit', () => {
  const long = '👨‍👩‍👧'.repeat(300_000);
  const whole = shortestRun(() => [...new Intl.Segmenter('en').segment(long)], Infinity);
  expect(shortestRun(() => truncate(long, 70), whole / 3)).toBeLessThan(whole / 3);
});

test('dayHead: depends on the current time and the time zone', () => {
  const time = '2026-06-21T23:30:00.000Z';
  const heads = () => [dayHead(time, '2026-06-21T12:00:00.000Z'), dayHead(time, '2026-06-20T12:00:00.000Z')];
  expect(inLook({ language: 'en', clock: 'auto', timeZone: 'UTC' }, heads)).toEqual(['Today', 'Tomorrow']);
  expect(inLook({ language: 'en', clock: 'auto', timeZone: 'Asia/Kathmandu' }, heads)).toEqual([
    'Tomorrow',
    'Monday 22 June',
  ]);
  expect(inLook({ language: 'en', clock: 'auto', timeZone: 'UTC' }, heads)).toEqual(['Today', 'Tomorrow']);
});

test.each([
  ['2026-06-21T18:00:00Z', 'today'],
  ['2026-06-22T18:00:00Z', 'tomorrow'],
  ['2026-06-23T18:00:00Z', 'Tuesday 23 June 2026'],
])('longDateInSentence: %s is %s in the middle of a sentence', (time, words) => {
  expect(longDateInSentence(time, now)).toBe(words);
});

const german: Look = { language: 'de', clock: 'auto', timeZone: 'Europe/Berlin' };
const at = '2026-12-24T18:30:00.000Z';

test.each<[() => unknown, unknown]>([
  [() => fullDate(at), 'Donnerstag, 24. Dezember 2026'],
  [() => shortDay(at), 'Do., 24. Dez.'],
  [() => dayHead(at, now), 'Donnerstag, 24. Dezember'],
  [() => dayHead(at, '2025-06-21T12:00:00.000Z'), 'Donnerstag, 24. Dezember 2026'],
  [() => monthHead(at, now), 'Dezember'],
  [() => monthYear(at), 'Dezember 2026'],
  [() => dayMonthYear(at), '24. Dez. 2026'],
  [() => timeOfDay(at), '19:30\u00a0Uhr'],
  [() => dateTile(at), { weekday: 'Do.', day: '24', month: 'Dez.' }],
])('dates in German: %s is %j [LANG-13]', (format, written) => {
  addTranslations('de', texts);
  expect(inLook(german, format)).toEqual(written);
});

test.each([
  ['en', 'auto', '7:30 pm'],
  ['en', '12', '7:30 pm'],
  ['en', '24', '19:30'],
  ['de', 'auto', '19:30\u00a0Uhr'],
  ['de', '24', '19:30\u00a0Uhr'],
  ['de', '12', '7:30\u00a0PM'],
] as const)('timeOfDay: in %s with the clock %s is %s [LANG-12]', (language, clock, written) => {
  addTranslations('de', texts);
  expect(inLook({ ...german, language, clock }, () => timeOfDay(at))).toBe(written);
});

const inZone = (timeZone: string | undefined) => ({ language: 'en', clock: 'auto', timeZone }) as const;

const span = (start: string, end: string, zone: string) => ({
  start_time: start,
  end_time: end,
  time_zone: zone,
});

describe('the time of an event', () => {
  const year = new Date().getUTCFullYear();
  test.each([
    ['Europe/Berlin', 'Europe/Berlin', '7:30 pm to 9:00 pm'],
    ['Europe/Paris', 'Europe/Berlin', '7:30 pm to 9:00 pm'],
    ['Europe/London', 'Europe/Berlin', '6:30 pm to 8:00 pm (7:30 pm to 9:00 pm in Berlin)'],
    ['America/New_York', 'Europe/Berlin', '1:30 pm to 3:00 pm (7:30 pm to 9:00 pm in Berlin)'],
    ['Europe/Berlin', 'America/New_York', '7:30 pm to 9:00 pm (1:30 pm to 3:00 pm in New York)'],
    [undefined, 'Europe/Berlin', '7:30 pm to 9:00 pm'],
  ])('for a reader in %s and an event in %s is %s [LANG-15]', (reader, zone, written) => {
    const times = span(`${year}-11-24T18:30:00Z`, `${year}-11-24T20:00:00Z`, zone);
    const day = inLook(inZone(reader), () => shortDay(times.start_time, reader ?? zone));
    expect(inLook(inZone(reader), () => eventSpan(times))).toBe(`${day}, ${written}`);
  });

  test('is a span with one word for the time in German [LANG-13]', () => {
    addTranslations('de', texts);
    const times = span(`${year}-11-24T18:30:00Z`, `${year}-11-24T20:00:00Z`, 'Europe/Berlin');
    expect(inLook(german, () => eventSpan(times))).toMatch(/, 19:30 bis 21:00\u00a0Uhr$/);
  });

  test('names the day of the event where it differs [LANG-15]', () => {
    const time = `${year}-11-24T15:30:00Z`;
    expect(inLook(inZone('Pacific/Auckland'), () => eventTime(time, 'Europe/Berlin'))).toBe(
      `4:30 am (${shortDay(time, 'Europe/Berlin')}, 4:30 pm in Berlin)`,
    );
  });

  test.each([
    ['2026-10-25T00:30:00Z', '2:30 am (1:30 am in London)'],
    ['2026-10-25T01:30:00Z', '2:30 am (1:30 am in London)'],
    ['2026-03-29T00:59:00Z', '1:59 am (12:59 am in London)'],
    ['2026-03-29T01:00:00Z', '3:00 am (2:00 am in London)'],
  ])('at %s, beside a clock change, is %s [LANG-15]', (time, written) => {
    expect(inLook(inZone('Europe/Berlin'), () => eventTime(time, 'Europe/London'))).toBe(written);
  });

  test('shows the year unless it is the current one [LANG-16]', () => {
    expect(eventDayAndTime(`${year}-06-24T12:00:00Z`, 'UTC')).not.toContain(String(year));
    expect(eventDayAndTime(`${year + 1}-06-24T12:00:00Z`, 'UTC')).toContain(` ${year + 1}, 12:00 pm`);
    expect(eventDayAndTime(`${year - 1}-06-24T12:00:00Z`, 'UTC')).toContain(` ${year - 1}, 12:00 pm`);
  });
});

test('truncate: never splits a grapheme and never exceeds the limit [EVENT-27]', () => {
  const family = '👨‍👩‍👧';
  expect(truncate(family.repeat(70), 70)).toBe(family.repeat(70));
  expect(truncate(family.repeat(71), 70)).toBe(`${family.repeat(70)}…`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (text) => {
      const cut = truncate(text, 70);
      expect(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1)))).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
    }),
  );
});

test('dateTile, dayKey, sameClock: depend on the time zone', () => {
  const lateEvening = '2026-06-21T23:30:00Z';
  expect(dateTile(lateEvening, london)).toEqual({ weekday: 'Mon', day: '22', month: 'Jun' });
  expect(dayKey(lateEvening, london)).toBe('2026-06-22');
  expect(dayKey(lateEvening, 'UTC')).toBe('2026-06-21');
  expect(sameClock(lateEvening, london, 'Europe/Jersey')).toBe(true);
  expect(sameClock(lateEvening, london, 'Europe/Paris')).toBe(false);
});

test('dateTile: has the short day of the week in the time zone', () => {
  expect(dateTile('2026-06-01T23:30:00Z', 'UTC').weekday).toBe('Mon');
  expect(dateTile('2026-06-01T23:30:00Z', 'Europe/Berlin').weekday).toBe('Tue');
});

test.each([
  ['2026-06-20T23:59', false],
  ['2026-06-21T00:00', true],
  ['2026-06-21T23:59', true],
  ['2026-06-22T00:00', false],
])('isToday: at noon on 21 June, %s gives %s', (time, expected) => {
  expect(isToday(time, '2026-06-21T12:00')).toBe(expected);
});
