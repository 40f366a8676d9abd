import { repeatText } from '#features/events/repeat-rules.ts';
import type { Series } from '#features/events/series/contract.ts';
import { t } from '#features/events/series/messages.ts';
import { dayMonthYear } from '#wire/format.ts';

/** 'Every Tuesday until 29 Jun 2027', or 'Every Tuesday, 10 times'. */
export function SeriesInWords({ of: series }: { of: Series }) {
  const { ends_on, count } = series;
  const repeats = repeatText(series);
  if (ends_on !== null)
    return <span>{t('repeatsUntil', { repeats, day: dayMonthYear(ends_on, 'UTC') })}</span>;
  return <span>{count === null ? repeats : t('repeatsTimes', { repeats, n: count })}</span>;
}
