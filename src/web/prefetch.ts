import { matchRoutes } from 'react-router';
import { isLoggedIn } from './session.ts';
import { type RouteHandle, routes } from '#app/web/routes.tsx';

/** Milliseconds of hover before prefetching, so that a pointer passing over a link does not trigger it. */
const hoverDelay = 80;

/** Loads the code and the data of a linked screen on hover, focus or touch, before the click. */
export function prefetchLinks(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = (event: Event) => {
    clearTimeout(timer);
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    if (link && link.origin === location.origin)
      timer = setTimeout(() => prefetch(link.pathname), hoverDelay);
  };
  for (const kind of ['pointerover', 'focusin', 'touchstart'])
    document.addEventListener(kind, schedule, { passive: true });
}

function prefetch(path: string): void {
  if (path === location.pathname) return;
  for (const { route, params } of matchRoutes(routes, path) ?? []) {
    const { lazy, handle } = route as { lazy?: { Component?: () => Promise<unknown> }; handle?: RouteHandle };
    // Errors are ignored: they occur again, and are reported, on navigation.
    lazy?.Component?.().catch(() => {});
    if (handle && params['slug'] && isLoggedIn()) handle.read(params['slug']).catch(() => {});
  }
}
