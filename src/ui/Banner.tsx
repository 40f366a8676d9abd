import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './class-names.ts';
import { t } from '#ui/messages.ts';
import type { Elements } from './elements.ts';

export type BannerProps = Omit<ComponentProps<'div'>, 'title'> & {
  tone?: keyof typeof tones;
  title?: ReactNode;
  /** A button or link after the text. */
  action?: Elements;
};

const tones = {
  neutral: { icon: Info, looks: 'border border-line bg-raised text-ink', mark: 'text-muted' },
  accent: { icon: Info, looks: 'bg-accent-soft text-ink', mark: 'text-accent' },
  ok: { icon: CircleCheck, looks: 'bg-ok-soft text-ink', mark: 'text-ok' },
  warn: { icon: TriangleAlert, looks: 'bg-warn-soft text-ink', mark: 'text-warn' },
  /** A failure. */
  error: { icon: CircleAlert, looks: 'bg-danger-soft text-ink', mark: 'text-danger' },
  danger: { icon: CircleAlert, looks: 'bg-danger-solid text-danger-ink', mark: 'text-danger-ink' },
};

/** An inline notice. Needs `role="status"` or `"alert"` if it appears in response to an action. */
export function Banner({ tone = 'neutral', title, action, className, children, ...rest }: BannerProps) {
  const { icon: Icon, looks, mark } = tones[tone];
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-4 py-3 forced-colors:border',
        looks,
        className,
      )}
      {...rest}
    >
      <Icon aria-hidden className={cn('size-5 shrink-0', mark)} />
      <div className="min-w-0 flex-1 basis-48">
        {title && <p className="font-semibold">{title}</p>}
        {children && <div className={title ? 'text-sm' : 'font-medium'}>{children}</div>}
      </div>
      {action}
    </div>
  );
}

const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView?.({ block: 'nearest' });

type NotSavedProps = { title: string; reason: string | null; advice?: string };

/** The error of a failed form submission. Unlike the toast, it stays beside the form. */
export function NotSaved({ title, reason, advice = t('stillHere') }: NotSavedProps) {
  return (
    reason && (
      <Banner ref={scrollTo} tone="error" role="alert" title={title}>
        {reason} {advice}
      </Banner>
    )
  );
}
