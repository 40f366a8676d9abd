import { z } from 'zod';

// PostgreSQL refuses NUL in text, and half a surrogate pair is no character at all.
const storable = (value: string) => !value.includes('\0') && value.isWellFormed();

/** Unicode will never assign these, and some readers of emails and feeds reject a text that has one. */
const withoutNoncharacters = (value: string) => value.replaceAll(/\p{Noncharacter_Code_Point}/gu, '');

/** Text of one or more lines that can be stored: trimmed, at most `longest` characters. */
export const text = (longest: number) =>
  z
    .string()
    .overwrite(withoutNoncharacters)
    .trim()
    .max(longest)
    .refine(storable, 'has a character that cannot be stored');

/** A name, a title or a place: one line that cannot turn around the text beside it. */
export const singleLine = (longest: number) =>
  z
    .string()
    .overwrite((value) => withoutStrayBidi(withoutNoncharacters(value)))
    .trim()
    .max(longest)
    .refine(storable, 'has a character that cannot be stored')
    .refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), 'must be one line without control characters');

/** Which control ends the direction that another begins (UAX #9). */
const closers = new Map([
  ...['\u202A', '\u202B', '\u202D', '\u202E'].map((opener) => [opener, '\u202C'] as const),
  ...['\u2066', '\u2067', '\u2068'].map((opener) => [opener, '\u2069'] as const),
]);

/** Removes bidi controls without a partner: they would change how the text around this one is shown. */
export function withoutStrayBidi(value: string): string {
  if (!/[\u202A-\u202E\u2066-\u2069]/.test(value)) return value;
  const characters = [...value];
  const open: { at: number; closer: string }[] = [];
  const paired = new Set<number>();
  for (const [at, character] of characters.entries()) {
    const closer = closers.get(character);
    if (closer) open.push({ at, closer });
    // The end of an isolate also ends the embeddings inside of it, and no embedding ends across an isolate.
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

/** The id or the slug of something, as it stands in a path. */
export const Ref = text(200).min(1);

/** An address is compared by its ASCII lower case; anything beyond ASCII is refused by its pattern. */
export const Email = z.email().max(254).toLowerCase();

export const Id = z.uuid();

/** Where a list goes on: one that an earlier answer has named. */
export const Cursor = text(2000).min(1);
