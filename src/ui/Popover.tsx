import { Slot } from './Slot.tsx';
import {
  createContext,
  useCallback,
  use,
  type FocusEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { cn } from './class-names.ts';
import { focusFirst } from './focus.ts';
import { type Placement, usePlaced } from './placement.ts';

export type PopoverProps = {
  /** The button that opens the panel. Must accept a ref. */
  trigger: ReactElement;
  /** The accessible name of the panel; defaults to that of the trigger. */
  label?: string;
  children: ReactNode;
  align?: Placement['align'];
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  role?: 'dialog' | 'menu';
  className?: string;
};

const CloseContext = createContext<() => void>(() => {});

/** Returns a function that closes the surrounding popover and returns the focus to its button. */
export const useClosePopover = () => use(CloseContext);

/**
 * A panel beside a button. It is rendered next to the button and shown in the browser's top layer: inside a dialog it is
 * part of the focus trap, and no ancestor clips it.
 */
export function Popover({ trigger, children, open, onOpenChange, role = 'dialog', ...panel }: PopoverProps) {
  const [ownOpen, setOwnOpen] = useState(false);
  const shown = open ?? ownOpen;
  const anchor = useRef<HTMLElement>(null);
  const id = useId();
  const set = useCallback(
    (next: boolean) => {
      setOwnOpen(next);
      onOpenChange?.(next);
    },
    [onOpenChange],
  );
  const close = useCallback(() => {
    anchor.current?.focus();
    set(false);
  }, [set]);
  return (
    <>
      <Slot
        ref={anchor}
        id={`${id}-trigger`}
        aria-haspopup={role}
        aria-expanded={shown}
        aria-controls={shown ? id : undefined}
        data-state={shown ? 'open' : 'closed'}
        onClick={() => set(!shown)}
      >
        {trigger}
      </Slot>
      {shown && (
        <Panel {...panel} id={id} role={role} anchor={anchor} onEscape={close} onLeave={() => set(false)}>
          <CloseContext value={close}>{children}</CloseContext>
        </Panel>
      )}
    </>
  );
}

type PanelProps = Pick<PopoverProps, 'label' | 'align' | 'role' | 'className'> & {
  id: string;
  anchor: RefObject<HTMLElement | null>;
  onEscape: () => void;
  onLeave: () => void;
  children: ReactNode;
};

function Panel({
  id,
  label,
  align = 'end',
  role,
  className,
  anchor,
  onEscape,
  onLeave,
  children,
}: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  usePlaced(panel, anchor, { side: 'bottom', align });
  const isOutside = (target: EventTarget | null) =>
    target instanceof Node && !panel.current?.contains(target) && !anchor.current?.contains(target);

  useEffect(() => {
    // An element with autofocus may already have the focus.
    if (panel.current?.contains(document.activeElement)) return;
    if (role === 'menu') focusFirst(panel.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []);
    else panel.current?.focus({ preventScroll: true });
  }, [role]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // In the capture phase, before a surrounding dialog: one press closes one layer.
      event.stopPropagation();
      onEscape();
    };
    const onPointerDown = (event: PointerEvent) => isOutside(event.target) && onLeave();
    window.addEventListener('keydown', onKeyDown, true);
    window.addEventListener('pointerdown', onPointerDown, true);
    return () => {
      window.removeEventListener('keydown', onKeyDown, true);
      window.removeEventListener('pointerdown', onPointerDown, true);
    };
  });
  return (
    <div
      ref={panel}
      id={id}
      role={role}
      aria-label={label}
      aria-labelledby={label ? undefined : `${id}-trigger`}
      tabIndex={-1}
      onBlur={(event: FocusEvent) => isOutside(event.relatedTarget) && onLeave()}
      className={cn(
        'fixed inset-auto z-60 max-h-[calc(100dvh-1rem)] max-w-[calc(100vw-1rem)] animate-pop-in overflow-y-auto overscroll-contain rounded-lg border border-line bg-raised text-left text-base font-normal text-ink shadow-lg outline-none',
        className,
      )}
    >
      {children}
    </div>
  );
}
