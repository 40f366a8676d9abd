import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { cn } from './class-names.ts';
import { focusAlong, focusTrail, topDialog } from './focus.ts';
import { t } from '#ui/messages.ts';

export type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons; the last one is the primary one. */
  footer?: ReactNode;
  /** `false`: a click outside does nothing; Escape and the close button still work. */
  dismissible?: boolean;
  size?: 'sm' | 'md' | 'lg';
  role?: 'dialog' | 'alertdialog';
};

const foot = 'pb-[max(1.5rem,env(safe-area-inset-bottom))]';
const sizes = { sm: 'sm:max-w-sm', md: 'sm:max-w-lg', lg: 'sm:max-w-3xl' };

/**
 * A modal dialog: a bottom sheet on phones, a centred card on larger screens. A closed dialog is not mounted, because the
 * library would render it a second time when its page mounts.
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

/** Our own scrim: the one of the library injects a style element, which the content security policy forbids. */
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
  // Above the content it scrolls, so that it leaves room for the content on a small screen.
  const text = description && (
    <Primitive.Description className={cn('text-base text-muted', children ? '-mt-4.5 mb-6' : 'mt-1.5')}>
      {description}
    </Primitive.Description>
  );
  return (
    <div
      data-scrim
      // A press on the scrim must not move the focus.
      onMouseDown={(event) => event.target === event.currentTarget && event.preventDefault()}
      className="pointer-events-auto fixed inset-0 z-50 flex animate-fade-in items-end justify-center bg-scrim sm:items-center sm:p-6"
    >
      <Primitive.Content
        data-modal
        role={role}
        aria-modal
        onCloseAutoFocus={(event) => {
          // The library returns the focus only to its own trigger component.
          event.preventDefault();
          focusAlong(opener);
        }}
        onEscapeKeyDown={(event) => {
          // When another dialog opens above this one, the library calls this handler until this dialog renders again.
          event.preventDefault();
          topDialog()?.querySelector<HTMLElement>(':scope > [data-close]')?.click();
        }}
        onInteractOutside={(event) => {
          // A click on a toast above the dialog does not count as outside.
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
          {!children && text}
        </header>
        {children && (
          <div
            className={cn(
              'min-h-0 overflow-y-auto overscroll-contain px-6 pt-3',
              // With a footer, scrolled content fades out above the buttons; without one it reaches the edge.
              footer ? 'mask-b-from-[calc(100%-1.5rem)] pb-6' : `${foot} sm:rounded-b-2xl`,
            )}
          >
            {text}
            <div>{children}</div>
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
        {/* Last in the focus order, so that the first field or the safe button gets the initial focus. */}
        <Primitive.Close
          data-close
          aria-label={t('close')}
          className="absolute top-3.5 right-3.5 grid size-11 place-items-center rounded-full text-muted transition-colors hover:bg-sunken hover:text-ink"
        >
          <X aria-hidden className="size-5" />
        </Primitive.Close>
      </Primitive.Content>
    </div>
  );
}
