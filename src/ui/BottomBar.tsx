import type { ReactNode } from 'react';
import { cn } from './class-names.ts';

export type BottomBarProps = { className?: string; children: ReactNode };

/** Classes of buttons that stand side by side in the bar. Without icons, the labels fit into one line on a phone. */
export const barButton = 'grow px-2.5! text-sm! max-sm:[&_svg]:hidden';

/** Keeps the main action of a page visible at the bottom edge, except in the wide layout. */
export const BottomBar = ({ className, children }: BottomBarProps) => (
  <div
    data-bottom-bar
    className={cn(
      'max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-4 max-lg:pt-3 max-lg:pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:max-lg:px-6',
      className,
    )}
  >
    {children}
  </div>
);
