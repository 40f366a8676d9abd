import { Skeleton } from '#ui/Skeleton.tsx';

/**
 * Holds the place of a screen while it is on its way. What comes below it is not yet in sight. It does not pulse: every
 * frame of that would cost what the app needs to start.
 */
export const ScreenOutline = () => (
  <div aria-hidden className="min-h-dvh">
    <Skeleton className="h-10 w-2/3 animate-none! max-w-sm" />
    <Skeleton className="mt-8 h-40 animate-none! rounded-xl" />
    <Skeleton className="mt-4 h-40 animate-none! rounded-xl" />
  </div>
);
