import { CalendarDays } from 'lucide-react';
import { Suspense, useId, useState } from 'react';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { dateTimePattern, dateTimeProblem, dateTimeText, parseDateTime } from './date-time-text.ts';
import { useField } from './Field.tsx';
import { Popover } from './Popover.tsx';
import { Skeleton } from './Skeleton.tsx';
import { t } from '#ui/date-time-messages.ts';
import { serverTime } from '#wire/server-time.ts';
import { lazyPart } from './LazyPart.tsx';

const loadPanel = () => import('./DateTimePanel.tsx');
const DateTimePanel = lazyPart(loadPanel);

/** Null while the text can't be read, undefined while it is empty. */
export type TypedDate = Date | null | undefined;

export type DateTimeInputProps = {
  value: TypedDate;
  onChange: (value: TypedDate) => void;
  /** The time zone in which the time is shown and read; defaults to the viewer's. */
  timeZone?: string;
  disabled?: boolean;
  'aria-label'?: string;
  className?: string;
};

/**
 * The typed text, its parsed value, and the value of the field before the text was typed. A `value` prop that differs
 * from the parsed value replaces the text.
 */
type Draft = { text: string; parsed: TypedDate; previous: Date | undefined };

/** A date and time, typed or picked from a calendar. */
export function DateTimeInput({
  value,
  onChange,
  timeZone,
  disabled,
  className,
  ...name
}: DateTimeInputProps) {
  const fieldProps: { 'aria-describedby'?: string; 'aria-invalid'?: true } = useField(name);
  const errorId = useId();
  const [draft, setDraft] = useState<Draft>();
  const [blurred, setBlurred] = useState(false);

  const current = draft && isSame(draft.parsed, value) ? draft : undefined;
  const text = current?.text ?? (value ? dateTimeText(value, timeZone) : '');
  const problem = blurred && text !== '' && !fieldProps['aria-invalid'] && dateTimeProblem(value);
  const isInvalid = Boolean(problem);

  const type = (next: string) => {
    const previous = current ? current.previous : (value ?? undefined);
    const parsed = next.trim() ? parseDateTime(next, serverTime(), timeZone, previous) : undefined;
    setDraft({ text: next, parsed, previous });
    setBlurred(false);
    if (!isSame(parsed, value)) onChange(parsed);
  };
  const pick = (next: Date) => {
    setDraft(undefined);
    onChange(next);
  };
  const validate = () => {
    setBlurred(true);
    if (value !== null) setDraft(undefined);
  };
  const onBlur = () => {
    // If a button press causes the blur, show the error only after the click, because the error would move the button.
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
          placeholder={dateTimePattern()}
          disabled={disabled}
          value={text}
          onChange={(event) => type(event.target.value)}
          onBlur={onBlur}
          className={cn(controlLooks, 'pr-12 tabular-nums')}
        />
        <Popover
          label={t('pickDateAndTime')}
          className="w-84 rounded-xl! p-3"
          trigger={
            <button
              type="button"
              aria-label={t('pickDateAndTime')}
              disabled={disabled}
              onPointerEnter={() => void loadPanel()}
              className="absolute top-0 right-0 grid size-11 place-items-center rounded-md text-muted transition-colors hover:text-ink"
            >
              <CalendarDays aria-hidden className="size-5" />
            </button>
          }
        >
          <Suspense fallback={<Skeleton className="h-112" />}>
            <DateTimePanel value={value ?? null} onChange={pick} timeZone={timeZone} />
          </Suspense>
        </Popover>
      </div>
      {isInvalid && (
        <p id={errorId} role="alert" className="mt-1.5 text-sm font-medium text-danger">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Compares by value. Null and undefined differ. */
const isSame = (one: TypedDate, other: TypedDate) => (one?.getTime() ?? one) === (other?.getTime() ?? other);
