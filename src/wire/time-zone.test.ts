import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { canonicalTimeZone, editedTimeZone, isTimeZone, TimeZone, timeZones } from '#wire/time-zone.ts';

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['US/Pacific-New', 'America/Los_Angeles'],
  ['PLT', 'Asia/Karachi'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['GMT', 'UTC'],
  ['Pacific/Apia', 'Pacific/Apia'],
])('time zone: %s is stored as %s [T45]', (name, canonical) => {
  expect(TimeZone.parse(name)).toBe(canonical);
  expect(editedTimeZone(name, canonical)).toBe(name);
});

test.each([
  '',
  'Europe/Atlantis',
  '+01:00',
  '-05',
  'Europe/London; drop',
  '🕰',
  'Factory',
  'Z',
  'x'.repeat(65),
])('time zone: rejects "%s" [T45]', (name) => {
  expect(TimeZone.safeParse(name).success).toBe(false);
  expect(isTimeZone(name)).toBe(false);
});

test('time zone: the canonical name of every zone is its own canonical name, and has the same clock [T45]', () => {
  const times = ['1999-07-01T00:00Z', '2027-01-01T00:00Z', '2027-07-01T00:00Z'].map((time) =>
    Temporal.Instant.from(time),
  );
  const canonicalNames = new Set(timeZones());
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const canonical = canonicalTimeZone(name) ?? '';
    expect(canonicalTimeZone(canonical)).toBe(canonical);
    expect(canonicalNames).toContain(canonical);
    for (const time of times)
      expect(time.toZonedDateTimeISO(canonical).offset, name).toBe(time.toZonedDateTimeISO(name).offset);
  }
});

test.each(['Europe/London', 'America/New_York', 'UTC', 'America/Argentina/Buenos_Aires'])(
  'time zone: accepts %s',
  (name) => expect(isTimeZone(name)).toBe(true),
);

test.each(['', 'Europe/Atlantis', '+01:00', '-05', 'Europe/London; drop', ' UTC', '🕰'])(
  'time zone: rejects "%s"',
  (name) => expect(isTimeZone(name)).toBe(false),
);
