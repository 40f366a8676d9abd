import { expect, test } from 'vitest';
import { inLook } from '#wire/look.ts';
import type { Recurrence } from '#features/events/repeat-contract.ts';
import { repeatInSentence, repeatText } from '#features/events/repeat-rules.ts';
import { weekly } from '#test/new-series.ts';
import { second, translate } from '#test/second-language.ts';

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
])('the rule of a series: %j is a sentence, and starts in lower case within one [LANG-02 LANG-24]', (part, text) => {
  const recurrence = { ...weekly, ...part };
  expect(repeatText(recurrence)).toBe(text);
  expect(repeatInSentence(recurrence)).toBe(text.replace(/^./, (first) => first.toLowerCase()));
});

test('the rule of a series: is built from its data in the language of the reader [LANG-24]', () => {
  translate({
    'events.repeat.weekly': '{every, plural, =1 {Jeden {days}} other {Alle # Wochen am {days}}}',
    'events.repeat.weeklyInSentence': '{every, plural, =1 {jeden {days}} other {alle # Wochen am {days}}}',
    'events.repeat.monthlyOnWeekday': 'Am {nth, plural, =-1 {letzten} other {#.}} {weekday}',
  });
  // `Intl` does not know the language and names the days in that of the process.
  const texts = inLook({ language: second, clock: 'auto' }, () => [
    repeatText(weekly),
    repeatInSentence({ ...weekly, every: 3 }),
    repeatText({ ...weekly, freq: 'monthly_weekday', nth: -1 }),
    repeatText({ ...weekly, every: 4, weekdays: [1, 2, 3, 4, 5] }),
  ]);
  expect(texts).toEqual(['Jeden Tuesday', 'alle 3 Wochen am Tuesday', 'Am letzten Tuesday', 'Every 4 weeks on weekdays']);
});
