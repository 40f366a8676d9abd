import { matchRoutes } from 'react-router';
import { isLoggedIn } from './session.ts';
import { type Reads, routes } from '#app/web/routes.tsx';

/** How long a pointer rests on a link that is meant, rather than passed over. */
const dwell = 80;

/** Loads the screen and the data behind a link while the user is still about to press it. */
export function prefetchLinks(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (event: Event) => {
    clearTimeout(timer);
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    if (link && link.origin === location.origin) timer = setTimeout(() => prefetch(link.pathname), dwell);
  };
  for (const kind of ['pointerover', 'focusin', 'touchstart'])
    document.addEventListener(kind, soon, { passive: true });
}

function prefetch(path: string): void {
  if (path === location.pathname) return;
  for (const { route, params } of matchRoutes(routes, path) ?? []) {
    const { lazy, handle } = route as { lazy?: { Component?: () => Promise<unknown> }; handle?: Reads };
    // What fails here fails again, and is told, when the link is pressed.
    lazy?.Component?.().catch(() => {});
    if (handle && params['slug'] && isLoggedIn()) handle.read(params['slug']).catch(() => {});
  }
}
