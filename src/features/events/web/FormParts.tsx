import { Plus } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '#ui/Button.tsx';

/** A part of the form that is folded at first. */
export interface FormPart {
  /** The label of the chip that unfolds it. */
  label: string;
  isOpen: boolean;
  unfold: () => void;
  content: ReactNode;
}

/** An open part. It takes the focus if the user has unfolded it, because its chip is gone. */
export function OpenPart({ takesFocus, children }: { takesFocus: boolean; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, [takesFocus]);
  return (
    <div ref={element} className="flex flex-col gap-5">
      {children}
    </div>
  );
}

/** One chip for each folded part. */
export function PartChips({ label, parts }: { label: string; parts: readonly FormPart[] }) {
  const folded = parts.filter(({ isOpen }) => !isOpen);
  if (folded.length === 0) return null;
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-2">
      {folded.map((part) => (
        <Button
          key={part.label}
          variant="secondary"
          size="sm"
          aria-expanded={false}
          className="max-w-full shrink! rounded-full!"
          onClick={part.unfold}
        >
          <Plus aria-hidden />
          {part.label}
        </Button>
      ))}
    </div>
  );
}
