import { useState } from 'react';
import { cn } from './class-names.ts';
import { backgroundOf, initials } from './identity.ts';

const sizes = {
  xs: 'size-6 text-[0.625rem]',
  sm: 'size-8 text-xs',
  md: 'size-11 text-sm',
  lg: 'size-16 text-xl',
  xl: 'size-24 text-3xl',
};

/** The same sizes in rem, for the `sizes` attribute. */
const widths = { xs: 1.5, sm: 2, md: 2.75, lg: 4, xl: 6 };

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
        !picture && backgroundOf(seed),
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
        <span data-initials={initials(name)} className="before:content-[attr(data-initials)]" />
      )}
    </span>
  );
}
