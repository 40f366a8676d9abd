import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchText, searchWords } from '#wire/search-text.ts';

test.each([
  ['cafe', 'CAFÉ'.normalize('NFC')],
  ['cafe', 'café'.normalize('NFD')],
  ['strasse', 'Straße'],
  ['STRASSE', 'STRAẞE'],
  ['lodz', 'Łódź'],
  ['oresund', 'Øresund'],
  ['aerosmith', 'Ærosmith'],
  ['izmir', 'İzmir'],
  ['isparta', 'ısparta'],
  ['ΚΩΣΤΑΣ', 'Κώστας'],
  ["we're", 'We’re'],
  ["o'brien", 'O‘Brien'],
  ['rock-n-roll', 'Rock‐n‑Roll'],
  ['rock-n-roll', 'Rock–n—Roll'],
  ['rock-n-roll', 'Rock n Roll'],
  ['full width', 'Ｆｕｌｌ　ｗｉｄｔｈ'],
  ['office', 'Oﬃce'],
  ['dampfschiff', 'Dampf\u00ADschiff'],
  ['50% _1 c:\\', '50% _1 c:\\'],
])('search text: "%s" finds "%s" [ROBUST-05]', (q, text) => {
  const words = searchWords(q);
  expect(words).not.toEqual([]);
  for (const word of words) expect(searchText(text)).toContain(word);
  for (const word of searchWords(text)) expect(searchText(text)).toContain(word);
});

test('search text: keeps letters apart that only look alike, and vowel signs and voicing marks', () => {
  expect(searchText('か')).not.toBe(searchText('が'));
  expect(searchText('कि')).not.toBe(searchText('कु'));
  expect(searchText('a')).not.toBe(searchText('а'));
});

test('search text: a text contains its own words in every normalisation form and case [ROBUST-05]', () => {
  const form = fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), form, (text, to) => {
      for (const word of searchWords(text.normalize(to))) expect(searchText(text)).toContain(word);
    }),
    { numRuns: 2000 },
  );
});

test.each(['', '  ', '-', '\u200B'])('search words: "%s" has none', (q) => {
  expect(searchWords(q)).toEqual([]);
});
