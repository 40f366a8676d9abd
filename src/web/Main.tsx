import type { ComponentProps } from 'react';
import { cn } from '#ui/class-names.ts';

/** The `main` landmark: the target of the skip link, focused after every navigation. */
export function Main({ className, ...rest }: ComponentProps<'main'>) {
  return <main id="main" tabIndex={-1} className={cn('outline-none', className)} {...rest} />;
}
