import { type ComponentProps, useLayoutEffect, useRef } from 'react';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { useField } from './Field.tsx';

export type TextAreaProps = Omit<ComponentProps<'textarea'>, 'ref'>;

/** A text area that grows with its content. */
export function TextArea({ className, rows = 4, ...props }: TextAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    // For browsers without `field-sizing`.
    if (!area.current || globalThis.CSS?.supports?.('field-sizing', 'content')) return;
    area.current.style.height = 'auto';
    area.current.style.height = `${area.current.scrollHeight + 2}px`;
  });
  return (
    <textarea
      {...useField(props)}
      ref={area}
      rows={rows}
      className={cn(
        controlLooks,
        'block field-sizing-content resize-none py-2.5!',
        minimum[rows] ?? 'min-h-28!',
        className,
      )}
    />
  );
}

const minimum: Record<number, string> = {
  2: 'min-h-18!',
  3: 'min-h-24!',
  4: 'min-h-30!',
  6: 'min-h-44!',
  8: 'min-h-56!',
};
