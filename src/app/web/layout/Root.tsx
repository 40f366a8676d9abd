import { useEffect, useInsertionEffect, useLayoutEffect, useRef } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { Toaster } from '#ui/Toaster.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';
import { SkipLink } from './SkipLink.tsx';

/** What stays through every navigation. Each page brings one `main` with the id `main`. */
export function Root() {
  const moving = useNavigation().state !== 'idle';
  useFocusOnPage();
  return (
    <>
      <SkipLink />
      <OfflineBanner />
      {moving && (
        <div aria-hidden className="fixed inset-x-0 top-0 z-60 h-0.5 origin-left animate-move-on bg-accent" />
      )}
      <Outlet />
      {/* Whatever is opened afresh has the key 'default': its path tells one page from another. */}
      <ScrollRestoration getKey={({ key, pathname }) => (key === 'default' ? pathname : key)} />
      <KeepScroll />
      <Toaster />
    </>
  );
}

/** The first screen may be read before the app is there, which the part before this takes for a new page. */
function KeepScroll() {
  const top = useRef(0);
  useInsertionEffect(() => void (top.current = window.scrollY), []);
  useLayoutEffect(() => {
    if (top.current > 0) window.scrollTo(0, top.current);
  }, []);
  return null;
}

/** A new page has the focus, as after a load by the browser; a field of it that asked for the focus keeps it. */
function useFocusOnPage() {
  const { pathname } = useLocation();
  const seen = useRef(pathname);
  useEffect(() => {
    if (seen.current === pathname) return;
    seen.current = pathname;
    const main = document.getElementById('main');
    if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
  }, [pathname]);
}
