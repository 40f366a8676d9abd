import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { Field, useField } from './Field.tsx';

export type TextInputProps = ComponentProps<'input'>;

export function TextInput({ className, ...props }: TextInputProps) {
  return <input type="text" {...useField(props)} className={cn(controlLooks, className)} />;
}

type SearchFieldProps = {
  label: string;
  /** Without it, the label is shown as the placeholder. */
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
};

/** A field whose text filters the list below it. */
export function SearchField({ label, placeholder, value, onChange, className }: SearchFieldProps) {
  return (
    <Field label={label} labelHidden={placeholder === undefined} className={className}>
      <TextInput
        type="search"
        value={value}
        maxLength={100}
        placeholder={placeholder ?? label}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
