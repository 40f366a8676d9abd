/** Hashes integers to a number from 0 to 1. */
export function hashOf(...numbers: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const number of numbers) {
    hash = Math.imul(hash ^ number, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}

export const below = (random: () => number, limit: number): number => Math.floor(random() * limit);

export const pick = <T>(random: () => number, items: readonly T[]): T =>
  items[below(random, items.length)] as T;

/** Standard normal distribution (Box and Muller). */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export function shuffle<T>(random: () => number, items: readonly T[]): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = below(random, last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}

/** Draws ranks from 0 to `count - 1`, where rank r is drawn in proportion to 1 / (r + 1). */
export function zipf(count: number): (random: () => number) => number {
  const sums = new Float64Array(count);
  let total = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = total += 1 / (rank + 1);
  return (random) => {
    const wanted = random() * total;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
