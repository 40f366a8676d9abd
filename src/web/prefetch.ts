import { matchRoutes, type RouteObject } from 'react-router';
import { isLoggedIn } from './first/session.ts';

export interface RouteHandle {
  /** Loads the data of the page with this slug. */
  read: (slug: string) => Promise<unknown>;
}

/** Milliseconds of hover before prefetching, so that a pointer passing over a link does not trigger it. */
const hoverDelay = 80;

/** Loads the code and the data of a linked screen on hover, focus or touch, before the click. */
export function prefetchLinks(routes: RouteObject[]): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = (event: Event) => {
    clearTimeout(timer);
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    if (link && link.origin === location.origin)
      timer = setTimeout(() => prefetch(routes, link.pathname), hoverDelay);
  };
  for (const kind of ['pointerover', 'focusin', 'touchstart'])
    document.addEventListener(kind, schedule, { passive: true });
}

function prefetch(routes: RouteObject[], path: string): void {
  if (path === location.pathname) return;
  for (const { route, params } of matchRoutes(routes, path) ?? []) {
    const { lazy, handle } = route as { lazy?: { Component?: () => Promise<unknown> }; handle?: RouteHandle };
    // Errors are ignored: they occur again, and are reported, on navigation.
    lazy?.Component?.().catch(() => {});
    if (handle && params['slug'] && isLoggedIn()) handle.read(params['slug']).catch(() => {});
  }
}
