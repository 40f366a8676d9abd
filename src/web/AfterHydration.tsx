import { type ReactNode, Suspense, useSyncExternalStore } from 'react';

const never = () => () => {};

/** Shows parts whose code is loaded after the page, which the server renders without them. */
export function AfterHydration({ children }: { children: ReactNode }) {
  const isHydrated = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return isHydrated ? <Suspense>{children}</Suspense> : null;
}
