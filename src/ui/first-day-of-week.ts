import { look } from '#wire/look.ts';

type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** The first day of the week where the reader's language is spoken: Sunday is 0. Some browsers know it for no language. */
export function firstDayOfWeek(): Weekday {
  const { language } = look();
  const locale: Intl.Locale & { getWeekInfo?(): { firstDay: number } } = new Intl.Locale(
    // As in all English dates but those in numbers.
    language === 'en' ? 'en-GB' : language,
  );
  // oxlint-disable-next-line no-restricted-properties -- Without it, weeks begin on Monday.
  return ((locale.getWeekInfo?.().firstDay ?? 1) % 7) as Weekday;
}
