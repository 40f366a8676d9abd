import { createContext, type FormEvent, type ReactNode, use, useId, useMemo, useState } from 'react';
import { isBlank } from '#wire/blank.ts';
import { cn } from './class-names.ts';
import { t } from './messages.ts';

type Wiring = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  required: boolean | undefined;
};

const FieldContext = createContext<Wiring | undefined>(undefined);

/** The props that connect the native element of a control with the Field around it. */
export function useField<Props extends object>(props: Props): Props & Partial<Wiring> {
  const wiring = use(FieldContext);
  return wiring ? { ...wiring, ...props } : props;
}

export type FieldProps = {
  label: string;
  hint?: ReactNode;
  /** Tells the user how to fix the input. Replaces the hint. */
  error?: ReactNode;
  required?: boolean;
  /** Shows the label to screen readers only. */
  labelHidden?: boolean;
  className?: string;
  children: ReactNode;
};

/**
 * A label, one control of this design system, and its hint or error, connected for assistive technology. Invisible
 * characters, which no text of the API may consist of, are an error of their own.
 */
export function Field({
  label,
  hint,
  error: problem,
  required,
  labelHidden,
  className,
  children,
}: FieldProps) {
  const id = useId();
  const [isInvisible, setIsInvisible] = useState(false);
  const error = problem || (isInvisible && t('invisibleText'));
  const note = error || hint;
  const noted = Boolean(note);
  const wrong = Boolean(error);
  const check = ({ target }: FormEvent) => {
    const { value } = target as HTMLInputElement;
    setIsInvisible(value.trim() !== '' && isBlank(value));
  };
  const wiring = useMemo<Wiring>(
    () => ({
      id,
      'aria-describedby': noted ? `${id}-note` : undefined,
      'aria-invalid': wrong || undefined,
      required: required || undefined,
    }),
    [id, noted, wrong, required],
  );
  return (
    <div onInput={check} className={cn('flex min-w-0 flex-col gap-1.5', className)}>
      <label
        id={`${id}-label`}
        htmlFor={id}
        className={cn('text-sm font-semibold', labelHidden && 'sr-only')}
      >
        {label}
        {required && (
          <span aria-hidden className="ml-0.5 text-danger">
            *
          </span>
        )}
      </label>
      <FieldContext value={wiring}>{children}</FieldContext>
      {note && (
        <p
          id={`${id}-note`}
          role={error ? 'alert' : undefined}
          className={cn('text-sm', error ? 'font-medium text-danger' : 'text-muted')}
        >
          {note}
        </p>
      )}
    </div>
  );
}
