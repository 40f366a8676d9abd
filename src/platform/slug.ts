import { isUuid } from '#platform/db/client.ts';
import { randomFrom } from '#platform/token.ts';
import { slugFrom } from '#wire/slug.ts';

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Path segments of the web app and the API. */
const reserved = new Set(
  `clubs club events event app admin new-club new-event edit members updates new-update
   profile feedback settings notifications card filter series`.split(/\s+/),
);

/** Fifty random bits: enough that a slug that ends in them cannot be guessed. */
export const capability = (): string => randomFrom(base32, 10);

/** One random suffix is almost always free. The limit ends the loop of an insert that finds no slug free for another reason. */
const suffixes = 10;

/** Candidate slugs for a name: first the plain slug, then ten slugs with a short random suffix. */
export function* slugsFor(name: string): Generator<string, void> {
  const plain = slugFrom(name);
  if (plain.length > 1 && !reserved.has(plain) && !isUuid(plain)) yield plain;
  // Without a name the suffix is longer, so that it cannot equal a reserved word.
  for (let nth = 0; nth < suffixes; nth++)
    yield plain ? `${plain}-${randomFrom(base32, 5)}` : randomFrom(base32, 10);
}
