import type { createBrowserRouter, RouteObject } from 'react-router';
import type { AuthData } from '#wire/client.ts';
import { startOfflineCache } from './offline-cache.ts';
import { prefetchLinks } from './prefetch.ts';

/** Starts everything that the first screen does not need. */
export function startDeferred(
  router: ReturnType<typeof createBrowserRouter>,
  routes: RouteObject[],
  auth: AuthData | undefined,
): void {
  prefetchLinks(routes);
  startOfflineCache(auth);
  // Loaded early: when the notice is needed, the server may reject requests for static files too.
  import('./WaitNotice.tsx').catch(() => {});
  updateCanonicalUrl(router.state.location.pathname);
  router.subscribe(({ location }) => updateCanonicalUrl(location.pathname));
}

/** Updates the canonical URL, which the server rendered for the page that was opened first. */
function updateCanonicalUrl(path: string): void {
  const url = document.querySelector<HTMLMetaElement>('meta[property="og:url"]');
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]');
  if (!url || !canonical) return;
  canonical.href = url.content = new URL(url.content).origin + path;
}
