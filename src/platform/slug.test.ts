import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUuid } from '#platform/db/client.ts';
import { capability, slugsFor } from '#platform/slug.ts';

const reserved = `clubs club events event app admin new-club new-event edit members updates new-update
  profile feedback settings notifications card filter`.split(/\s+/);
const first = (name: string, count = 3) => {
  const slugs = slugsFor(name);
  return Array.from({ length: count }, () => String(slugs.next().value));
};

test('slugs: for any name, the slugs are URL-safe, distinct and not reserved words', () => {
  const names = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom(...reserved), fc.uuid());
  fc.assert(
    fc.property(names, (name) => {
      const slugs = first(name);
      for (const slug of slugs) {
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(46);
        expect(encodeURIComponent(slug)).toBe(slug);
        expect(reserved).not.toContain(slug);
        expect(isUuid(slug)).toBe(false);
      }
      expect(new Set(slugs).size).toBe(slugs.length);
    }),
    { numRuns: 2000 },
  );
});

test('slugs: there are ten with a suffix, so that no loop over them is endless', () => {
  expect([...slugsFor('Harbour Rowers')]).toHaveLength(11);
  for (const name of ['clubs', '日本']) expect([...slugsFor(name)]).toHaveLength(10);
});

test('slugs: reserved words and ids get a suffix; otherwise the plain name comes first', () => {
  for (const word of [...reserved, ...reserved.map((word) => word.toUpperCase())])
    expect(first(word)[0]).toMatch(/-[a-z2-7]{5}$/);
  expect(first('5D0B7A52-4AD6-4A0C-9A37-60B6A3C9E111')[0]).toMatch(/e111-[a-z2-7]{5}$/);
  expect(first('Harbour Rowers')[0]).toBe('harbour-rowers');
  expect(first('日本')[0]).toMatch(/^[a-z2-7]{10}$/);
});

test('capability: has fifty random bits, and ten thousand capabilities are distinct', () => {
  const many = Array.from({ length: 10_000 }, capability);
  expect(new Set(many).size).toBe(many.length);
  for (const one of many) expect(one).toMatch(/^[a-z2-7]{10}$/);
  expect(new Set(many.join('')).size).toBe(32);
});
