import type { Break } from '#features/events/series/contract.ts';
import { t } from '#features/events/series/messages.ts';
import { fullDate } from '#wire/format.ts';

/** Days are not instants: they are the same in every time zone. */
const dayInWords = (day: string) => fullDate(day, 'UTC');

/** 'Holidays: no dates from Monday 21 December 2026 to Friday 1 January 2027'. */
export function breakInWords({ name, first_on, last_on }: Break): string {
  const [first, last] = [dayInWords(first_on), dayInWords(last_on)];
  return first === last ? t('noDatesOnBreak', { name, first }) : t('noDatesInBreak', { name, first, last });
}
