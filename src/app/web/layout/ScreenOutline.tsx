import { Skeleton } from '#ui/Skeleton.tsx';

/**
 * Placeholder of a screen that is loading, tall enough to keep the footer out of view. It is not animated: animation
 * frames would slow down the start of the app.
 */
export const ScreenOutline = () => (
  <div aria-hidden className="min-h-dvh">
    <Skeleton className="h-10 w-2/3 animate-none! max-w-sm" />
    <Skeleton className="mt-8 h-40 animate-none! rounded-xl" />
    <Skeleton className="mt-4 h-40 animate-none! rounded-xl" />
  </div>
);
