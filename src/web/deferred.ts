import type { createBrowserRouter, RouteObject } from 'react-router';
import { languages, type Language } from '#languages/languages.ts';
import { toast } from '#ui/toast.ts';
import type { AuthData } from '#wire/client.ts';
import { canonicalTimeZone } from '#wire/time-zone.ts';
import { api } from './api.ts';
import { reloadWhenUnused } from './first/install.ts';
import { keepLook, missingLanguage } from './first/page-look.ts';
import { startOfflineCache } from './offline-cache.ts';
import { prefetchLinks } from './prefetch.ts';
import { renewLostDevice } from './push.ts';
import { isLoggedIn } from './first/session.ts';
import { queries, queryClient } from './queries.ts';

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
  followUser();
  openNotifications(router);
  if (isLoggedIn()) renewLostDevice().catch(() => {});
  if (missingLanguage) showMissing(missingLanguage);
  updateCanonicalUrl(router.state.location.pathname);
  router.subscribe(({ location }) => updateCanonicalUrl(location.pathname));
}

/**
 * Opens the pages of notifications that are pressed: `service-worker.ts` sends the path to an open tab, or opens it in a
 * new one.
 */
function openNotifications(router: ReturnType<typeof createBrowserRouter>): void {
  navigator.serviceWorker?.addEventListener('message', ({ data, ports }) => {
    const { open, notification } = data as { open?: string; notification?: string };
    if (!open) return;
    ports[0]?.postMessage('opened');
    void router.navigate(open);
    if (notification) markPressed(notification);
  });
  const { hash, pathname, search } = location;
  const [, id] = /^#notification=([\w-]+)$/.exec(hash) ?? [];
  if (!id) return;
  void router.navigate(pathname + search, { replace: true });
  markPressed(id);
}

/** Marks the bell row of a notification as actioned. */
function markPressed(id: string): void {
  if (!isLoggedIn()) return;
  api.notifications
    .actioned({ id })
    .then(() => queryClient.invalidateQueries(queries.notifications()))
    .catch(() => {});
}

/** In both languages, because the user may not read English. */
const showMissing = (language: Language) =>
  toast({ title: `${languages.en.notLoaded} ${languages[language].notLoaded}`, tone: 'danger' });

/** Keeps the look of the user in this browser, and tells the server the time zone of the device if it is new. */
function followUser(): void {
  const { queryKey } = queries.user();
  let reported: string | undefined;
  const follow = () => {
    const user = queryClient.getQueryData(queryKey);
    // After a log-out in another tab, nothing of the user is stored again.
    if (!user || !isLoggedIn()) return;
    // Chosen in another tab or on another device: what is typed here is kept.
    if (keepLook(user)) reloadWhenUnused();
    const zone = canonicalTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
    if (!zone || zone === reported || zone === user.device_zone) return;
    reported = zone;
    // The next opening of the app tries again.
    api.users.update({ device_zone: zone }).catch(() => {});
  };
  follow();
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryHash === JSON.stringify(queryKey)) follow();
  });
}

/** Updates the canonical URL, which the server rendered for the page that was opened first. */
function updateCanonicalUrl(path: string): void {
  const url = document.querySelector<HTMLMetaElement>('meta[property="og:url"]');
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]');
  if (!url || !canonical) return;
  canonical.href = url.content = new URL(url.content).origin + path;
}
