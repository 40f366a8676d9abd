import { cn } from '#ui/class-names.ts';
import { settings } from './settings.ts';

/** The product icon and name. */
export function Logo({ className }: { className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-2.5 text-lg font-bold tracking-tight', className)}>
      <img src="/icon.svg" alt="" width="32" height="32" className="size-8" />
      {settings.productName}
    </span>
  );
}
