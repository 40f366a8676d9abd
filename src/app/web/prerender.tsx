import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  matchPath,
  type RouteObject,
  StaticRouter,
  StaticRouterProvider,
} from 'react-router';
import LoginPage from '#features/auth/web/LoginPage.tsx';
import ClubPage from '#features/clubs/web/ClubPage.tsx';
import EventPage from '#features/events/web/EventPage.tsx';
import { inZone } from '#ui/format.ts';
import { hydrateWith, type InitialState } from '#web/hydration.ts';
import { AppFrame } from './layout/AppFrame.tsx';
import AppLayout from './layout/AppLayout.tsx';
import { PublicFrame } from './layout/PublicFrame.tsx';
import { Root } from './layout/Root.tsx';
import { ScreenOutline } from './layout/ScreenOutline.tsx';
import { SkipLink } from './layout/SkipLink.tsx';
import HomePage from './pages/HomePage.tsx';
import LandingPage from './pages/LandingPage.tsx';
import { queries } from '#web/queries.ts';
import { settings, type Settings } from '#web/settings.ts';

const still = (location: string, page: ReactElement): string =>
  renderToStaticMarkup(
    <StaticRouter location={location}>
      <SkipLink />
      {page}
    </StaticRouter>,
  );

/** The screens that React finds as it would have drawn them, and goes on with: around them is what the routes put there. */
const { query, dataRoutes } = createStaticHandler([
  {
    path: '/',
    Component: Root,
    children: [
      { path: 'login', Component: LoginPage },
      {
        path: 'app',
        Component: AppLayout,
        children: [
          { index: true, Component: HomePage },
          { path: 'clubs/:slug', Component: ClubPage },
          { path: 'events/:slug', Component: EventPage },
        ],
      },
    ],
  },
] satisfies RouteObject[]);

/** What the screen at a path reads: the calls of the API, and the place of their answers in the cache. */
const reads: [path: string, (slug: string) => [call: string, key: readonly unknown[]][]][] = [
  [
    '/app',
    () => [
      ['users', queries.user().queryKey],
      ['users/events', queries.attending().queryKey],
      ['users/clubs/events', queries.ofMyClubs().queryKey],
    ],
  ],
  [
    '/app/clubs/:slug',
    (slug) => [
      ['users', queries.user().queryKey],
      [`clubs/${encodeURIComponent(slug)}`, queries.club(slug).queryKey],
    ],
  ],
  [
    '/app/events/:slug',
    (slug) => [
      ['users', queries.user().queryKey],
      [`events/${encodeURIComponent(slug)}`, queries.event(slug).queryKey],
    ],
  ],
];

function readsOf(path: string) {
  for (const [pattern, calls] of reads) {
    const match = matchPath(pattern, path);
    if (match) return calls(match.params['slug'] ?? '');
  }
  return [];
}

/** The calls of the API that a screen is drawn from; none, where it is not drawn. */
export const callsOf = (path: string): string[] => readsOf(path).map(([call]) => `/api/v1/${call}`);

export interface Viewer extends InitialState {
  zone: string;
}

/** Draws a screen from the answers to its calls, as it looks where and when the viewer is. */
export async function render(
  path: string,
  answers: unknown[],
  { zone, ...initialState }: Viewer,
): Promise<string> {
  const client = new QueryClient();
  for (const [index, [, key]] of readsOf(path).entries()) client.setQueryData(key, answers[index]);
  const context = await query(new Request(`http://localhost${path}`));
  if (context instanceof Response) throw new Error(`The way to ${path} leads elsewhere.`);
  const app = (
    <QueryClientProvider client={client}>
      <StaticRouterProvider
        router={createStaticRouter(dataRoutes, context)}
        context={context}
        hydrate={false}
      />
    </QueryClientProvider>
  );
  // Nobody else is drawn for meanwhile: it is done in one go.
  const letGo = hydrateWith(initialState);
  try {
    return inZone(zone, () => renderToString(app));
  } finally {
    letGo();
  }
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
    '/login': await render('/login', [], { zone: 'UTC', now: '', rows: 0 }),
    '/app': still(
      '/app',
      <AppFrame>
        <ScreenOutline />
      </AppFrame>,
    ),
  };
}
