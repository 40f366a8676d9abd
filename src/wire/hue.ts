/** A stable hash of a text (FNV-1a with a final mix). */
export function seedNumber(text: string): number {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The number of different hues of clubs and people. */
export const hueCount = 16;

/** The hue of a club or person, from 0 to 15. The seed is the id, so a new name does not change the hue. */
export const hueOf = (seed: string): number => seedNumber(seed) % hueCount;
