import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backgroundOf, colourOf, initials } from './identity.ts';
import { landscapeOf } from './landscape.ts';

test.each([
  ['Ada Byron', 'AB'],
  ['  Ada   King  Lovelace ', 'AL'],
  ['ada', 'A'],
  ['李 小龙', '李小'],
  ['🦊 Club', '🦊C'],
  ['', '?'],
])('initials: of %j are %s [UX-36]', (name, expected) => {
  expect(initials(name)).toBe(expected);
});

test('identity: a seed always has the same colour, in classes and in pictures, with a contrast of at least 4.5 to white [UX-36]', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(backgroundOf(id)).toBe(`bg-[${colourOf(id)}]`);
      expect(landscapeOf(id)).toEqual(landscapeOf(id));
      const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
        const part = Number.parseInt(colourOf(id).slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      expect(1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)).toBeGreaterThan(4.5);
    }),
  );
});

const grid = (path: string) => path.match(/[\d.]+/g)?.map((number) => Math.round(Number(number) / 8));

/** The banner of a club, which has 400 × 160 units, with coordinates rounded to a grid of 8 units. */
function coarse(id: string): string {
  const { palette, sun, ridges } = landscapeOf(id);
  return JSON.stringify([palette, Math.round(sun.x / 8), Math.round(sun.y / 8), ridges.map(grid)]);
}

test('banner: ten clubs have ten visibly different banners [UX-36]', () => {
  const clubs = fc.uniqueArray(fc.uuid(), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(clubs, (ids) => {
      expect(new Set(ids.map(coarse)).size).toBe(10);
    }),
  );
});

test('banner: is drawn within its frame, and the colour of the club decides its palette [UX-36]', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      const [first, second] = [landscapeOf(one), landscapeOf(other)];
      expect(first.palette === second.palette).toBe(colourOf(one) === colourOf(other));
      for (const path of first.ridges) expect(path).toMatch(/^M0 [\d.]+(L[\d.]+ [\d.]+)+Z$/);
    }),
  );
});
