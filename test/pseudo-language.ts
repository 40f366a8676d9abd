import { languages } from '#languages/languages.ts';
import { englishTexts, type Texts } from '#test/catalogues.ts';

/** Greek stands for the pseudo language, so that `Intl` formats without Latin letters. */
export const pseudoLanguage = 'el' as never;

/** Puts each piece of text in brackets: a tag begins a new piece, because it becomes an element. */
const inBrackets = (text: string): string =>
  text
    .split(/(<\/?\w+>)/)
    .map((piece, at) => (at % 2 === 0 && piece ? `⟦${piece}⟧` : piece))
    .join('');

/** The texts of all catalogues, in brackets. */
export const pseudoTexts = async (): Promise<Texts> =>
  Object.fromEntries(Object.entries(await englishTexts()).map(([key, text]) => [key, inBrackets(text)]));

/** The name of a time zone, and the names of the languages in themselves. */
const names = new RegExp(
  `^(?:[A-Z]\\w+/[\\w/ -]+|${Object.values(languages)
    .map(({ name }) => name)
    .join('|')})$`,
);

/** Words that come from no catalogue: names, addresses and names of time zones. */
const allowed =
  /Muster Consulting|Muster|[\w.+-]+@[\w.-]+|https?:\/\/\S+|\b[\w-]+\.(example|org|com)\b|\b(UTC|GMT)\b|\b[A-Z]\w+\/[\w/]+/g;

/** The words of a text that are outside of all brackets, without those that somebody `typed`. */
export function wordsOutside(text: string, typed = /$^/g): string[] {
  let rest = text.replace(names, '').replaceAll(typed, '');
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(/⟦[^⟦⟧]*⟧/g, ' ');
  }
  return rest.replaceAll(allowed, ' ').match(/[A-Za-z]{2,}/g) ?? [];
}
