import { LoaderCircle } from 'lucide-react';
import { Slot } from './Slot.tsx';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { cn } from './class-names.ts';

const base =
  'relative inline-flex shrink-0 select-none items-center justify-center text-center font-semibold transition-colors duration-150 disabled:cursor-not-allowed aria-disabled:cursor-not-allowed [&_svg]:shrink-0';

const variants = {
  filled:
    'bg-accent text-accent-ink shadow-sm forced-colors:border enabled:hover:bg-accent-strong [a&]:hover:bg-accent-strong',
  secondary: 'border border-line bg-surface text-ink shadow-sm hover:border-control hover:bg-sunken',
  ghost: 'text-accent hover:bg-accent-soft hover:text-accent-strong',
  danger:
    'bg-danger-solid text-danger-ink shadow-sm forced-colors:border enabled:hover:brightness-90 [a&]:hover:brightness-90',
  link: 'text-accent underline underline-offset-4 hover:text-accent-strong disabled:text-muted disabled:no-underline',
};

const sizes = {
  sm: 'min-h-11 gap-1.5 py-1.5 text-sm [&_svg]:size-4',
  md: 'min-h-11 gap-2 py-1.5 text-base [&_svg]:size-4.5',
  lg: 'min-h-13 gap-2.5 py-1.5 text-lg [&_svg]:size-5',
};

/** Radius and padding. The link variant has almost no padding. */
const shapes = {
  sm: 'rounded-md px-3',
  md: 'rounded-md px-4.5',
  lg: 'rounded-lg px-6',
  link: 'rounded-sm px-1',
};

function looks(variant: keyof typeof variants, size: keyof typeof sizes): string {
  const isLink = variant === 'link';
  return cn(
    base,
    variants[variant],
    sizes[size],
    shapes[isLink ? 'link' : size],
    !isLink && 'no-underline disabled:opacity-50',
  );
}

export type ButtonProps = ComponentProps<'button'> & {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
  /** While busy, the button keeps its size and focus but ignores clicks. */
  busy?: boolean;
  /** Replaces the label while busy, for example 'Creating'. */
  busyLabel?: string | undefined;
  /** Applies the styles to the only child, usually a link. */
  asChild?: boolean;
};

export function Button({
  variant = 'filled',
  size = 'md',
  busy = false,
  busyLabel,
  asChild = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const classes = cn(looks(variant, size), className);
  if (asChild) {
    return (
      <Slot className={classes} onClick={onClick as never} {...rest}>
        {children}
      </Slot>
    );
  }
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      className={classes}
      onClick={press}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
    >
      {busy ? (
        <BusyFace label={busyLabel}>{children}</BusyFace>
      ) : (
        <span className="contents">{children}</span>
      )}
    </button>
  );
}

/** The label stays in the layout but invisible, so that the width of the button does not change. */
function BusyFace({ label, children }: { label: string | undefined; children: ReactNode }) {
  return (
    <span className="inline-grid place-items-center *:col-start-1 *:row-start-1">
      <span aria-hidden={label ? true : undefined} className="inline-flex items-center gap-2 opacity-0">
        {children}
      </span>
      <span className="inline-flex items-center gap-2">
        <LoaderCircle aria-hidden className="animate-spin" />
        {label && <span>{label}</span>}
      </span>
    </span>
  );
}
