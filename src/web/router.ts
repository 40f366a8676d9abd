import { createBrowserRouter } from 'react-router';
import { queryClient } from './queries.ts';
import { routes } from '#app/web/routes.tsx';
import { followGuide, onSession } from './session.ts';

/** Sets out for the screen at the address of the page. */
export function startRouter() {
  const router = createBrowserRouter(routes);
  followGuide({
    here() {
      const { location, navigation } = router.state;
      const { pathname, search } = navigation.location ?? location;
      return pathname + search;
    },
    go: (path) => router.navigate(path),
  });
  // Nothing that one user has loaded is shown to the next.
  onSession(() => queryClient.getQueryCache().clear());
  return router;
}

/** Resolves when the first screen is there with its data. */
export const firstScreen = (router: ReturnType<typeof startRouter>): Promise<void> =>
  new Promise((resolve) => {
    const look = () => void (router.state.initialized && resolve());
    router.subscribe(look);
    look();
  });
