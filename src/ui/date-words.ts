import { t } from '#ui/date-time-messages.ts';
import { readersFormat } from '#wire/cached-format.ts';
import { inLook, type Look } from '#wire/look.ts';

const english: Look = { language: 'en', clock: 'auto' };

/** Text in lower case without accents, so that 'marz' equals 'März'. */
export const folded = (text: string): string =>
  text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'");

const names = {
  weekday: {
    formats: { long: readersFormat({ weekday: 'long' }), short: readersFormat({ weekday: 'short' }) },
    // 1 January 2023 was a Sunday.
    dates: Array.from({ length: 7 }, (_, weekday) => Date.UTC(2023, 0, 1 + weekday)),
  },
  month: {
    formats: { long: readersFormat({ month: 'long' }), short: readersFormat({ month: 'short' }) },
    dates: Array.from({ length: 12 }, (_, month) => Date.UTC(2023, month)),
  },
};

/** The name of the weekday of a date in UTC. */
export const weekdayName = (date: number, length: 'long' | 'short'): string =>
  names.weekday.formats[length]('UTC').format(date);

/** The index of the name that equals the word, or of the only one that begins with its at least three letters, or -1. */
function indexInLanguage(kind: keyof typeof names, word: string): number {
  const { formats, dates } = names[kind];
  const forms = dates.map((date) =>
    [formats.long, formats.short].map((format) => folded(format('UTC').format(date)).replace('.', '')),
  );
  const equal = forms.findIndex((each) => each.includes(word));
  if (equal >= 0 || word.length < 3) return equal;
  const beginning = forms.map((each) => each.some((name) => name.startsWith(word)));
  return beginning.indexOf(true) === beginning.lastIndexOf(true) ? beginning.indexOf(true) : -1;
}

/** The index of a weekday (Sunday is 0) or month by its name in the language of the reader or in English, or -1. */
export function indexOfName(kind: keyof typeof names, word: string): number {
  const index = indexInLanguage(kind, word);
  return index >= 0 ? index : inLook(english, () => indexInLanguage(kind, word));
}

const meanings = ['today', 'tomorrow', 'next', 'noon', 'midnight', 'at', 'oclock'] as const;

const meaningInLanguage = (word: string) =>
  meanings.find((meaning) =>
    folded(t(meaning))
      .split(/[\s,]+/)
      .includes(word),
  );

/** What a word means in the language of the reader or in English, unless it is a name or a number. */
export const meaningOf = (word: string): (typeof meanings)[number] | undefined =>
  meaningInLanguage(word) ?? inLook(english, () => meaningInLanguage(word));
