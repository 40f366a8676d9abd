import { seedNumber } from '#wire/hue.ts';

/** How a ridge rises and falls, from 0 to 1. */
const shapes: readonly ((x: number) => number)[] = [
  // Hills.
  (x) => 0.5 + 0.3 * Math.sin(x * 7.1) + 0.2 * Math.sin(x * 15.7),
  // Peaks.
  (x) => 0.65 * triangle(x * 1.7) + 0.35 * triangle(x * 4.3),
  // Waves.
  (x) => Math.abs(Math.sin(x * 11)),
  // Dunes: a slow rise and a steep fall.
  (x) => ((x * 1.3) % 1) ** 1.5 * (1 - ((x * 1.3) % 1) ** 12),
];

const triangle = (x: number): number => Math.abs(2 * (x - Math.floor(x)) - 1);

export interface Landscape {
  sun: { x: number; y: number; r: number };
  /** SVG paths, from far to near. */
  ridges: readonly string[];
}

export const landscapeSize = { width: 400, height: 160 } as const;

/** The landscape on a generated cover, with ridges and a sun that no other seed has. */
export function landscapeOf(seed: string): Landscape {
  let counter = 0;
  /** A number from 0 to 1 that depends on the seed alone. */
  const random = () => seedNumber(`${seed}/${counter++}`) / 2 ** 32;
  const shape = shapes[Math.floor(random() * shapes.length)] ?? triangle;
  return {
    // Wide banners show little more than the vertical middle.
    sun: { x: 40 + random() * 320, y: 44 + random() * 34, r: 14 + random() * 14 },
    ridges: [76, 98, 122].map((top) => ridge(shape, top - random() * 12, 18 + random() * 26, random() * 9)),
  };
}

function ridge(shape: (x: number) => number, top: number, height: number, shift: number): string {
  const { width, height: bottom } = landscapeSize;
  const points = Array.from({ length: 81 }, (_, step) => {
    const x = (step * width) / 80;
    return `${x} ${(top + height * (1 - shape(x / width + shift))).toFixed(1)}`;
  });
  return `M${points.join('L')}L${width} ${bottom}L0 ${bottom}Z`;
}
