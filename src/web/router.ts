import { createBrowserRouter, type RouteObject } from 'react-router';
import { offlineCache } from './offline.ts';
import { queryClient } from './queries.ts';
import { setNavigation, onSession } from './first/session.ts';

/** Creates the router, which starts loading the screen of the current URL. */
export function startRouter(routes: RouteObject[]) {
  const router = createBrowserRouter(routes);
  setNavigation({
    here() {
      const { location, navigation } = router.state;
      const { pathname, search } = navigation.location ?? location;
      return pathname + search;
    },
    go: (path) => router.navigate(path),
  });
  // The next user must not see data of the previous one.
  onSession(() => {
    queryClient.getQueryCache().clear();
    void offlineCache((cache) => cache.deleteOthers());
  });
  return router;
}

/** Resolves when the first screen and its data are loaded. */
export const firstScreen = (router: ReturnType<typeof startRouter>): Promise<void> =>
  new Promise((resolve) => {
    const check = () => void (router.state.initialized && resolve());
    router.subscribe(check);
    check();
  });
