import { Check } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './class-names.ts';

export type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'children'> & {
  label: ReactNode;
  hint?: ReactNode;
};

/**
 * A checkbox with its label. The whole row is clickable. A disabled checkbox shows its mark without a box, because
 * nobody can change it.
 */
export function Checkbox({ label, hint, className, ...props }: CheckboxProps) {
  return (
    <label
      className={cn(
        'flex min-h-11 cursor-pointer items-start gap-3 py-2.5 has-disabled:cursor-default has-disabled:text-muted',
        className,
      )}
    >
      <span className="relative mt-0.5 inline-grid size-5 shrink-0 place-items-center">
        <input
          type="checkbox"
          {...props}
          className="peer size-5 cursor-pointer appearance-none rounded-sm border border-control bg-surface transition-colors checked:border-accent checked:bg-accent disabled:cursor-default disabled:border-0 disabled:bg-transparent aria-invalid:border-danger"
        />
        <Check
          aria-hidden
          strokeWidth={3}
          className="pointer-events-none absolute size-3.5 text-accent-ink opacity-0 forced-colors:text-[CanvasText] peer-checked:opacity-100 peer-disabled:size-4.5 peer-disabled:text-muted"
        />
      </span>
      <span className="min-w-0">
        <span className="block leading-[1.5rem] wrap-anywhere hyphens-auto">{label}</span>
        {hint && <span className="block text-sm text-muted">{hint}</span>}
      </span>
    </label>
  );
}
