import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxZoom, fitted, shownPart } from '#features/media/web/useCrop.ts';

const side = fc.integer({ min: 1, max: 10_000 });
const anywhere = fc.double({ min: -5, max: 5, noNaN: true });

test('crop: any requested view is clamped to a part of the picture with the ratio of the frame', () => {
  fc.assert(
    fc.property(
      fc.record({ width: side, height: side }),
      fc.record({ x: anywhere, y: anywhere, zoom: fc.double({ min: -10, max: 100, noNaN: true }) }),
      fc.constantFrom(1, 3),
      (picture, requested, ratio) => {
        const view = fitted(requested, picture, ratio);
        const { left, top, width, height } = shownPart(view, picture, ratio);
        const tolerance = 1e-6 * Math.max(picture.width, picture.height);
        expect(width / height).toBeCloseTo(ratio);
        expect(Math.min(left, top)).toBeGreaterThanOrEqual(-tolerance);
        expect(left + width).toBeLessThanOrEqual(picture.width + tolerance);
        expect(top + height).toBeLessThanOrEqual(picture.height + tolerance);
        expect(view.zoom).toBeGreaterThanOrEqual(1);
        expect(view.zoom).toBeLessThanOrEqual(maxZoom);
        expect(fitted(view, picture, ratio)).toEqual(view);
      },
    ),
  );
});

test('crop: the initial view shows the largest centred part', () => {
  const view = { x: 0.5, y: 0.5, zoom: 1 };
  expect(shownPart(view, { width: 1200, height: 600 }, 1)).toEqual({
    left: 300,
    top: 0,
    width: 600,
    height: 600,
  });
  expect(shownPart(view, { width: 900, height: 600 }, 3)).toEqual({
    left: 0,
    top: 150,
    width: 900,
    height: 300,
  });
  expect(shownPart({ ...view, zoom: 2 }, { width: 600, height: 600 }, 1)).toEqual({
    left: 150,
    top: 150,
    width: 300,
    height: 300,
  });
});
