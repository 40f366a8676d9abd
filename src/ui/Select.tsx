import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { useField } from './Field.tsx';

export type SelectProps = ComponentProps<'select'>;

/** A native select, which works best on phones. The children are its options. */
export function Select({ className, ...props }: SelectProps) {
  return (
    <span className={cn('relative inline-flex w-full min-w-0', className)}>
      <select {...useField(props)} className={cn(controlLooks, 'appearance-none pr-10')} />
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4.5 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
