import { ChevronDown } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { cn } from './class-names.ts';

export type SectionProps = {
  title: ReactNode;
  /** The number of items. */
  count?: number | undefined;
  actions?: ReactNode;
  /** `mobile`: collapsible below 768 px, always open above. */
  collapsible?: 'mobile';
  defaultOpen?: boolean;
  id?: string;
  className?: string;
  children: ReactNode;
};

/** A titled part of a page. */
export function Section({
  title,
  count,
  actions,
  collapsible,
  defaultOpen = true,
  id,
  className,
  children,
}: SectionProps) {
  const [open, setOpen] = useState(defaultOpen);
  const name = useId();
  const body = useId();
  return (
    <section id={id} aria-labelledby={name} className={cn('min-w-0', className)}>
      <div className="relative flex min-h-11 flex-wrap items-center gap-2">
        <h2 id={name} className="min-w-0 text-lg font-bold sm:text-xl">
          <span>{title}</span>
          {count !== undefined && (
            <span className="ml-2 text-base font-medium text-muted tabular-nums">{count}</span>
          )}
        </h2>
        {collapsible && (
          <button
            type="button"
            aria-labelledby={name}
            aria-expanded={open}
            aria-controls={body}
            onClick={() => setOpen(!open)}
            className="-m-1 grid size-11 shrink-0 place-items-center rounded-full text-muted before:absolute before:inset-0 md:hidden"
          >
            <ChevronDown aria-hidden className={cn('size-5 transition-transform', open && 'rotate-180')} />
          </button>
        )}
        {actions && (
          <div className="relative ml-auto flex items-center gap-2 max-sm:has-[fieldset]:w-full">
            {actions}
          </div>
        )}
      </div>
      <div id={body} className={cn('pt-1 sm:pt-3', collapsible && !open && 'max-md:hidden')}>
        {children}
      </div>
    </section>
  );
}
