import type { ReactNode } from 'react';
import { Field } from '#ui/Field.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { TextInput } from '#ui/TextInput.tsx';

export type TextFieldProps = {
  label: string;
  /** The limit of the server. */
  maxLength: number;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  error?: ReactNode;
  required?: boolean;
};

export function TextField({
  label,
  maxLength,
  value,
  onChange,
  hint,
  error,
  required = false,
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error || undefined} required={required}>
      <TextInput
        maxLength={maxLength}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

export type LongFieldProps = Omit<TextFieldProps, 'error'> & { rows: number };

export function LongField({
  label,
  maxLength,
  value,
  onChange,
  hint,
  required = false,
  rows,
}: LongFieldProps) {
  return (
    <Field label={label} hint={hint} required={required}>
      <TextArea
        rows={rows}
        maxLength={maxLength}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
