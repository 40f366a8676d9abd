import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { useField } from './Field.tsx';

export type SelectProps = ComponentProps<'select'> & {
  /** Takes little space, beside a number. */
  compact?: boolean;
};

/** A native select, which works best on phones. The children are its options. */
export function Select({ className, compact = false, ...props }: SelectProps) {
  return (
    <span className={cn('relative inline-flex w-full min-w-0', className)}>
      <select
        {...useField(props)}
        className={cn(controlLooks, 'appearance-none', compact ? 'pr-7 pl-2.5 text-sm' : 'pr-10')}
      />
      <ChevronDown
        aria-hidden
        className={cn(
          'pointer-events-none absolute top-1/2 size-4.5 -translate-y-1/2 text-muted',
          compact ? 'right-2' : 'right-3',
        )}
      />
    </span>
  );
}
