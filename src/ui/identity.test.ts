import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hueOf } from '#wire/hue.ts';
import { initials } from './identity.ts';
import { landscapeOf } from './landscape.ts';

test.each([
  ['Ada Byron', 'AB'],
  ['  Ada   King  Lovelace ', 'AL'],
  ['ada', 'A'],
  ['李 小龙', '李小'],
  ['🦊 Club', '🦊C'],
  ['"Ada" (Byron) –', 'AB'],
  ['· Chor der „Linde“', 'CL'],
  ['e\u0301mile z\u030Cak', 'ÉŽ'],
  ['👩‍👩‍👧 Wir', '👩‍👩‍👧W'],
  ['🇩🇪 Team', '🇩🇪T'],
  ['👍🏽 ja', '👍🏽J'],
  ['1. FC', '1F'],
  ['क्षितिज नेगी', 'क्षिने'],
  ['ßen', 'ß'],
  ['', ''],
  ['– !', ''],
])('initials: of %j are %j [UX-36 LOOKUX-02]', (name, expected) => {
  expect(initials(name)).toBe(expected);
});

function firstGrapheme(text: string): string {
  const [first] = new Intl.Segmenter('en').segment(text.normalize('NFC'));
  const { segment = '' } = first ?? {};
  const upper = segment.toUpperCase();
  return upper.length === segment.length ? upper : segment;
}

test('initials: are whole graphemes of the name, at most two [LOOKUX-02]', () => {
  const word = fc
    .tuple(
      fc.constantFrom('A', 'é', 'ß', 'क्ष', '한', 'न', '👩‍👩‍👧', '🇩🇪', '👍🏽', 'ш', '1️⃣', 'ท'),
      fc.string({ unit: 'grapheme' }),
    )
    .map(([first, rest]) => first + rest.replaceAll(/[\s\p{M}\p{Cf}]/gu, ''));
  fc.assert(
    fc.property(word, word, (first, last) => {
      expect(initials(`${first} ${last}`)).toBe(firstGrapheme(first) + firstGrapheme(last));
    }),
  );
});

const grid = (path: string) => path.match(/[\d.]+/g)?.map((number) => Math.round(Number(number) / 8));

/** The banner of a club, which has 400 × 160 units, with coordinates rounded to a grid of 8 units. */
function coarse(id: string): string {
  const { sun, ridges } = landscapeOf(id);
  return JSON.stringify([hueOf(id), Math.round(sun.x / 8), Math.round(sun.y / 8), ridges.map(grid)]);
}

test('banner: ten clubs have ten visibly different banners [UX-36]', () => {
  const clubs = fc.uniqueArray(fc.uuid(), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(clubs, (ids) => {
      expect(new Set(ids.map(coarse)).size).toBe(10);
    }),
  );
});

test('banner: is the same each time and drawn within its frame [UX-36]', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(landscapeOf(id)).toEqual(landscapeOf(id));
      for (const path of landscapeOf(id).ridges) expect(path).toMatch(/^M0 [\d.]+(L[\d.]+ [\d.]+)+Z$/);
    }),
  );
});
