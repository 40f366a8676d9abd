import type { ReactNode } from 'react';
import { cn } from './class-names.ts';

type InlineErrorProps = { children: ReactNode; className?: string | undefined };

/** Says next to a control why it had no effect. Renders nothing without children. */
export function InlineError({ children, className }: InlineErrorProps) {
  if (!children) return null;
  return (
    <p role="alert" className={cn('text-sm font-medium text-danger', className)}>
      {children}
    </p>
  );
}
