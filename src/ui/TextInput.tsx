import type { ComponentProps } from 'react';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { useField } from './Field.tsx';

export type TextInputProps = ComponentProps<'input'>;

export function TextInput({ className, ...props }: TextInputProps) {
  return <input type="text" {...useField(props)} className={cn(controlLooks, className)} />;
}
