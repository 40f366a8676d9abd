import { X } from 'lucide-react';
import {
  type FocusEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { cn } from './class-names.ts';
import {
  dismissToast,
  onToasts,
  TOAST_DURATION,
  TOAST_SWIPE_THRESHOLD,
  type ToastEntry,
  toasts,
} from './toast.ts';
import { useCountdown } from './useCountdown.ts';
import { t } from '#ui/messages.ts';

/** The toast list. Mounted once and permanently. F8 moves the focus there, and Escape closes the visible toasts. */
export function Toaster() {
  const shown = useSyncExternalStore(onToasts, toasts, toasts).filter(({ open }) => open);
  const list = useRef<HTMLOListElement>(null);
  const [focused, setFocused] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'F8') list.current?.focus();
      // One press closes one layer: a dialog that handles the key prevents the default.
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      for (const { id } of toasts()) dismissToast(id);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <section
      aria-label={t('toasts')}
      data-toasts
      onFocus={() => setFocused(true)}
      onBlur={({ currentTarget, relatedTarget }: FocusEvent) =>
        setFocused(currentTarget.contains(relatedTarget as Node | null))
      }
    >
      <ol
        ref={list}
        tabIndex={-1}
        aria-live="assertive"
        // On a phone, a dialog has its close button where the toasts are, so they leave room for it.
        className="pointer-events-none fixed inset-x-0 top-0 z-70 flex flex-col gap-2 p-4 pt-17 outline-none max-sm:in-[body:has([data-scrim])]:pr-18 sm:top-auto sm:right-0 sm:bottom-0 sm:left-auto sm:w-104 sm:pt-4"
      >
        {shown.map((entry) => (
          <Toast key={entry.id} {...entry} paused={focused} />
        ))}
      </ol>
    </section>
  );
}

function Toast({
  id,
  title,
  text,
  tone = 'neutral',
  duration = TOAST_DURATION,
  paused,
}: ToastEntry & { paused: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  const [hovered, setHovered] = useState(false);
  const close = () => dismissToast(id);
  const { moved, ...swipe } = useSwipe(close);
  useCountdown(duration, paused || hovered, close);
  useLayoutEffect(() => {
    const element = item.current;
    // Moves the focus of a removed toast to the list.
    return () => void (element?.contains(document.activeElement) && element.parentElement?.focus());
  }, []);
  return (
    <li
      ref={item}
      tabIndex={0}
      data-tone={tone}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      {...swipe}
      style={{ translate: `${moved}px` }}
      className={cn(
        'pointer-events-auto flex animate-rise-in touch-none items-start gap-2 rounded-lg border py-3 pr-1.5 pl-4 shadow-lg select-none',
        moved === 0 && 'transition-[translate]',
        tone === 'danger'
          ? 'border-danger-solid bg-danger-solid text-danger-ink'
          : 'border-line bg-raised text-ink',
      )}
    >
      <div className="min-w-0 grow py-1">
        <div className="font-semibold">{title}</div>
        {text && <div className={cn('mt-0.5 text-sm', tone === 'neutral' && 'text-muted')}>{text}</div>}
      </div>
      <button
        type="button"
        aria-label={t('close')}
        onClick={close}
        className="-my-1.5 grid size-11 shrink-0 place-items-center rounded-full opacity-80 transition-opacity hover:opacity-100 focus-visible:outline-current"
      >
        <X aria-hidden className="size-4.5" />
      </button>
    </li>
  );
}

/** Movement in pixels that does not yet count as a swipe. */
const SWIPE_TOLERANCE = 10;

/** Drags the element to the right. Calls `onSwiped` past the threshold, otherwise the element moves back. */
function useSwipe(onSwiped: () => void) {
  const from = useRef<{ x: number; y: number }>(undefined);
  const [moved, setMoved] = useState(0);
  const stop = () => {
    from.current = undefined;
    setMoved(0);
  };
  return {
    moved,
    onPointerDown({ button, clientX: x, clientY: y }: PointerEvent) {
      if (button === 0) from.current = { x, y };
    },
    onPointerMove({ clientX, clientY, currentTarget, pointerId }: PointerEvent) {
      if (!from.current) return;
      const x = Math.max(0, clientX - from.current.x);
      if (moved > 0) setMoved(x);
      else if (x > SWIPE_TOLERANCE) {
        currentTarget.setPointerCapture(pointerId);
        setMoved(x);
      } else if (Math.abs(clientY - from.current.y) > SWIPE_TOLERANCE) stop();
    },
    onPointerUp({ clientX }: PointerEvent) {
      // Computed from the event, because the `moved` state may not be rendered yet.
      if (from.current && clientX - from.current.x >= TOAST_SWIPE_THRESHOLD) onSwiped();
      stop();
    },
    onPointerCancel: stop,
  };
}
