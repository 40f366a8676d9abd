import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { cn } from './class-names.ts';
import { focusAlong, focusTrail } from './focus.ts';

export type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons; the last one is the main one. */
  footer?: ReactNode;
  /** `false`: a click outside does nothing; Escape and the close button still work. */
  dismissible?: boolean;
  size?: 'sm' | 'md' | 'lg';
  role?: 'dialog' | 'alertdialog';
};

const foot = 'pb-[max(1.5rem,env(safe-area-inset-bottom))]';
const sizes = { sm: 'sm:max-w-sm', md: 'sm:max-w-lg', lg: 'sm:max-w-3xl' };

/**
 * A modal dialog: a sheet at the foot of a phone, a card in the middle of a desk. A closed one is nothing: the library's
 * would draw itself a second time when its page comes, before anybody can press anything.
 */
export function Dialog({ open, onOpenChange, ...frame }: DialogProps) {
  if (!open) return null;
  return (
    <Primitive.Root open onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Frame {...frame} />
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** The scrim is our own: the library's one injects a style element, which the security policy refuses. */
function Frame({
  title,
  description,
  children,
  footer,
  dismissible = true,
  size = 'md',
  role = 'dialog',
}: Omit<DialogProps, 'open' | 'onOpenChange'>) {
  const [opener] = useState(() => focusTrail(document.activeElement));
  return (
    <div
      data-scrim
      // A press beside the dialog leaves the focus where it is.
      onMouseDown={(event) => event.target === event.currentTarget && event.preventDefault()}
      className="pointer-events-auto fixed inset-0 z-50 flex animate-fade-in items-end justify-center bg-scrim sm:items-center sm:p-6"
    >
      <Primitive.Content
        data-modal
        role={role}
        aria-modal
        {...(description ? {} : { 'aria-describedby': undefined })}
        onCloseAutoFocus={(event) => {
          // The library gives the focus back only to a trigger of its own.
          event.preventDefault();
          focusAlong(opener);
        }}
        onInteractOutside={(event) => {
          // A toast lies above the dialog, and is no place outside of it.
          const onToast = event.target instanceof Element && event.target.closest('[data-toasts]');
          if (!dismissible || onToast) event.preventDefault();
        }}
        className={cn(
          'relative flex max-h-[92dvh] w-full animate-rise-in flex-col rounded-t-2xl bg-raised shadow-lg outline-none sm:rounded-2xl',
          sizes[size],
        )}
      >
        <header className="px-6 pt-6 pb-3">
          <Primitive.Title className="pr-10 text-xl font-bold">{title}</Primitive.Title>
          {description && (
            <Primitive.Description className="mt-1.5 text-base text-muted">
              {description}
            </Primitive.Description>
          )}
        </header>
        {children && (
          <div
            className={cn(
              'min-h-0 overflow-y-auto overscroll-contain px-6 pt-3',
              // What goes on below fades out above the buttons; without any it runs to the edge.
              footer ? 'mask-b-from-[calc(100%-1.5rem)] pb-6' : `${foot} sm:rounded-b-2xl`,
            )}
          >
            {children}
          </div>
        )}
        {footer && (
          <footer
            className={cn(
              'flex flex-col-reverse gap-3 px-6 sm:flex-row sm:justify-end',
              foot,
              !children && 'pt-3',
            )}
          >
            {footer}
          </footer>
        )}
        {/* Last in the order of focus: the first field, or the safe button, comes first. */}
        <Primitive.Close
          aria-label="Close"
          className="absolute top-3.5 right-3.5 grid size-11 place-items-center rounded-full text-muted transition-colors hover:bg-sunken hover:text-ink"
        >
          <X aria-hidden className="size-5" />
        </Primitive.Close>
      </Primitive.Content>
    </div>
  );
}
