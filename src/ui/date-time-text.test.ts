import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import german from '#languages/de.json' with { type: 'json' };
import {
  dateTimePattern,
  dateTimeProblem,
  dateTimeText,
  dayProblem,
  parseDateTime,
} from '#ui/date-time-text.ts';
import { inLook, type Look } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';

addTranslations('de', german);

const english12: Look = { language: 'en', clock: 'auto' };
const english24: Look = { language: 'en', clock: '24' };
const german12: Look = { language: 'de', clock: '12' };
const german24: Look = { language: 'de', clock: 'auto' };
const looks = [english12, english24, german12, german24];

const berlin = 'Europe/Berlin';
/** Monday 23 November 2026, 10:00 in Berlin. */
const now = Date.parse('2026-11-23T09:00:00.000Z');
const read = (text: string, timeZone = berlin) => {
  const date = parseDateTime(text, now, timeZone);
  return date && dateTimeText(date, timeZone);
};

/** How the reader's field, which shows Wednesday 9 December 2026, 18:15, reads a text: '2026-12-24 19:30', or null. */
const readIn = (look: Look, text: string): string | null =>
  inLook(look, () => {
    const date = parseDateTime(text, now, berlin, new Date('2026-12-09T17:15:00.000Z'));
    return date && wallTime(date, berlin).toISOString().slice(0, 16).replace('T', ' ');
  });

const toThursday = [
  '24.12.2026 19:30',
  '24.12.2026, 19:30',
  '24.12.26 19:30',
  '24. 12. 2026 19:30',
  '24.12. 19:30',
  '24.12 19:30',
  '24.12. 19.30',
  '24.12. 19h30',
  '24.12. 19:30h',
  '24/12/2026 19:30',
  '24/12/26 19:30',
  '24/12 19:30',
  '24/12/2026 7:30 PM',
  '12/24/2026 19:30',
  '12/24/2026 7:30 PM',
  '12/24/2026 07:30 pm',
  '12/24/26 7:30pm',
  '12/24 7:30 p.m.',
  '2026-12-24 19:30',
  '2026-12-24T19:30',
  '2026-12-24 7:30 pm',
  '24 dec 7:30pm',
  '24 dec 7.30pm',
  '24dec 19:30',
  '24 Dec. 19:30',
  '24th December 2026, 7:30 PM',
  'Dec 24th, 2026 at 7:30 pm',
  'december 24 19:30',
  'Thursday 24 December 2026, 7:30 pm',
  'Thu, 24.12.2026 19:30',
  'on 24 december at 19:30',
  '19:30 24.12.2026',
  '7:30 PM 12/24/2026',
  '19.30 24 dec',
];

