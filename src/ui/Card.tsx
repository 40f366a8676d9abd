import { Slot } from './Slot.tsx';
import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';

export type CardProps = ComponentProps<'div'> & {
  /** Adds a hover effect, for a card that is one link (with `asChild` on the link itself). */
  interactive?: boolean;
  /** No padding, for pictures or rows that reach the edge. */
  flush?: boolean;
  asChild?: boolean;
};

export function Card({ interactive, flush, asChild, className, ...rest }: CardProps) {
  const Root = asChild ? Slot : 'div';
  return (
    <Root
      className={cn(
        'block overflow-clip rounded-xl border border-line bg-surface text-ink shadow-sm',
        !flush && 'p-5 sm:p-6',
        interactive &&
          'transition duration-200 hover:-translate-y-0.5 hover:border-control hover:shadow-md motion-reduce:hover:translate-y-0',
        className,
      )}
      {...rest}
    />
  );
}
