import { useEffect, useInsertionEffect, useLayoutEffect, useRef } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { Toaster } from '#ui/Toaster.tsx';
import { reloadIfOutdated } from '#web/first/install.ts';
import { StorageNotice } from '#web/StorageNotice.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';
import { SkipLink } from './SkipLink.tsx';

/** Root route: stays mounted during navigation. Each page renders one `main` with the id `main`. */
export function Root() {
  const navigating = useNavigation().state !== 'idle';
  useFocusOnPage();
  const { key } = useLocation();
  useEffect(reloadIfOutdated, [key]);
  return (
    <>
      <SkipLink />
      <OfflineBanner />
      <StorageNotice />
      {navigating && (
        <div aria-hidden className="fixed inset-x-0 top-0 z-60 h-0.5 origin-left animate-move-on bg-accent" />
      )}
      <Outlet />
      {/* The first entry of a page load always has the key 'default', so its path is used instead. */}
      <ScrollRestoration getKey={({ key, pathname }) => (key === 'default' ? pathname : key)} />
      <KeepScroll />
      <Toaster />
    </>
  );
}

/** Restores the scroll position of the server-rendered screen, which ScrollRestoration would reset to the top. */
function KeepScroll() {
  const top = useRef(0);
  useInsertionEffect(() => void (top.current = window.scrollY), []);
  useLayoutEffect(() => {
    if (top.current > 0) window.scrollTo(0, top.current);
  }, []);
  return null;
}

/** Focuses `main` after a navigation, unless a field of the new page already has the focus. */
function useFocusOnPage() {
  const { pathname } = useLocation();
  const previous = useRef(pathname);
  useEffect(() => {
    if (previous.current === pathname) return;
    previous.current = pathname;
    const main = document.getElementById('main');
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
  }, [pathname]);
}