const inEveryLook: [text: string, expected: string | null][] = [
  ...toThursday.map((text): [string, string] => [text, '2026-12-24 19:30']),
  // A time alone keeps the day of the field.
  ['19:30', '2026-12-09 19:30'],
  ['19.30', '2026-12-09 19:30'],
  ['19h30', '2026-12-09 19:30'],
  ['19h', '2026-12-09 19:00'],
  ['7pm', '2026-12-09 19:00'],
  ['7 p.m.', '2026-12-09 19:00'],
  ['at 7pm', '2026-12-09 19:00'],
  ['0:15', '2026-12-09 00:15'],
  ['00:00', '2026-12-09 00:00'],
  ["19 o'clock", '2026-12-09 19:00'],
  ['19 o’clock', '2026-12-09 19:00'],
  ['noon', '2026-12-09 12:00'],
  ['12 pm', '2026-12-09 12:00'],
  ['12 am', '2026-12-09 00:00'],
  // The end of a day is the beginning of the next one.
  ['midnight', '2026-12-10 00:00'],
  ['24:00', '2026-12-10 00:00'],
  ['24 dec 24:00', '2026-12-25 00:00'],
  ['tomorrow midnight', '2026-11-25 00:00'],
  // A day alone keeps the time of the field.
  ['24.12.2026', '2026-12-24 18:15'],
  ['24.12.', '2026-12-24 18:15'],
  ['5.12', '2026-12-05 18:15'],
  ['5.12.', '2026-12-05 18:15'],
  ['24/12/2026', '2026-12-24 18:15'],
  ['12/24/2026', '2026-12-24 18:15'],
  ['12/24/26', '2026-12-24 18:15'],
  ['2026-12-24', '2026-12-24 18:15'],
  ['24 dec', '2026-12-24 18:15'],
  ['dec 24 2026', '2026-12-24 18:15'],
  ['today', '2026-11-23 18:15'],
  ['tomorrow', '2026-11-24 18:15'],
  ['friday', '2026-11-27 18:15'],
  ['fri', '2026-11-27 18:15'],
  ['mon', '2026-11-23 18:15'],
  ['next monday', '2026-11-30 18:15'],
  ['Friday, 27.11.', '2026-11-27 18:15'],
  // Without a year, or with a weekday alone, the text means the next such time; 'next' is in the next week.
  ['tue 7:30 pm', '2026-11-24 19:30'],
  ['tues 19:30', '2026-11-24 19:30'],
  ['19:30 tuesday', '2026-11-24 19:30'],
  ['on tuesday at noon', '2026-11-24 12:00'],
  ['mon 11am', '2026-11-23 11:00'],
  ['mon 9am', '2026-11-30 09:00'],
  ['next tuesday 7pm', '2026-12-01 19:00'],
  ['next tue 19.30', '2026-12-01 19:30'],
  ['next sunday 7pm', '2026-12-06 19:00'],
  ['tomorrow 19:30', '2026-11-24 19:30'],
  ['tomorrow at 7pm', '2026-11-24 19:00'],
  ['7pm tomorrow', '2026-11-24 19:00'],
  ['today 9.10', '2026-11-23 09:10'],
  ['23 nov 9:00', '2027-11-23 09:00'],
  ['29 feb 7pm', '2028-02-29 19:00'],
  ['1 jan noon', '2027-01-01 12:00'],
  // With dots the day is first, with hyphens the year.
  ['03.04.2027 7pm', '2027-04-03 19:00'],
  ['2027-03-04 7pm', '2027-03-04 19:00'],
  ...[
    '',
    '7',
    '19',
    '24 dec 7',
    'tomorrow 7',
    '24:30',
    '25:00',
    '19:60',
    '13pm',
    '0 am',
    '19 pm',
    '7-8',
    '12-24-2026 19:30',
    '32.12. 19:30',
    '13/13/2026 19:30',
    '12.24.2026 19:30',
    '2026/12/24 19:30',
    '2026-24-12 19:30',
    '29.2.2027 10:00',
    'wed 24.12.2026 19:30',
    'someday 7pm',
    'next 24.12. 19:30',
    'next 19:30',
    '19:30 20:30',
    'at',
    "o'clock",
    'tomorrow 7pm or later',
  ].map((text): [string, null] => [text, null]),
];

