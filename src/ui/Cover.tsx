import { type ReactNode, useId, useState } from 'react';
import { cn } from './class-names.ts';
import { seedNumber } from './seed.ts';

// Two gradient colours of the sky, three ridges from far to near, and the sun.
const palettes = [
  ['#d9efe8', '#8fcabd', '#5ba99c', '#2f7f76', '#134f4a', '#fff3d6'],
  ['#fde7cf', '#f3b48c', '#d98263', '#a8504a', '#5e2a38', '#fffaf0'],
  ['#dfe9f8', '#a8c3e8', '#6f95c9', '#41669f', '#203a66', '#fff1c9'],
  ['#f6e3ec', '#dba9c4', '#b576a0', '#7f4979', '#45264c', '#fff0df'],
  ['#eef2d2', '#c3d18c', '#93ad5c', '#5f8240', '#2f4f2c', '#fff7d9'],
  ['#f9ecc8', '#ebc46e', '#cf9343', '#976033', '#523425', '#fffdf2'],
  ['#e5e2f6', '#b5aee3', '#857cc4', '#574f98', '#2c2960', '#ffe9d2'],
  ['#d8f0f3', '#8ecdd8', '#4fa3b5', '#2a7487', '#123f50', '#fff4dc'],
] as const;

export type CoverProps = {
  /** An id. The same seed always gives the same picture. */
  seed: string;
  src?: string | null | undefined;
  /** The same picture in other widths, at most the width of the window. */
  srcSet?: string | undefined;
  className?: string;
  children?: ReactNode;
};

/** A wide picture, or else a landscape generated from the seed. Decorative, so it has no alternative text. */
export function Cover({ seed, src, srcSet, className, children }: CoverProps) {
  const [broken, setBroken] = useState<string>();
  const picture = src && src !== broken ? src : undefined;
  return (
    <div className={cn('relative aspect-5/2 w-full overflow-hidden bg-sunken', className)}>
      {picture ? (
        <img
          src={picture}
          srcSet={srcSet}
          sizes="100vw"
          alt=""
          className="absolute inset-0 size-full object-cover"
          onError={() => setBroken(picture)}
        />
      ) : (
        <Landscape seed={seed} />
      )}
      {children}
    </div>
  );
}

function Landscape({ seed }: { seed: string }) {
  const id = useId();
  const number = seedNumber(seed);
  const [from, to, far, middle, near, sun] = palettes[number % palettes.length] ?? palettes[0];
  const pick = (shift: number, range: number) => (number >>> shift) % range;
  const sunX = 60 + pick(3, 280);
  const sunY = 34 + pick(9, 40);
  return (
    <svg
      aria-hidden
      viewBox="0 0 400 160"
      preserveAspectRatio="xMidYMid slice"
      className="absolute inset-0 size-full dark:brightness-85"
    >
      <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor={from} />
        <stop offset="1" stopColor={to} />
      </linearGradient>
      <rect width="400" height="160" fill={`url(#${id})`} />
      <circle cx={sunX} cy={sunY} r={46} fill={sun} opacity={0.25} />
      <circle cx={sunX} cy={sunY} r={20 + pick(15, 8)} fill={sun} opacity={0.9} />
      <path d={ridge(78, 22, pick(5, 60))} fill={far} opacity={0.85} />
      <path d={ridge(102, 20, pick(11, 60))} fill={middle} opacity={0.9} />
      <path d={ridge(128, 15, pick(17, 60))} fill={near} />
    </svg>
  );
}

/** The SVG path of a ridge: the sum of two sine waves, shifted by `phase`. */
function ridge(base: number, height: number, phase: number): string {
  const points = Array.from({ length: 41 }, (_, step) => {
    const x = step * 10;
    const along = (x + phase * 13) / 400;
    const y = base + height * (0.6 * Math.sin(along * 7.1) + 0.4 * Math.sin(along * 15.7 + phase));
    return `${x} ${y.toFixed(1)}`;
  });
  return `M${points.join('L')}L400 160L0 160Z`;
}
