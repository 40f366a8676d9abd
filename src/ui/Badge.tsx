import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';

const tones = {
  /** For the normal state, without a background. */
  quiet: 'border border-line text-muted',
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
};

export type BadgeProps = ComponentProps<'span'> & { tone?: keyof typeof tones };

export function Badge({ tone = 'neutral', className, ...rest }: BadgeProps) {
  return (
    <span
      className={cn(
        'inline-flex w-fit items-center gap-1 rounded-full px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap [&_svg]:size-3.5',
        tones[tone],
        className,
      )}
      {...rest}
    />
  );
}