const inGerman: [text: string, expected: string][] = [
  ['24.12. 19 Uhr', '2026-12-24 19:00'],
  ['24.12. um 19 Uhr', '2026-12-24 19:00'],
  ['24.12. 19:30 Uhr', '2026-12-24 19:30'],
  ['am 24.12. um 19Uhr', '2026-12-24 19:00'],
  ['19 Uhr am 24.12.', '2026-12-24 19:00'],
  ['19:30 am 24.12.', '2026-12-24 19:30'],
  ['24. dez 19:30', '2026-12-24 19:30'],
  ['24.dez. 19 Uhr', '2026-12-24 19:00'],
  ['24. Dezember 2026, 19 Uhr', '2026-12-24 19:00'],
  ['Do., 24. Dezember 2026, 19:30\u00A0Uhr', '2026-12-24 19:30'],
  ['Donnerstag, 24. Dezember', '2026-12-24 18:15'],
  ['do 24.12. 7pm', '2026-12-24 19:00'],
  ['di 19:30', '2026-11-24 19:30'],
  ['Di. 19.30 Uhr', '2026-11-24 19:30'],
  ['dienstag 19 uhr', '2026-11-24 19:00'],
  ['fr', '2026-11-27 18:15'],
  ['Freitag um 20 Uhr', '2026-11-27 20:00'],
  ['nächsten Dienstag 19 Uhr', '2026-12-01 19:00'],
  ['nachste di', '2026-12-01 18:15'],
  ['heute 19 Uhr', '2026-11-23 19:00'],
  ['morgen 19 Uhr', '2026-11-24 19:00'],
  ['morgen', '2026-11-24 18:15'],
  ['morgen mittag', '2026-11-24 12:00'],
  ['Mitternacht', '2026-12-10 00:00'],
  ['24 Uhr', '2026-12-10 00:00'],
  ['0 Uhr', '2026-12-09 00:00'],
  ['19 Uhr', '2026-12-09 19:00'],
  ['3. März', '2027-03-03 18:15'],
  ['3 marz 19h30', '2027-03-03 19:30'],
  ['1. mai 14 uhr', '2027-05-01 14:00'],
  ['30. okt', '2027-10-30 18:15'],
];

/** Texts whose meaning depends on the language or the clock. */
const byLook: [text: string, ...expected: (string | null)[]][] = [
  // English 12, English 24, German 12, German 24
  ['03/04/2027 7pm', '2027-03-04 19:00', '2027-03-04 19:00', '2027-04-03 19:00', '2027-04-03 19:00'],
  ['03/04/2027', '2027-03-04 18:15', '2027-03-04 18:15', '2027-04-03 18:15', '2027-04-03 18:15'],
  ['3/4 19:30', '2027-03-04 19:30', '2027-03-04 19:30', '2027-04-03 19:30', '2027-04-03 19:30'],
  ['12/24/2026 07:30', null, '2026-12-24 07:30', '2026-12-24 07:30', '2026-12-24 07:30'],
  ['24.12.2026 07:30', '2026-12-24 07:30', '2026-12-24 07:30', null, '2026-12-24 07:30'],
  ['12/24/2026 12:15', null, '2026-12-24 12:15', '2026-12-24 12:15', '2026-12-24 12:15'],
  ['12/24/2026 00:15', ...looks.map(() => '2026-12-24 00:15')],
  ['12/24/2026 noon', ...looks.map(() => '2026-12-24 12:00')],
  ["tue 7 o'clock", null, '2026-11-24 07:00', null, '2026-11-24 07:00'],
  ['7 Uhr', null, null, null, '2026-12-09 07:00'],
  ['tue 7:30', ...looks.map(() => '2026-11-24 07:30')],
];

