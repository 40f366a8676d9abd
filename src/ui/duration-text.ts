import { inLook } from '#wire/look.ts';
import { t } from '#ui/date-time-messages.ts';

export type DurationUnit = 'minutes' | 'hours' | 'days';

/** The largest number of a duration. */
const max = 9999;

const minutesIn: Record<DurationUnit, number> = { minutes: 1, hours: 60, days: 24 * 60 };

const unitInLanguage = (word: string): DurationUnit | undefined => {
  const words = { minutes: t('minuteWords'), hours: t('hourWords'), days: t('dayWords') };
  return (['minutes', 'hours', 'days'] as const).find((unit) => words[unit].split(', ').includes(word));
};

/** The unit that a word means in the language of the reader or in English. */
const unitOf = (word: string): DurationUnit | undefined =>
  unitInLanguage(word) ?? inLook({ language: 'en', clock: 'auto' }, () => unitInLanguage(word));

/** The unit of a number without a word: after hours minutes, after days hours. */
const smaller: Partial<Record<DurationUnit, DurationUnit>> = { days: 'hours', hours: 'minutes' };

/** The numbers of a duration with their units. Undefined if a word is no unit. */
function partsOf(text: string, unit: DurationUnit): { count: number; unit: DurationUnit }[] | undefined {
  let next: DurationUnit | undefined = unit;
  const parts = [];
  for (const [, number = '', word = ''] of text.matchAll(/(\d+(?:[.,]\d+)?)\s*(\p{L}*)/gu)) {
    const named: DurationUnit | undefined = word ? unitOf(word) : next;
    if (!named) return undefined;
    parts.push({ count: Number(number.replace(',', '.')), unit: named });
    next = smaller[named];
  }
  return parts;
}

/**
 * Reads '90', '90 min', '1.5 h', '1,5 Std.', '1 h 30 min' and '1 h 30'. A single number has the given unit. Everything
 * else counts as 0.
 */
export function readDuration(text: string, unit: DurationUnit): { duration: number; unit: DurationUnit } {
  const isDuration = /^(\s*\d+([.,]\d+)?\s*\p{L}*\.?)+\s*$/u.test(text);
  const parts = isDuration ? (partsOf(text.toLowerCase(), unit) ?? []) : [];
  const [first, second] = parts;
  if (!first) return { duration: 0, unit };
  if (!second && Number.isInteger(first.count))
    return { duration: Math.min(max, first.count), unit: first.unit };
  const minutes = parts.reduce((sum, part) => sum + part.count * minutesIn[part.unit], 0);
  return { duration: Math.min(max, Math.round(minutes)), unit: 'minutes' };
}
