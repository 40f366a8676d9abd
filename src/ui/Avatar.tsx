import { useState } from 'react';
import { cn } from './class-names.ts';
import { seedNumber } from './seed.ts';

const sizes = {
  xs: 'size-6 text-[0.625rem]',
  sm: 'size-8 text-xs',
  md: 'size-11 text-sm',
  lg: 'size-16 text-xl',
  xl: 'size-24 text-3xl',
};

/** The same sizes in rem, for the `sizes` attribute. */
const widths = { xs: 1.5, sm: 2, md: 2.75, lg: 4, xl: 6 };

// White text on each of these has a contrast of at least 4.5.
const colours = [
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
];

/** The initials of the first and the last word. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('');
}

export type AvatarProps = {
  name: string;
  src?: string | null | undefined;
  /** The same picture in other widths. */
  srcSet?: string | undefined;
  /** Determines the colour; defaults to the name. With an id the colour survives a change of name. */
  seed?: string;
  size?: keyof typeof sizes;
  /** Square with rounded corners, for groups rather than people. */
  square?: boolean;
  /** Set it only if the name is not shown beside the picture. */
  alt?: string;
  className?: string;
};

/** A picture, or initials on a colour derived from the seed. */
export function Avatar({
  name,
  src,
  srcSet,
  seed = name,
  size = 'md',
  square = false,
  alt,
  className,
}: AvatarProps) {
  const [broken, setBroken] = useState<string>();
  const picture = src && src !== broken ? src : undefined;
  return (
    <span
      role={alt ? 'img' : undefined}
      aria-label={alt}
      aria-hidden={alt ? undefined : true}
      className={cn(
        'inline-grid shrink-0 place-items-center overflow-hidden font-semibold text-white select-none',
        square ? 'rounded-[22%]' : 'rounded-full',
        sizes[size],
        !picture && colours[seedNumber(seed) % colours.length],
        className,
      )}
    >
      {picture ? (
        <img
          src={picture}
          srcSet={srcSet}
          sizes={`${widths[size]}rem`}
          alt=""
          loading="lazy"
          className="size-full object-cover"
          onError={() => setBroken(picture)}
        />
      ) : (
        <span data-initials={initials(name) || '?'} className="before:content-[attr(data-initials)]" />
      )}
    </span>
  );
}
