import { isUuid } from '#platform/db/client.ts';
import { randomFrom } from '#platform/token.ts';
import { slugFrom } from '#wire/slug.ts';

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** First segments and last segments of the web app's and the API's own paths. */
const reserved = new Set(
  `clubs club events event app admin new-club new-event edit members updates new-update
   profile feedback settings notifications card filter`.split(/\s+/),
);

/** Fifty random bits: whoever holds a slug that ends in them was given it. */
export const capability = (): string => randomFrom(base32, 10);

/** Slugs to try for a name, one after the other: the plain one, then with a short random ending. */
export function* slugsFor(name: string): Generator<string, never> {
  const plain = slugFrom(name);
  if (plain.length > 1 && !reserved.has(plain) && !isUuid(plain)) yield plain;
  // On its own the ending is long, or it could be one of the reserved words.
  for (;;) yield plain ? `${plain}-${randomFrom(base32, 5)}` : randomFrom(base32, 10);
}
