import { seedNumber } from '#wire/hue.ts';

/** How a person or a club looks without a picture. The seed is the id, so a new name does not change the colour. */

/** Tailwind classes. White text on each of these has a contrast of at least 4.5. */
const backgrounds = [
  'bg-[#0b6a61]',
  'bg-[#8a4b14]',
  'bg-[#7a3e8e]',
  'bg-[#2f5fae]',
  'bg-[#a13458]',
  'bg-[#4c6a1c]',
  'bg-[#5b50b0]',
  'bg-[#94421f]',
  'bg-[#1f6a85]',
  'bg-[#6a5a12]',
] as const;

/** The index of the colour for a seed, from 0 to 9. */
export const hueOf = (seed: string): number => seedNumber(seed) % backgrounds.length;

export const backgroundOf = (seed: string): string => backgrounds[hueOf(seed)] ?? backgrounds[0];

/** The same colour as a hexadecimal number, for pictures. */
export const colourOf = (seed: string): string => backgroundOf(seed).slice(4, -1);

/** The initials of the first and the last word. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('') || '?';
}
