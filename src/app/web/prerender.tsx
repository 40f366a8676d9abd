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

const renderStatic = (location: string, page: ReactElement): string =>
  renderToStaticMarkup(
    <StaticRouter location={location}>
      <SkipLink />
      {page}
    </StaticRouter>,
  );

/** The routes that the browser hydrates. The element tree must equal the one of `routes.tsx`. */
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

/** The API calls that a screen is rendered from, each with its query key. */
const screens: [path: string, (slug: string) => [call: string, key: readonly unknown[]][]][] = [
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

function screenCalls(path: string) {
  for (const [pattern, calls] of screens) {
    const match = matchPath(pattern, path);
    if (match) return calls(match.params['slug'] ?? '');
  }
  return [];
}

/** The API calls that a screen is rendered from. Empty for screens that the server does not render. */
export const callsOf = (path: string): string[] => screenCalls(path).map(([call]) => `/api/v1/${call}`);

export interface Viewer extends InitialState {
  zone: string;
}

/** Renders a screen from the responses to its calls, for the time zone and clock of the viewer. */
export async function render(
  path: string,
  answers: unknown[],
  { zone, ...initialState }: Viewer,
): Promise<string> {
  const client = new QueryClient();
  for (const [index, [, key]] of screenCalls(path).entries()) client.setQueryData(key, answers[index]);
  const context = await query(new Request(`http://localhost${path}`));
  if (context instanceof Response) throw new Error(`The route of ${path} redirects.`);
  const app = (
    <QueryClientProvider client={client}>
      <StaticRouterProvider
        router={createStaticRouter(dataRoutes, context)}
        context={context}
        hydrate={false}
      />
    </QueryClientProvider>
  );
  // Rendering is synchronous, so the module-level hydration state cannot mix viewers.
  const clearHydration = hydrateWith(initialState);
  try {
    return inZone(zone, () => renderToString(app));
  } finally {
    clearHydration();
  }
}

/**
 * Renders the pages that are the same for every user. Called once per server process, whose settings do not change.
 */
export async function markup(operatorSettings: Settings): Promise<Record<'/' | '/login' | '/app', string>> {
  Object.assign(settings, operatorSettings);
  return {
    '/': renderStatic(
      '/',
      <PublicFrame loggedIn={false}>
        <LandingPage />
      </PublicFrame>,
    ),
    '/login': await render('/login', [], { zone: 'UTC', now: '', rows: 0 }),
    '/app': renderStatic(
      '/app',
      <AppFrame>
        <ScreenOutline />
      </AppFrame>,
    ),
  };
}
