import { type ReactNode, useId, useState } from 'react';
import { cn } from './class-names.ts';
import { landscapeOf, landscapeSize } from './landscape.ts';

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
  const { palette, sun, ridges } = landscapeOf(seed);
  const [from, to, far, middle, near, light] = palette;
  const { width, height } = landscapeSize;
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMidYMid slice"
      className="absolute inset-0 size-full dark:brightness-85"
    >
      <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor={from} />
        <stop offset="1" stopColor={to} />
      </linearGradient>
      <rect width={width} height={height} fill={`url(#${id})`} />
      <circle cx={sun.x} cy={sun.y} r={2 * sun.r} fill={light} opacity={0.25} />
      <circle cx={sun.x} cy={sun.y} r={sun.r} fill={light} opacity={0.9} />
      {[far, middle, near].map((fill, at) => (
        <path key={fill} d={ridges[at]} fill={fill} opacity={0.85 + at * 0.05} />
      ))}
    </svg>
  );
}
