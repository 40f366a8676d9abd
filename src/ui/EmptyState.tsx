import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './class-names.ts';
import { Drawing, type DrawingName } from './Drawing.tsx';

export type EmptyStateProps = {
  /** A drawing for what does not exist yet, an icon for what the viewer may not do. */
  icon: DrawingName | LucideIcon;
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
      {typeof Icon === 'string' ? (
        <Drawing name={Icon} className="mb-3 text-club" />
      ) : (
        <span className="mb-4 grid size-16 place-items-center rounded-full bg-accent-soft text-accent">
          <Icon aria-hidden className="size-7" strokeWidth={1.75} />
        </span>
      )}
      <p className="font-display text-lg font-semibold">{title}</p>
      {text && <p className="mt-1 max-w-96 text-balance text-muted">{text}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}
