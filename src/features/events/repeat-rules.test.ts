import { expect, test } from 'vitest';
import { loadLanguages } from '#platform/languages.ts';
import { inLook } from '#wire/look.ts';
import type { Recurrence } from '#features/events/time-contract.ts';
import { repeatInSentence, repeatText } from '#features/events/repeat-rules.ts';
import { weekly } from '#test/new-series.ts';

const onDay = (month_day: number): Partial<Recurrence> => ({ freq: 'monthly_day', weekdays: [], month_day });
const onWeekday = (nth: number, weekday: number): Partial<Recurrence> => ({
  freq: 'monthly_weekday',
  weekdays: [weekday],
  nth,
});

test.each<[Partial<Recurrence>, string]>([
  [{}, 'Every Tuesday'],
  [{ weekdays: [4, 2] }, 'Every Tuesday and Thursday'],
  [{ weekdays: [1, 3, 5] }, 'Every Monday, Wednesday and Friday'],
  [{ weekdays: [5, 4, 3, 2, 1] }, 'Every weekday'],
  [{ weekdays: [1, 2, 3, 4, 5, 6, 7] }, 'Every day'],
  [{ every: 2 }, 'Every two weeks on Tuesday'],
  [{ every: 3, weekdays: [1, 2, 3, 4, 5] }, 'Every 3 weeks on weekdays'],
  [{ every: 2, weekdays: [1, 2, 3, 4, 5, 6, 7] }, 'Every two weeks on every day'],
  [onDay(24), 'Monthly on the 24th'],
  [onDay(1), 'Monthly on the 1st'],
  [onDay(22), 'Monthly on the 22nd'],
  [onDay(31), 'Monthly on the last day'],
  [{ ...onDay(3), every: 2 }, 'Every two months on the 3rd'],
  [onWeekday(4, 2), 'Monthly on the fourth Tuesday'],
  [{ ...onWeekday(-1, 5), every: 6 }, 'Every 6 months on the last Friday'],
])(
  'the rule of a series: %j is a sentence, and starts in lower case within one [LANG-02 LANG-24]',
  (part, text) => {
    const recurrence = { ...weekly, ...part };
    expect(repeatText(recurrence)).toBe(text);
    expect(repeatInSentence(recurrence)).toBe(text.replace(/^./, (first) => first.toLowerCase()));
  },
);

test('the rule of a series: is built from its data in the language of the reader [LANG-24]', async () => {
  await loadLanguages();
  const texts = inLook({ language: 'de', clock: 'auto' }, () => [
    repeatText(weekly),
    repeatText({ ...weekly, weekdays: [4, 2], every: 2 }),
    repeatText({ ...weekly, ...onDay(24) }),
    repeatText({ ...weekly, ...onWeekday(-1, 5), every: 3 }),
    repeatInSentence(weekly),
  ]);
  expect(texts).toEqual([
    'Jeden Dienstag',
    'Alle zwei Wochen am Dienstag und Donnerstag',
    'Monatlich am 24.',
    'Alle 3 Monate am letzten Freitag',
    'jeden Dienstag',
  ]);
});