describe('date text of every language and clock', () => {
  test.each(looks)(
    'the table has 120 different texts and is read as expected in %j [LANG-14 UX-14 UX-15]',
    (look) => {
      const at = looks.indexOf(look);
      const rows = [
        ...inEveryLook,
        ...inGerman.map(([text, expected]) => [text, look.language === 'en' ? null : expected] as const),
        ...byLook.map(([text, ...expected]) => [text, expected[at]] as const),
      ];
      expect(new Set(rows.map(([text]) => text)).size).toBeGreaterThanOrEqual(120);
      expect(rows.map(([text]) => [text, readIn(look, text)])).toEqual(rows);
    },
  );

  test.each([
    [english12, 'MM/dd/yyyy hh:mm aa', '12/24/2026 07:30 PM'],
    [english24, 'MM/dd/yyyy HH:mm', '12/24/2026 19:30'],
    [german12, 'TT.MM.JJJJ hh:mm AM/PM', '24.12.2026 07:30 PM'],
    [german24, 'TT.MM.JJJJ HH:mm', '24.12.2026 19:30'],
  ])('in %j a field has the format %s and shows %s [LANG-12 LANG-14 EVENTNEW-25]', (look, pattern, text) => {
    inLook(look, () => {
      expect(dateTimePattern()).toBe(pattern);
      expect(dateTimeText(new Date('2026-12-24T18:30:00.000Z'), berlin)).toBe(text);
    });
  });

  test.each([
    ['today or tomorrow', '19:30', '2026-11-23 19:30'],
    ['today or tomorrow', '9:30', '2026-11-24 09:30'],
    ['noon', 'friday', '2026-11-27 12:00'],
    ['noon', '24.12.2026', '2026-12-24 12:00'],
  ])('an empty field has the default %s: %s is %s [LANG-14]', (_, text, expected) => {
    const date = parseDateTime(text, now, berlin);
    expect(date && wallTime(date, berlin).toISOString().slice(0, 16).replace('T', ' ')).toBe(expected);
  });

  test.each([
    [english12, "We can't read this date and time. Try 21 Jun 7:30 pm or 06/21/2026 07:30 PM."],
    [english24, "We can't read this date and time. Try 21 Jun 19:30 or 06/21/2026 19:30."],
    [
      german12,
      'Dieses Datum verstehen wir nicht. Schreib zum Beispiel 21. Juni 7:30\u00A0PM oder 21.06.2026 07:30 PM.',
    ],
    [
      german24,
      'Dieses Datum verstehen wir nicht. Schreib zum Beispiel 21. Juni 19:30\u00A0Uhr oder 21.06.2026 19:30.',
    ],
  ])('in %j the error %j has examples that the field reads [LANG-14 UX-14]', (look, sentence) => {
    expect(inLook(look, () => dateTimeProblem(null))).toBe(sentence);
    const examples = /(?:Try|Beispiel) (.*) (?:or|oder) (.*)\./.exec(sentence)?.slice(1) ?? [];
    expect(examples.map((text) => readIn(look, text)?.slice(5))).toEqual(['06-21 19:30', '06-21 19:30']);
  });
});

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
    '02/29/2027 07:30 PM',
    '06/21/2026 00:30 AM',
    '06/21/2026 13:00 PM',
    '06/21/2026 07:60 PM',
    '06/21/2026 07:30',
    '24 dec 7',
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

  test('every minute can be formatted and parsed back in every zone, language and clock [EVENTNEW-25 LANG-12 LANG-14]', () => {
    const formats = [
      /^\d{2}\/\d{2}\/\d{4} (0[1-9]|1[0-2]):[0-5]\d [AP]M$/,
      /^\d{2}\/\d{2}\/\d{4} ([01]\d|2[0-3]):[0-5]\d$/,
      /^\d{2}\.\d{2}\.\d{4} (0[1-9]|1[0-2]):[0-5]\d [AP]M$/,
      /^\d{2}\.\d{2}\.\d{4} ([01]\d|2[0-3]):[0-5]\d$/,
    ];
    fc.assert(
      fc.property(dates, zones, fc.constantFrom(...looks), (date, zone, look) =>
        inLook(look, () => {
          const text = dateTimeText(date, zone);
          expect(text).toMatch(formats[looks.indexOf(look)] as RegExp);
          const parsed = parseDateTime(text, now, zone);
          expect(parsed && dateTimeText(parsed, zone)).toBe(text);
          // The field that shows the date reads the same minute again, even if a clock change repeats it.
          const again = parseDateTime(text, now, zone, date);
          expect(again && Math.floor(again.getTime() / 60_000)).toBe(Math.floor(date.getTime() / 60_000));
        }),
      ),
      { numRuns: 400 },
    );
  });

  test('the second occurrence of a repeated time can be typed back [LANG-14]', () => {
    const second = new Date('2026-10-25T01:30:00.000Z');
    const text = dateTimeText(second, berlin);
    expect(parseDateTime(text, now, berlin, second)).toEqual(second);
    expect(parseDateTime(text, now, berlin)).toEqual(new Date('2026-10-25T00:30:00.000Z'));
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
