import { Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { cn } from './class-names.ts';
import { useField } from './Field.tsx';
import { t } from '#ui/messages.ts';

export type NumberStepperProps = {
  value: number;
  onChange: (value: number) => void;
  min?: number;
  max?: number;
  step?: number;
  /** Reads other text than a whole number. The field shows the typed text until it loses the focus. */
  onText?: (text: string) => void;
  /** The accessible name. Needed outside a Field, which otherwise provides it. */
  'aria-label'?: string;
  disabled?: boolean;
  className?: string;
};

/** Parses input as an integer. Invalid input counts as 0. */
function wholeNumber(text: string): number {
  const number = Number(text);
  return Number.isFinite(number) ? Math.trunc(number) : 0;
}

export function NumberStepper({
  value,
  onChange,
  min = 0,
  max = 9999,
  step = 1,
  onText,
  disabled = false,
  className,
  ...name
}: NumberStepperProps) {
  const ownId = useId();
  const { required: _, ...fieldProps }: ReturnType<typeof useField<{ id?: string }>> = useField({});
  const id = fieldProps.id ?? ownId;
  const [typed, setTyped] = useState<string>();
  const set = (next: number) => {
    setTyped(undefined);
    onChange(Math.min(max, Math.max(min, next)));
  };
  const type = (text: string) => {
    if (!onText) return set(wholeNumber(text));
    setTyped(text);
    onText(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(value + by);
  };
  const side =
    'grid w-11 shrink-0 place-items-center text-muted focus-visible:-outline-offset-2 enabled:hover:bg-sunken enabled:hover:text-ink disabled:opacity-40';
  return (
    <div
      className={cn(
        // The border overlays the buttons, so that they keep their full size of 44 px.
        'relative flex h-11 overflow-hidden rounded-md bg-surface after:pointer-events-none after:absolute after:inset-0 after:rounded-md after:border after:border-control hover:after:border-muted has-[input:focus-visible]:outline-2 has-[input:focus-visible]:-outline-offset-1 has-[input:focus-visible]:outline-accent has-[input:focus-visible]:after:border-accent',
        className,
      )}
    >
      <button
        type="button"
        aria-label={t('less')}
        aria-controls={id}
        disabled={disabled || value <= min}
        onClick={() => set(value - step)}
        className={side}
      >
        <Minus aria-hidden className="size-4.5" />
      </button>
      <input
        {...fieldProps}
        {...name}
        id={id}
        type="text"
        inputMode={onText ? 'text' : 'numeric'}
        role="spinbutton"
        aria-valuenow={value}
        aria-valuemin={min}
        aria-valuemax={max}
        autoComplete="off"
        disabled={disabled}
        value={typed ?? String(value)}
        onFocus={(event) => event.target.select()}
        onChange={(event) => type(event.target.value)}
        onBlur={() => setTyped(undefined)}
        onKeyDown={onKeyDown}
        className="w-full min-w-0 bg-transparent text-center tabular-nums outline-none"
      />
      <button
        type="button"
        aria-label={t('more')}
        aria-controls={id}
        disabled={disabled || value >= max}
        onClick={() => set(value + step)}
        className={side}
      >
        <Plus aria-hidden className="size-4.5" />
      </button>
    </div>
  );
}
