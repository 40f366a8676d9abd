import { afterEach, expect, test } from 'vitest';
import german from '#languages/de.json' with { type: 'json' };
import { setLook } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import { readDuration } from './duration-text.ts';

addTranslations('de', german);
afterEach(() => setLook({ language: 'en', clock: 'auto' }));

test.each([
  ['90', 90, 'hours'],
  ['90 min', 90, 'minutes'],
  ['90m', 90, 'minutes'],
  ['2 h', 2, 'hours'],
  ['2 Hours', 2, 'hours'],
  ['3 days', 3, 'days'],
  ['1.5 h', 90, 'minutes'],
  ['1,5', 90, 'minutes'],
  ['1 h 30 min', 90, 'minutes'],
  ['1h30', 90, 'minutes'],
  ['1 day 2', 26 * 60, 'minutes'],
  ['99999', 9999, 'hours'],
] as const)('duration: %j is %i %s if the unit was hours [FORMUX-04]', (text, duration, unit) => {
  expect(readDuration(text, 'hours')).toEqual({ duration, unit });
});

test.each(['2 Std.', '2 Stunden', '2 hours'])('duration: in German, %j is two hours [FORMUX-04]', (text) => {
  setLook({ language: 'de', clock: 'auto' });
  expect(readDuration(text, 'minutes')).toEqual({ duration: 2, unit: 'hours' });
});

test.each(['abc', '12abc', '', '-5', '1 h x', 'NaN', 'Infinity', '1e999', '1 h -30 min'])(
  'duration: %j counts as 0 [FORMUX-04 EVENTNEW-12 EVENTNEW-13]',
  (text) => expect(readDuration(text, 'hours')).toEqual({ duration: 0, unit: 'hours' }),
);
