import { useId } from 'react';
import { cn } from './class-names.ts';

export interface RadioChoice<Value extends string> {
  value: Value;
  label: string;
  hint?: string;
}

export type RadioListProps<Value extends string> = {
  legend: string;
  /** Shows the legend to screen readers only. */
  legendHidden?: boolean;
  choices: readonly RadioChoice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
};

/** One choice of a few in a dialog, one below the other, each with room for a hint. */
export function RadioList<Value extends string>({
  legend,
  legendHidden = false,
  choices,
  value: chosen,
  onChange,
}: RadioListProps<Value>) {
  const name = useId();
  return (
    <fieldset>
      <legend className={cn('mb-1 font-semibold', legendHidden && 'sr-only')}>{legend}</legend>
      {choices.map(({ value, label, hint }) => (
        <label
          key={value}
          className="flex min-h-12 cursor-pointer items-start gap-3 rounded-md px-2 py-3 hover:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => onChange(value)}
            className="mt-0.5 size-5 shrink-0 accent-accent"
          />
          <span className="min-w-0 wrap-anywhere">
            {label}
            {hint && <span className="block text-sm text-muted">{hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
