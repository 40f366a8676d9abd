import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, startTransition, StrictMode, useEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { keepFocus } from '#ui/focus.ts';
import { renderedState, discardEarlyFetches } from '#web/early-fetch.ts';
import { hydrateWith } from '#web/hydration.ts';
import { replayInteractions } from '#web/queued-interactions.ts';
import { install } from './install.ts';
import { queryClient } from '#web/queries.ts';
import { firstScreen, startRouter } from '#web/router.ts';

/** What the server has drawn stays until the same can be put in its place; what is whole goes on, with what was typed into it. */
async function begin(place: HTMLElement): Promise<void> {
  const router = startRouter();
  const { pathname } = router.state.location;
  const isRendered = place.firstElementChild !== null;
  if (isRendered) await firstScreen(router);
  const { location } = router.state;
  const initialState = renderedState(pathname);
  const isWhole = isRendered && (initialState !== undefined || pathname === '/login');
  const goesOn = isWhole && location.pathname === pathname && !location.state;
  const letGo = hydrateWith(goesOn ? initialState : undefined);
  const begun = () => {
    letGo();
    replayInteractions();
    place.dataset['begun'] = '';
  };
  const app = (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Begun then={begun}>
          <RouterProvider router={router} />
        </Begun>
      </QueryClientProvider>
    </StrictMode>
  );
  // In slices, with turns for others between them.
  startTransition(() => (goesOn ? void hydrateRoot(place, app) : createRoot(place).render(app)));
  await firstScreen(router);
  discardEarlyFetches();
  install();
  const { startDeferred } = await import('#web/deferred.ts');
  startDeferred(router);
}

function Begun({ then, children }: { then: () => void; children: ReactNode }) {
  useEffect(then, [then]);
  return children;
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the application.');
keepFocus();
// In another turn: to have run all this was enough for one.
setTimeout(() => void begin(root));
