import { expect, test } from 'vitest';
import { preferredLanguage } from '#platform/http/accept-language.ts';

const offered = ['en', 'de', 'fr'];

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de-Latn-CH-1996', 'de'],
  ['es, de', 'de'],
  ['es;q=0.9,pt;q=0.8', 'en'],
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.5, de;q=0.8, fr;q=0.7', 'de'],
  ['en ; q=0.8 , fr ; Q=0.9', 'fr'],
  ['fr, de', 'fr'],
  ['de;q=0.123,fr;q=0.124', 'fr'],
  ['*', 'en'],
  ['*, de;q=0.5', 'en'],
  ['*;q=0.1, de;q=0.5', 'de'],
  ['en;q=0, *', 'de'],
  ['en;q=0, de;q=0, *;q=0.5', 'fr'],
  ['de;q=0', 'en'],
  ['de;q=0.0, fr;q=0.1', 'fr'],
  ['*;q=0', 'en'],
  ['german', 'en'],
  ['d', 'en'],
  ['de;q=2, fr;q=0.1', 'fr'],
  ['de;q=-1, fr;q=0.1', 'fr'],
  ['de;q=0.1234, fr;q=0.1', 'fr'],
  ['de;q=, fr;q=0.1', 'fr'],
  ['de;level=1, fr;q=0.1', 'fr'],
  [',;,-,fr', 'fr'],
  ['constructor, toString', 'en'],
  [`${'-'.repeat(9000)},de`, 'de'],
])('Accept-Language %j prefers %s [LANG-03]', (header, language) => {
  expect(preferredLanguage(header, offered)).toBe(language);
});
