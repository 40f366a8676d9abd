import { Check, Copy } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from './Button.tsx';
import { cn } from './class-names.ts';
import { controlLooks } from './control-looks.ts';
import { copyText } from './copy-text.ts';
import { t } from '#ui/messages.ts';

const COPIED_FOR = 2000;

export type CopyFieldProps = {
  label: string;
  value: string;
  onCopied?: () => void;
  labelHidden?: boolean;
  className?: string;
};

/** A read-only value with a button that copies it and shows a confirmation for two seconds. */
export function CopyField({ label, value, onCopied, labelHidden = false, className }: CopyFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [copies, setCopies] = useState(0);

  useEffect(() => {
    if (copies === 0) return;
    const timer = setTimeout(() => setCopies(0), COPIED_FOR);
    return () => clearTimeout(timer);
  }, [copies]);

  const copy = async () => {
    if (!(await copyText(value))) {
      // If the browser forbids copying, select the text for manual copying. The focus handler selects it.
      input.current?.focus();
      return;
    }
    setCopies((before) => before + 1);
    onCopied?.();
  };
  return (
    <div className={cn('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className={cn('text-sm font-semibold', labelHidden && 'sr-only')}>
        {label}
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          ref={input}
          readOnly
          value={value}
          onFocus={(event) => event.target.select()}
          className={cn(controlLooks, 'truncate bg-sunken! font-mono text-sm!')}
        />
        <div className="relative">
          <Button variant="secondary" aria-label={t('copyLabel', { label })} onClick={copy}>
            {copies > 0 ? <Check aria-hidden className="text-ok" /> : <Copy aria-hidden />}
            <span>{t('copy')}</span>
          </Button>
          <span role="status" className="absolute right-0 bottom-full mb-2">
            {copies > 0 && (
              <span className="block animate-pop-in rounded-sm bg-ink px-2.5 py-1 text-xs font-semibold text-bg">
                {t('copied')}
              </span>
            )}
          </span>
        </div>
      </div>
    </div>
  );
}
