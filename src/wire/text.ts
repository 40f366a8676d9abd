import { z } from 'zod';

// PostgreSQL rejects NUL and lone surrogates.
const storable = (value: string) => !value.includes('\0') && value.isWellFormed();

/** Noncharacters carry no meaning, and some mail and feed readers reject text that contains one. */
const withoutNoncharacters = (value: string) => value.replaceAll(/\p{Noncharacter_Code_Point}/gu, '');

/** Multi-line text: storable, trimmed, at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .overwrite(withoutNoncharacters)
    .trim()
    .max(max)
    .refine(storable, 'has a character that cannot be stored');

/** One line for names, titles and places. It cannot change the direction of adjacent text. */
export const singleLine = (max: number) =>
  z
    .string()
    .overwrite((value) => withoutStrayBidi(withoutNoncharacters(value)))
    .trim()
    .max(max)
    .refine(storable, 'has a character that cannot be stored')
    .refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), 'must be one line without control characters');

/** The closing control of each opening bidi control (UAX #9). */
const closers = new Map([
  ...['\u202A', '\u202B', '\u202D', '\u202E'].map((opener) => [opener, '\u202C'] as const),
  ...['\u2066', '\u2067', '\u2068'].map((opener) => [opener, '\u2069'] as const),
]);

/** Removes unpaired bidi controls, which would change the direction of the surrounding text. */
export function withoutStrayBidi(value: string): string {
  if (!/[\u202A-\u202E\u2066-\u2069]/.test(value)) return value;
  const characters = [...value];
  const open: { at: number; closer: string }[] = [];
  const paired = new Set<number>();
  for (const [at, character] of characters.entries()) {
    const closer = closers.get(character);
    if (closer) open.push({ at, closer });
    // Closing an isolate also closes the embeddings inside it; an embedding cannot close across an isolate.
    const from =
      character === '\u2069'
        ? open.findLastIndex((opener) => opener.closer === character)
        : character === '\u202C' && open.at(-1)?.closer === character
          ? open.length - 1
          : -1;
    if (from >= 0) {
      paired.add(at).add((open[from] as { at: number }).at);
      open.splice(from);
    }
  }
  return characters
    .filter((character, at) => paired.has(at) || !/[\u202A-\u202E\u2066-\u2069]/.test(character))
    .join('');
}

/** An id or a slug in a path. */
export const Ref = text(200).min(1);

/** Compared in lower case. The pattern allows only ASCII. */
export const Email = z.email().max(254).toLowerCase();

export const Id = z.uuid();

/** Pagination cursor of an earlier response. */
export const Cursor = text(2000).min(1);
