import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { createStaticHandler, createStaticRouter, StaticRouter, StaticRouterProvider } from 'react-router';
import LoginPage from '#features/auth/web/LoginPage.tsx';
import { AppFrame } from './layout/AppFrame.tsx';
import { PublicFrame } from './layout/PublicFrame.tsx';
import { Root } from './layout/Root.tsx';
import { ScreenOutline } from './layout/ScreenOutline.tsx';
import { SkipLink } from './layout/SkipLink.tsx';
import LandingPage from './pages/LandingPage.tsx';
import { queryClient } from './queries.ts';
import { settings, type Settings } from './settings.ts';

const still = (location: string, page: ReactElement): string =>
  renderToStaticMarkup(
    <StaticRouter location={location}>
      <SkipLink />
      {page}
    </StaticRouter>,
  );

/** The login as React finds it and goes on with: everything around it is what `main.tsx` and the routes put there. */
async function login(): Promise<string> {
  const { query, dataRoutes } = createStaticHandler([
    { path: '/', Component: Root, children: [{ path: 'login', Component: LoginPage }] },
  ]);
  const context = await query(new Request('http://localhost/login'));
  if (context instanceof Response) throw new Error('The login leads elsewhere.');
  return renderToString(
    <QueryClientProvider client={queryClient}>
      <StaticRouterProvider
        router={createStaticRouter(dataRoutes, context)}
        context={context}
        hydrate={false}
      />
    </QueryClientProvider>,
  );
}

/**
 * What is the same for everybody, as HTML. Runs in the server, which has one set of settings for as long as it lives.
 */
export async function markup(given: Settings): Promise<Record<'/' | '/login' | '/app', string>> {
  Object.assign(settings, given);
  return {
    '/': still(
      '/',
      <PublicFrame loggedIn={false}>
        <LandingPage />
      </PublicFrame>,
    ),
    '/login': await login(),
    '/app': still(
      '/app',
      <AppFrame>
        <ScreenOutline />
      </AppFrame>,
    ),
  };
}
