import { type ReactNode, useEffect, useRef } from 'react';
import { cn } from './class-names.ts';

export type BottomBarProps = { className?: string; children: ReactNode };

/** Classes of buttons that stand side by side in the bar. Without icons, the labels fit into one line on a phone. */
export const barButton = 'grow px-1! text-sm! max-sm:[&_svg]:hidden';

/**
 * Keeps the main action of a page visible at the bottom edge, except in the wide layout. Its height, which depends on
 * the size of the text, is the room that the style sheet leaves at the end of the page.
 */
export function BottomBar({ className, children }: BottomBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { style } = document.documentElement;
    const size = new ResizeObserver(() =>
      style.setProperty('--bottom-bar', `${bar.current?.offsetHeight}px`),
    );
    if (bar.current) size.observe(bar.current);
    return () => {
      size.disconnect();
      style.removeProperty('--bottom-bar');
    };
  }, []);
  return (
    <div
      ref={bar}
      data-bottom-bar
      className={cn(
        'max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-4 max-lg:pt-3 max-lg:pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:max-lg:px-6',
        className,
      )}
    >
      {children}
    </div>
  );
}
