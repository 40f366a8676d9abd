import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clubColours, coloursOfHue } from './club-colours.ts';
import { hueCount } from './hue.ts';

/** The contrast ratio of WCAG 2. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other].map(luminanceOf).toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The grounds of pages, cards and menus of `theme.css`, and of emails in dark mode. */
const grounds = {
  light: ['#f6f7f4', '#ffffff', '#edf0eb'],
  dark: ['#0d1413', '#151e1c', '#1c2725', '#0a100f', '#121212', '#1c1c1e'],
} as const;

test('club colours: text has a contrast of at least 4.5 and shapes of at least 3, for all ids in both themes [LOOKUX-01]', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('light', 'dark'), (id, theme) => {
      const { main, ink, soft } = clubColours(id)[theme];
      for (const ground of grounds[theme]) expect(contrast(main, ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(main, soft)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(ink, main)).toBeGreaterThanOrEqual(4.5);
      const { avatar } = clubColours(id);
      expect(contrast(avatar.ground, avatar.initials)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(avatar.initials, '#ffffff')).toBeGreaterThanOrEqual(3);
    }),
  );
});

test('club colours: the sixteen hues look different [LOOKUX-01]', () => {
  const all = Array.from({ length: hueCount }, (_, hue) => coloursOfHue(hue));
  for (const colour of ['main', 'soft'] as const)
    for (const theme of ['light', 'dark'] as const)
      expect(new Set(all.map((colours) => colours[theme][colour])).size).toBe(hueCount);
  expect(new Set(all.map(({ avatar }) => avatar.ground)).size).toBe(hueCount);
});
