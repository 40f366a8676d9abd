import { weekdayName } from '#wire/format.ts';
import { listOf } from '#wire/messages.ts';
import type { Recurrence } from '#features/events/time-contract.ts';
import { t } from '#features/events/repeat-messages.ts';

/** 'Every Tuesday', 'Every two weeks on Tuesday', 'Monthly on the last Friday'. */
export const repeatText = (recurrence: Recurrence): string => textOf(recurrence, false);

/** 'every Tuesday', for the middle of a sentence. */
export const repeatInSentence = (recurrence: Recurrence): string => textOf(recurrence, true);

function textOf({ freq, every, weekdays, month_day, nth }: Recurrence, isInside: boolean): string {
  const days = [...weekdays].sort((a, b) => a - b);
  if (freq === 'weekly') {
    if (days.length === 7) return t(isInside ? 'dailyInSentence' : 'daily', { every });
    if (String(days) === '1,2,3,4,5') return t(isInside ? 'onWeekdaysInSentence' : 'onWeekdays', { every });
    const names = listOf(days.map(weekdayName));
    return t(isInside ? 'weeklyInSentence' : 'weekly', { every, days: names });
  }
  if (freq === 'monthly_weekday') {
    const values = { every, nth: nth ?? 1, weekday: weekdayName(days[0] ?? 1) };
    return t(isInside ? 'monthlyOnWeekdayInSentence' : 'monthlyOnWeekday', values);
  }
  if (month_day === 31) return t(isInside ? 'monthlyOnLastDayInSentence' : 'monthlyOnLastDay', { every });
  return t(isInside ? 'monthlyOnDayInSentence' : 'monthlyOnDay', { every, day: month_day ?? 1 });
}
