import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';
import { Tooltip } from './Tooltip.tsx';

export type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-label'> & {
  /** The accessible name and the tooltip. */
  label: string;
  icon: LucideIcon;
  /** A small count at the corner. The label should contain it too. */
  badge?: string | undefined;
  tone?: 'neutral' | 'accent' | 'danger';
};

const tones = {
  neutral: 'text-muted hover:bg-sunken hover:text-ink',
  accent: 'text-accent hover:bg-accent-soft hover:text-accent-strong',
  danger: 'text-danger hover:bg-danger-soft hover:text-danger-strong',
};

export function IconButton({
  label,
  icon: Icon,
  badge,
  tone = 'neutral',
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={cn(
          'relative inline-grid size-11 shrink-0 place-items-center rounded-full transition-colors duration-150 disabled:opacity-40 data-[state=open]:bg-sunken',
          tones[tone],
          className,
        )}
      >
        <Icon aria-hidden className="size-5" />
        {badge && (
          <span
            aria-hidden
            className="absolute top-0.5 left-[55%] min-w-4.5 rounded-full bg-danger-solid px-1 text-center text-[min(0.6875rem,13px)] leading-[18px] font-bold text-danger-ink tabular-nums"
          >
            {badge}
          </span>
        )}
      </button>
    </Tooltip>
  );
}
