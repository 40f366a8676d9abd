import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, startTransition, StrictMode, useEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { ignoreComposingKeys } from '#ui/composing.ts';
import { keepFocus } from '#ui/focus.ts';
import {
  discardEarlyFetches,
  incompleteResponses,
  renderedLook,
  renderedState,
} from '#web/first/early-fetch.ts';
import { hydrateWith } from '#web/hydration.ts';
import { replayInteractions } from '#web/first/queued-interactions.ts';
import { install } from '#web/first/install.ts';
import { startLook } from '#web/first/page-look.ts';
import { routes } from './routes.tsx';
import { queryClient } from '#web/queries.ts';
import { firstScreen, startRouter } from '#web/router.ts';
import { session } from '#web/first/session.ts';
import { look } from '#wire/look.ts';

/**
 * Starts the app. A server-rendered screen is hydrated and keeps its input. Other markup, such as the app frame, stays
 * until the client-side rendered screen can replace it.
 */
async function startApp(container: HTMLElement): Promise<void> {
  const auth = session.read();
  const renderedLanguage = renderedLook()?.language ?? document.documentElement.lang;
  // Before the first route is loaded, because some routes load texts of the language.
  await startLook(renderedLook());
  const router = startRouter(routes);
  const { pathname, search } = router.state.location;
  const isRendered = container.firstElementChild !== null;
  if (isRendered) await firstScreen(router);
  const incomplete = incompleteResponses().map((queryKey) => ({ queryKey, exact: true }));
  // Invalidated, so that the offline cache does not store an incomplete response, but only the refetched one.
  for (const filter of incomplete) void queryClient.invalidateQueries({ ...filter, refetchType: 'none' });
  const { location } = router.state;
  const initialState = renderedState(pathname + search);
  const isCompleteRender = isRendered && (initialState !== undefined || pathname === '/login');
  const canHydrate =
    isCompleteRender &&
    look().language === renderedLanguage &&
    location.pathname === pathname &&
    !location.state;
  const finishHydration = hydrateWith(canHydrate ? initialState : undefined);
  const onMounted = () => {
    finishHydration();
    // In a new task: in an effect, React cannot hydrate the `Suspense` around a clicked control, and ignores the click.
    setTimeout(replayInteractions);
    // Refetch explicitly, because an optimistic update marks these queries as valid.
    for (const filter of incomplete) void queryClient.refetchQueries(filter, { cancelRefetch: false });
    container.dataset['begun'] = '';
  };
  const app = (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <OnMounted callback={onMounted}>
          <RouterProvider router={router} />
        </OnMounted>
      </QueryClientProvider>
    </StrictMode>
  );
  // As a transition, so that React yields to the browser between slices of work.
  startTransition(() => (canHydrate ? void hydrateRoot(container, app) : createRoot(container).render(app)));
  await firstScreen(router);
  discardEarlyFetches();
  install();
  const { startDeferred } = await import('#web/deferred.ts');
  startDeferred(router, routes, auth);
}

function OnMounted({ callback, children }: { callback: () => void; children: ReactNode }) {
  useEffect(callback, [callback]);
  return children;
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root element.');
keepFocus();
ignoreComposingKeys();
// In a new task, because evaluating the modules has already made the current task long.
setTimeout(() => void startApp(root));
