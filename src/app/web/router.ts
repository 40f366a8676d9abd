import { createBrowserRouter } from 'react-router';
import { queryClient } from './queries.ts';
import { routes } from './routes.tsx';
import { followGuide, onSession } from './session.ts';

export const router = createBrowserRouter(routes);

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
