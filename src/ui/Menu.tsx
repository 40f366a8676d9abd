import type { LucideIcon } from 'lucide-react';
import { Slot } from './Slot.tsx';
import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';
import { cn } from './class-names.ts';
import { focusFirst } from './focus.ts';
import { Popover, type PopoverProps, useClosePopover } from './Popover.tsx';

export type MenuProps = Pick<PopoverProps, 'trigger' | 'align' | 'open' | 'onOpenChange' | 'className'> & {
  /** MenuItem, MenuLabel, MenuSeparator. */
  children: ReactNode;
};

/** A button that opens a list of actions. */
export function Menu({ className, children, ...popover }: MenuProps) {
  return (
    <Popover {...popover} role="menu" className={cn('min-w-52 p-1.5', className)}>
      <div role="presentation" onKeyDown={moveFocus}>
        {children}
      </div>
    </Popover>
  );
}

/** Arrows, Home and End move the focus. A letter moves it to the next item that starts with that letter. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.findIndex((item) => item === document.activeElement);
  const following = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const backwards = [...items].reverse();
  const previous = [...backwards.slice(items.length - Math.max(at, 0)), ...backwards];
  const letter = event.key.length === 1 && event.key !== ' ' ? event.key.toLowerCase() : undefined;
  const wanted = letter
    ? following.filter((item) => item.textContent?.trim().toLowerCase().startsWith(letter))
    : { ArrowDown: following, ArrowUp: previous, Home: items, End: backwards }[event.key];
  if (!wanted?.length) return;
  event.preventDefault();
  focusFirst(wanted);
}

export type MenuItemProps = Omit<ComponentProps<'button'>, 'onSelect' | 'onClick'> & {
  onSelect?: () => void;
  icon?: LucideIcon;
  danger?: boolean;
  /** The child is a link, which contains its own icon. */
  asChild?: boolean;
};

/** An action. The menu closes first, so that a dialog opened by the action returns the focus to the menu button. */
export function MenuItem({
  onSelect,
  icon: Icon,
  danger,
  disabled,
  asChild,
  className,
  children,
  ...rest
}: MenuItemProps) {
  const close = useClosePopover();
  const item = {
    role: 'menuitem',
    tabIndex: -1,
    'aria-disabled': disabled || undefined,
    onClick: () => {
      if (disabled) return;
      close();
      onSelect?.();
    },
    className: cn(
      'flex min-h-11 w-full items-center gap-3 rounded-md px-3 text-left text-base transition-colors select-none focus-visible:-outline-offset-2 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 [&_svg]:size-4.5 [&_svg]:shrink-0',
      danger
        ? 'text-danger hover:bg-danger-soft focus-visible:bg-danger-soft'
        : 'hover:bg-sunken focus-visible:bg-sunken [&_svg]:text-muted',
      className,
    ),
    ...rest,
  };
  if (asChild) return <Slot {...(item as object)}>{children}</Slot>;
  return (
    <button type="button" {...(item as object)}>
      {Icon && <Icon aria-hidden />}
      <span className="contents">{children}</span>
    </button>
  );
}

export function MenuLabel({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={cn('px-3 pt-2 pb-1.5 text-sm text-muted', className)} {...rest} />;
}

export function MenuSeparator() {
  return <div role="separator" className="my-1.5 h-px bg-line" />;
}
