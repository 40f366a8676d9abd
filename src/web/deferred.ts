import type { createBrowserRouter } from 'react-router';
import { prefetchLinks } from './prefetch.ts';

/** What the app has no use for before its first screen is there. */
export function startDeferred(router: ReturnType<typeof createBrowserRouter>): void {
  prefetchLinks();
  // At hand when even files are refused.
  import('#app/web/layout/WaitNotice.tsx').catch(() => {});
  nameAddress(router.state.location.pathname);
  router.subscribe(({ location }) => nameAddress(location.pathname));
}

/** The server has written the address of the page that was opened; the app may be at another by now. */
function nameAddress(path: string): void {
  const url = document.querySelector<HTMLMetaElement>('meta[property="og:url"]');
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]');
  if (!url || !canonical) return;
  canonical.href = url.content = new URL(url.content).origin + path;
}
