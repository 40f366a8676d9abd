import '#ui/theme.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { keepFocus } from '#ui/focus.ts';
import { install } from './install.ts';
import { prefetchLinks } from './prefetch.ts';
import { queryClient } from './queries.ts';
import { router } from './router.ts';

install();
keepFocus();

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the application.');

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

prefetchLinks();
