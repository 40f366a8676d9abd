import { z } from 'zod';
import { isBlank } from '#wire/blank.ts';
import { bounded } from '#wire/bounded.ts';
import { canonicalAddress, isCanonicalAddress } from '#wire/email-address.ts';

/** How much longer than its limit a text may be before white space and noncharacters are removed. */
const slack = 1000;

// PostgreSQL rejects NUL and lone surrogates.
const storable = (value: string) => !/[\0\p{Surrogate}]/u.test(value);

/** Noncharacters carry no meaning, and some mail and feed readers reject text that contains one. */
const withoutNoncharacters = (value: string) => value.replaceAll(/\p{Noncharacter_Code_Point}/gu, '');

const isEmptyOrVisible = (value: string) => value === '' || !isBlank(value);
const noVisibleCharacter = 'has no visible character';

/** Multi-line text that may be invisible, such as the words of a search: storable, trimmed, at most `max` characters. */
export const storableText = (max: number) =>
  bounded(max, max + slack)
    .overwrite(withoutNoncharacters)
    .trim()
    .max(max)
    .refine(storable, 'has a character that cannot be stored');

/** Multi-line text: storable, trimmed, at most `max` characters, and with a visible character unless it is empty. */
export const text = (max: number) => storableText(max).refine(isEmptyOrVisible, noVisibleCharacter);

/**
 * One line for names, titles and places, with a visible character unless it is empty. It cannot change the direction of
 * adjacent text.
 */
export const singleLine = (max: number) =>
  bounded(max, max + slack)
    .overwrite((value) => withoutStrayBidi(withoutNoncharacters(value.replaceAll(/[\t\v\f]/g, ' '))))
    .trim()
    .max(max)
    .refine(storable, 'has a character that cannot be stored')
    .refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), 'must be one line without control characters')
    .refine(isEmptyOrVisible, noVisibleCharacter);

/** The closing control of each opening bidi control (UAX #9). */
const closers = new Map([
  ...['\u202A', '\u202B', '\u202D', '\u202E'].map((opener) => [opener, '\u202C'] as const),
  ...['\u2066', '\u2067', '\u2068'].map((opener) => [opener, '\u2069'] as const),
]);

/** Removes unpaired bidi controls, which would change the direction of the surrounding text. */
function withoutStrayBidi(value: string): string {
  if (!/[\u202A-\u202E\u2066-\u2069]/.test(value)) return value;
  const characters = [...value];
  const open: { at: number; closer: string }[] = [];
  let openIsolates = 0;
  const paired = new Set<number>();
  const close = (at: number) => paired.add(at).add((open.pop() as { at: number }).at);
  for (const [at, character] of characters.entries()) {
    const closer = closers.get(character);
    if (closer) {
      open.push({ at, closer });
      if (closer === '\u2069') openIsolates++;
    } else if (character === '\u2069' && openIsolates > 0) {
      // Closing an isolate also closes the embeddings inside it; an embedding cannot close across an isolate.
      while (open.at(-1)?.closer !== '\u2069') open.pop();
      close(at);
      openIsolates--;
    } else if (character === '\u202C' && open.at(-1)?.closer === '\u202C') close(at);
  }
  return characters
    .filter((character, at) => paired.has(at) || !/[\u202A-\u202E\u2066-\u2069]/.test(character))
    .join('');
}

/** An id or a slug in a path. */
export const Ref = text(200).min(1);

/** The canonical form of an email address. */
export const Email = bounded(254)
  .overwrite(canonicalAddress)
  .max(254)
  .refine(isCanonicalAddress, 'Invalid email address');

export const Id = z.uuid();

/** Pagination cursor of an earlier response. */
export const Cursor = text(2000).min(1);
