import { seedNumber } from '#wire/hue.ts';
import { hueOf } from './identity.ts';

/** Per colour: the gradient of the sky, three ridges from far to near, and the sun. */
const palettes = [
  ['#d9efe8', '#8fcabd', '#5ba99c', '#2f7f76', '#134f4a', '#fff3d6'],
  ['#f9ecc8', '#ebc46e', '#cf9343', '#976033', '#523425', '#fffdf2'],
  ['#f1e3f6', '#d4b0df', '#a97ab9', '#754889', '#402150', '#fff0df'],
  ['#dfe9f8', '#a8c3e8', '#6f95c9', '#41669f', '#203a66', '#fff1c9'],
  ['#fbe4e8', '#eab1bd', '#cb7488', '#93405c', '#501c31', '#fff3e2'],
  ['#eef2d2', '#c3d18c', '#93ad5c', '#5f8240', '#2f4f2c', '#fff7d9'],
  ['#e5e2f6', '#b5aee3', '#857cc4', '#574f98', '#2c2960', '#ffe9d2'],
  ['#fde7cf', '#f3b48c', '#d98263', '#a8504a', '#5e2a38', '#fffaf0'],
  ['#d8f0f3', '#8ecdd8', '#4fa3b5', '#2a7487', '#123f50', '#fff4dc'],
  ['#f7f1d0', '#dfce86', '#bba54d', '#82712d', '#453b16', '#fffbe8'],
] as const;

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
  palette: (typeof palettes)[number];
  sun: { x: number; y: number; r: number };
  /** SVG paths, from far to near. */
  ridges: readonly string[];
}

export const landscapeSize = { width: 400, height: 160 } as const;

/** The landscape on the banner of a club: in its colour, with ridges and a sun that no other club has. */
export function landscapeOf(seed: string): Landscape {
  let counter = 0;
  /** A number from 0 to 1 that depends on the seed alone. */
  const random = () => seedNumber(`${seed}/${counter++}`) / 2 ** 32;
  const shape = shapes[Math.floor(random() * shapes.length)] ?? triangle;
  return {
    palette: palettes[hueOf(seed)] ?? palettes[0],
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
