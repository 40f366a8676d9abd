import { useId, useState } from 'react';
import { hueOf } from '#wire/hue.ts';
import { cn } from './class-names.ts';
import { landscapeOf, landscapeSize } from './landscape.ts';
import type { Elements } from './elements.ts';

export type CoverProps = {
  /** An id. The same seed always gives the same picture. */
  seed: string;
  /** The seed of the colours, if it is another one: the club of an event. */
  club?: string;
  src?: string | null | undefined;
  /** The same picture in other widths, at most the width of the window. */
  srcSet?: string | undefined;
  className?: string;
  children?: Elements;
};

/** A wide picture, or else a landscape generated from the seed. Decorative, so it has no alternative text. */
export function Cover({ seed, club = seed, src, srcSet, className, children }: CoverProps) {
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
        <Landscape seed={seed} hue={hueOf(club)} />
      )}
      {children}
    </div>
  );
}

function Landscape({ seed, hue }: { seed: string; hue: number }) {
  const id = useId();
  const { sun, ridges } = landscapeOf(seed);
  const { width, height } = landscapeSize;
  return (
    <svg
      aria-hidden
      data-hue={hue}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMidYMid slice"
      className="absolute inset-0 size-full dark:brightness-85"
    >
      <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" className="[stop-color:var(--cover-0)]" />
        <stop offset="1" className="[stop-color:var(--cover-1)]" />
      </linearGradient>
      <rect width={width} height={height} fill={`url(#${id})`} />
      <circle cx={sun.x} cy={sun.y} r={2 * sun.r} fill="#fff6e0" opacity={0.25} />
      <circle cx={sun.x} cy={sun.y} r={sun.r} fill="#fff6e0" opacity={0.9} />
      <path d={ridges[0]} className="fill-(--cover-2)" opacity={0.85} />
      <path d={ridges[1]} className="fill-(--cover-3)" opacity={0.9} />
      <path d={ridges[2]} className="fill-(--cover-4)" opacity={0.95} />
    </svg>
  );
}
