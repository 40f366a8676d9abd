import { Skeleton } from '#ui/Skeleton.tsx';

/**
 * Placeholder of a screen that is loading, tall enough to keep the footer out of view. It is not animated: animation
 * frames would slow down the start of the app.
 */
export const ScreenOutline = () => (
  <div aria-hidden className="min-h-dvh">
    <Skeleton className="h-10 w-2/3 animate-none! max-w-sm" />
    <div className="mt-8 flex flex-col gap-2">
      {Array.from({ length: 6 }, (_, row) => (
        <Skeleton key={row} className="h-20 animate-none! rounded-xl" />
      ))}
    </div>
  </div>
);
