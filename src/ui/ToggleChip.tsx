import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';

/** A button that is on or off, in a group of which it says the state with `aria-pressed`. */
export const ToggleChip = ({
  className,
  ...rest
}: ComponentProps<'button'> & { 'aria-pressed': boolean }) => (
  <button
    type="button"
    className={cn(
      'min-h-11 max-w-full rounded-full border border-control px-4 text-sm font-semibold wrap-anywhere transition-colors hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent aria-pressed:text-accent-ink',
      className,
    )}
    {...rest}
  />
);
