import type { ComponentProps } from 'react';
import { cn } from '#ui/class-names.ts';

/** The part of the page that the skip link and every navigation lead to. */
export function Main({ className, ...rest }: ComponentProps<'main'>) {
  return <main id="main" tabIndex={-1} className={cn('outline-none', className)} {...rest} />;
}
