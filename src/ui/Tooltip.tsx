import { Slot } from './Slot.tsx';
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { type Placement, usePlaced } from './placement.ts';

const OPENS_AFTER = 400;
/** In milliseconds, long enough to move the pointer onto the tooltip. */
const CLOSES_AFTER = 120;

export type TooltipProps = {
  text: ReactNode;
  side?: Placement['side'];
  /** One control that accepts a ref. */
  children: ReactElement;
};

/** A short text shown on hover and focus. Must not be the only source of the information. */
export function Tooltip({ text, side = 'top', children }: TooltipProps) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const soon = (next: boolean, after: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(next), after);
  };
  const close = () => soon(false, 0);
  const stay = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <>
      <Slot
        ref={anchor}
        onPointerEnter={(event) => event.pointerType === 'mouse' && soon(true, OPENS_AFTER)}
        onPointerLeave={() => soon(false, CLOSES_AFTER)}
        onPointerDown={close}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && soon(true, OPENS_AFTER)}
        onBlur={close}
      >
        {children}
      </Slot>
      {open && (
        <Bubble anchor={anchor} side={side} onStay={stay} onClose={() => soon(false, CLOSES_AFTER)}>
          {text}
        </Bubble>
      )}
    </>
  );
}

type BubbleProps = {
  anchor: RefObject<HTMLElement | null>;
  side: Placement['side'];
  onStay: () => void;
  onClose: () => void;
  children: ReactNode;
};

function Bubble({ anchor, side, onStay, onClose, children }: BubbleProps) {
  const bubble = useRef<HTMLDivElement>(null);
  usePlaced(bubble, anchor, { side, align: 'center' });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && onClose();
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
  return (
    <div
      ref={bubble}
      role="tooltip"
      onPointerEnter={onStay}
      onPointerLeave={onClose}
      className="fixed inset-auto z-60 w-max max-w-64 animate-fade-in rounded-sm bg-ink px-2.5 py-1.5 text-left text-xs font-medium whitespace-normal text-bg shadow-md"
    >
      {children}
    </div>
  );
}
