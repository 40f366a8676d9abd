import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './class-names.ts';

export type EmptyStateProps = {
  icon: LucideIcon;
  title: ReactNode;
  /** Describes the next step. */
  text?: ReactNode;
  /** A button or link for the next step. */
  action?: ReactNode;
  className?: string;
};

export function EmptyState({ icon: Icon, title, text, action, className }: EmptyStateProps) {
  return (
    <div className={cn('flex flex-col items-center px-6 py-12 text-center', className)}>
      <span className="mb-4 grid size-16 place-items-center rounded-full bg-accent-soft text-accent">
        <Icon aria-hidden className="size-7" strokeWidth={1.75} />
      </span>
      <p className="text-lg font-semibold">{title}</p>
      {text && <p className="mt-1 max-w-96 text-balance text-muted">{text}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}
