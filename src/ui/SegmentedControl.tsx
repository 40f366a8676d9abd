import { useId } from 'react';
import { cn } from './class-names.ts';

export type SegmentedControlProps<Value extends string> = {
  /** The accessible name of the group. */
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  className?: string;
};

/** Selects one of a few visible options. */
export function SegmentedControl<Value extends string>({
  label,
  options,
  value,
  onChange,
  className,
}: SegmentedControlProps<Value>) {
  const name = useId();
  return (
    <fieldset
      className={cn('inline-flex flex-wrap rounded-md border border-line bg-sunken p-0.5', className)}
    >
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex min-h-11 grow cursor-pointer items-center justify-center rounded-sm px-3.5 text-sm font-semibold text-muted transition-colors hover:text-ink has-checked:bg-club has-checked:text-club-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
