import plugin from 'tailwindcss/plugin';
import { coloursOfHue } from '#wire/club-colours.ts';
import { hueCount } from '#wire/hue.ts';

/** The colours of a club or person as CSS variables: `data-hue` sets them for an element and everything in it. */
const rules = Array.from({ length: hueCount }, (_, hue) => {
  const { light, dark, avatar, cover } = coloursOfHue(hue);
  const variables = {
    '--club': `light-dark(${light.main}, ${dark.main})`,
    '--club-ink': `light-dark(${light.ink}, ${dark.ink})`,
    '--club-soft': `light-dark(${light.soft}, ${dark.soft})`,
    '--avatar': avatar.ground,
    '--avatar-ink': avatar.initials,
    ...Object.fromEntries(cover.map((colour, at) => [`--cover-${at}`, colour])),
  };
  return [`[data-hue='${hue}']`, variables] as const;
});

export default plugin(({ addBase }) => addBase(Object.fromEntries(rules)));
