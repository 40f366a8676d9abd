import { ArrowLeft } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './class-names.ts';
import { t } from '#ui/messages.ts';

/** Navigates back. */
export function BackButton({
  label = t('back'),
  className,
  ...rest
}: { label?: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      className={cn(
        '-ml-2 inline-flex min-h-11 items-center gap-1.5 rounded-md px-2 text-sm font-semibold text-muted transition-colors hover:text-ink',
        className,
      )}
    >
      <ArrowLeft aria-hidden className="size-4.5" />
      {label}
    </button>
  );
}

export type PageHeaderProps = {
  title: ReactNode;
  text?: ReactNode;
  /** A BackButton. */
  back?: ReactNode;
  /** Buttons beside the title, or below it on phones. */
  actions?: ReactNode;
  className?: string;
};

/** The header of a page, with its only `h1`. */
export function PageHeader({ title, text, back, actions, className }: PageHeaderProps) {
  return (
    <header className={cn('mb-6 sm:mb-8', className)}>
      {back && <div className="mb-2">{back}</div>}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-2xl font-bold sm:text-3xl">{title}</h1>
          {text && <p className="mt-1.5 max-w-prose text-muted">{text}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  );
}
