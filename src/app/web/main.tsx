import { QueryClientProvider } from '@tanstack/react-query';
import { startTransition, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { keepFocus } from '#ui/focus.ts';
import { forgetAhead } from './ahead.ts';
import { install } from './install.ts';
import { queryClient } from './queries.ts';
import { firstScreen, startRouter } from './router.ts';

/** What the server has drawn stays until the same can be put in its place; the login keeps what was typed into it. */
async function begin(place: HTMLElement): Promise<void> {
  const router = startRouter();
  const { pathname, state } = router.state.location;
  const isDrawn = place.firstElementChild !== null;
  const goesOn = isDrawn && pathname === '/login' && !state;
  if (isDrawn) await firstScreen(router);
  const app = (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  );
  // In slices, with turns for others between them.
  startTransition(() => (goesOn ? void hydrateRoot(place, app) : createRoot(place).render(app)));
  await firstScreen(router);
  forgetAhead();
  const { prefetchLinks } = await import('./prefetch.ts');
  prefetchLinks();
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the application.');
install();
keepFocus();
// In another turn: to have run all this was enough for one.
setTimeout(() => void begin(root));
