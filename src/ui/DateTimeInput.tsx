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
  /** In the viewer's time zone. */
  value: Date | null;
  /** Called with null while the input is not a valid date and time. */
  onChange: (value: Date | null) => void;
  disabled?: boolean;
  'aria-label'?: string;
  className?: string;
};

/** The typed text and its parsed value. If the `value` prop differs from the parsed value, it replaces the text. */
type Draft = { text: string; parsed: Date | null };

/** A date and time, typed or picked from a calendar. */
export function DateTimeInput({ value, onChange, disabled, className, ...name }: DateTimeInputProps) {
  const fieldProps: { 'aria-describedby'?: string; 'aria-invalid'?: true } = useField(name);
  const errorId = useId();
  const [draft, setDraft] = useState<Draft>();
  const [blurred, setBlurred] = useState(false);

  const current = draft && draft.parsed?.getTime() === value?.getTime() ? draft : undefined;
  const text = current?.text ?? (value ? dateTimeText(value) : '');
  const isInvalid = blurred && value === null && text.trim() !== '';

  const type = (next: string) => {
    const parsed = parseDateTime(next);
    setDraft({ text: next, parsed });
    setBlurred(false);
    if (parsed?.getTime() !== value?.getTime()) onChange(parsed);
  };
  const pick = (next: Date) => {
    setDraft(undefined);
    onChange(next);
  };
  const validate = () => {
    setBlurred(true);
    if (value) setDraft(undefined);
  };
  const onBlur = () => {
    // If a button press causes the blur, show the error only after the click: it would move the button.
    if (document.querySelector('button:active')) document.addEventListener('click', validate, { once: true });
    else validate();
  };
  return (
    <div className={className}>
      <div className="relative">
        <input
          {...fieldProps}
          aria-describedby={cn(fieldProps['aria-describedby'], isInvalid && errorId) || undefined}
          aria-invalid={isInvalid || fieldProps['aria-invalid']}
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder={DATE_TIME_PATTERN}
          disabled={disabled}
          value={text}
          onChange={(event) => type(event.target.value)}
          onBlur={onBlur}
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
      {isInvalid && (
        <p id={errorId} role="alert" className="mt-1.5 text-sm font-medium text-danger">
          Write it as {DATE_TIME_PATTERN}, for example 06/21/2026 07:30 PM.
        </p>
      )}
    </div>
  );
}
