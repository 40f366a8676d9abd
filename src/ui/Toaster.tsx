import { X } from 'lucide-react';
import { Toast as Primitive } from 'radix-ui';
import { useSyncExternalStore } from 'react';
import { cn } from './class-names.ts';
import {
  dismissToast,
  onToasts,
  TOAST_DURATION,
  TOAST_SWIPE_THRESHOLD,
  type ToastEntry,
  toasts,
} from './toast.ts';

/** Where toasts appear. Mounted once, for good; F8 moves the focus there. */
export function Toaster() {
  const shown = useSyncExternalStore(onToasts, toasts);
  return (
    <Primitive.Provider
      duration={TOAST_DURATION}
      swipeThreshold={TOAST_SWIPE_THRESHOLD}
      swipeDirection="right"
    >
      {shown.map((entry) => (
        <Toast key={entry.id} {...entry} />
      ))}
      <Primitive.Viewport
        hotkey={['F8']}
        className="pointer-events-none fixed inset-x-0 top-0 z-70 flex flex-col gap-2 p-4 pt-17 outline-none sm:top-auto sm:right-0 sm:bottom-0 sm:left-auto sm:w-104 sm:pt-4"
      />
    </Primitive.Provider>
  );
}

function Toast({ id, open, title, text, tone = 'neutral' }: ToastEntry) {
  return (
    <Primitive.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) dismissToast(id);
      }}
      data-tone={tone}
      className={cn(
        'pointer-events-auto flex animate-rise-in items-start gap-2 rounded-lg border py-3 pr-1.5 pl-4 shadow-lg',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
        tone === 'danger'
          ? 'border-danger-solid bg-danger-solid text-danger-ink'
          : 'border-line bg-raised text-ink',
      )}
    >
      <div className="min-w-0 grow py-1">
        <Primitive.Title className="font-semibold">{title}</Primitive.Title>
        {text && (
          <Primitive.Description className={cn('mt-0.5 text-sm', tone === 'neutral' && 'text-muted')}>
            {text}
          </Primitive.Description>
        )}
      </div>
      <Primitive.Close
        aria-label="Close"
        className="-my-1.5 grid size-11 shrink-0 place-items-center rounded-full opacity-80 transition-opacity hover:opacity-100 focus-visible:outline-current"
      >
        <X aria-hidden className="size-4.5" />
      </Primitive.Close>
    </Primitive.Root>
  );
}
