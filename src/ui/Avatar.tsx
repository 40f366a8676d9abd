import { UserRound, UsersRound } from 'lucide-react';
import { useState } from 'react';
import { hueOf } from '#wire/hue.ts';
import { cn } from './class-names.ts';
import { initials } from './identity.ts';

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
  /** A person or group without a name gets a silhouette. */
  name: string;
  src?: string | null | undefined;
  /** The same picture in other widths. */
  srcSet?: string | undefined;
  /** Determines the colour; defaults to the name. With an id the colour survives a change of name. */
  seed?: string;
  /** The seed of the avatar before this one in a list. If both have the same colour, this one gets an outline. */
  previous?: string | undefined;
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
  previous,
  size = 'md',
  square = false,
  alt,
  className,
}: AvatarProps) {
  const [broken, setBroken] = useState<string>();
  const picture = src && src !== broken ? src : undefined;
  const hue = hueOf(seed);
  const letters = initials(name);
  const Silhouette = square ? UsersRound : UserRound;
  return (
    <span
      data-hue={hue}
      role={alt ? 'img' : undefined}
      aria-label={alt}
      aria-hidden={alt ? undefined : true}
      className={cn(
        'inline-grid shrink-0 place-items-center overflow-hidden font-semibold text-avatar-ink select-none',
        square ? 'rounded-[22%]' : 'rounded-full',
        sizes[size],
        !picture && 'bg-avatar',
        !picture && previous !== undefined && hueOf(previous) === hue && 'inset-ring-2 inset-ring-avatar-ink',
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
      ) : letters ? (
        <span data-initials={letters} className="before:content-[attr(data-initials)]" />
      ) : (
        <Silhouette aria-hidden className="size-3/5" />
      )}
    </span>
  );
}
