import { CalendarDays } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { DATE_TIME_PATTERN, dateTimeText, parseDateTime } from './date-time-text.ts';
import { useField } from './Field.tsx';
import { Popover } from './Popover.tsx';
import { Skeleton } from './Skeleton.tsx';

const loadPanel = () => import('./DateTimePanel.tsx');
const DateTimePanel = lazy(loadPanel);

export type DateTimeInputProps = {
  /** In the viewer's zone. */
  value: Date | null;
  /** Gets null while what is typed is no date and time. */
  onChange: (value: Date | null) => void;
  disabled?: boolean;
  'aria-label'?: string;
  className?: string;
};

/** What is being typed, and what it last meant: a value set from outside since then replaces the text. */
type Draft = { text: string; meant: Date | null };

/** A day and a time, typed or picked. */
export function DateTimeInput({ value, onChange, disabled, className, ...name }: DateTimeInputProps) {
  const wiring: { 'aria-describedby'?: string; 'aria-invalid'?: true } = useField(name);
  const problemId = useId();
  const [draft, setDraft] = useState<Draft>();
  const [left, setLeft] = useState(false);

  const current = draft && draft.meant?.getTime() === value?.getTime() ? draft : undefined;
  const text = current?.text ?? (value ? dateTimeText(value) : '');
  const unreadable = left && value === null && text.trim() !== '';

  const type = (next: string) => {
    const meant = parseDateTime(next);
    setDraft({ text: next, meant });
    setLeft(false);
    if (meant?.getTime() !== value?.getTime()) onChange(meant);
  };
  const pick = (next: Date) => {
    setDraft(undefined);
    onChange(next);
  };
  const settle = () => {
    setLeft(true);
    if (value) setDraft(undefined);
  };
  const leave = () => {
    // The button whose press takes the focus must not move away under the pointer: the message comes after the click.
    if (document.querySelector('button:active')) document.addEventListener('click', settle, { once: true });
    else settle();
  };
  return (
    <div className={className}>
      <div className="relative">
        <input
          {...wiring}
          aria-describedby={cn(wiring['aria-describedby'], unreadable && problemId) || undefined}
          aria-invalid={unreadable || wiring['aria-invalid']}
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder={DATE_TIME_PATTERN}
          disabled={disabled}
          value={text}
          onChange={(event) => type(event.target.value)}
          onBlur={leave}
          className={cn(controlLooks, 'pr-12 tabular-nums')}
        />
        <Popover
          label="Pick date and time"
          className="w-84 rounded-xl! p-3"
          trigger={
            <button
              type="button"
              aria-label="Pick date and time"
              disabled={disabled}
              onPointerEnter={() => void loadPanel()}
              className="absolute top-0 right-0 grid size-11 place-items-center rounded-md text-muted transition-colors hover:text-ink"
            >
              <CalendarDays aria-hidden className="size-5" />
            </button>
          }
        >
          <Suspense fallback={<Skeleton className="h-112" />}>
            <DateTimePanel value={value} onChange={pick} />
          </Suspense>
        </Popover>
      </div>
      {unreadable && (
        <p id={problemId} role="alert" className="mt-1.5 text-sm font-medium text-danger">
          Write it as {DATE_TIME_PATTERN}, for example 06/21/2026 07:30 PM.
        </p>
      )}
    </div>
  );
}
