import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactElement, Suspense } from 'react';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import {
  createStaticHandler,
  createStaticRouter,
  type RouteObject,
  StaticRouter,
  StaticRouterProvider,
} from 'react-router';
import LoginPage from '#features/auth/web/LoginPage.tsx';
import { RowQuestion } from '#features/events/answers/web/EventRow.tsx';
import { languages, type Language } from '#languages/languages.ts';
import { loadLanguage } from '#web/first/load-language.ts';
import { inLook, type Look } from '#wire/look.ts';
import { hydrateWith, type InitialState } from '#web/hydration.ts';
import { AppFrame } from './layout/AppFrame.tsx';
import AppLayout from './layout/AppLayout.tsx';
import { PublicFrame } from './layout/PublicFrame.tsx';
import { Root } from './layout/Root.tsx';
import { ScreenOutline } from './layout/ScreenOutline.tsx';
import { SkipLink } from './layout/SkipLink.tsx';
import AnswerPage from './pages/AnswerPage.tsx';
import type { AnswerView } from './pages/answer/sentences.ts';
import LandingPage from './pages/LandingPage.tsx';
import { screenAt, screens, type ScreenCall } from './screens.ts';
import { lookOfUser } from '#web/first/page-look.ts';
import { queries } from '#web/queries.ts';
import { settings, type Settings } from '#web/settings.ts';

export { screenAt };

const renderStatic = (location: string, page: ReactElement): string =>
  renderToStaticMarkup(
    <StaticRouter location={location}>
      <SkipLink />
      {page}
    </StaticRouter>,
  );

/** The page of an answer link, which no script changes. */
export const renderAnswer = (view: AnswerView): string => renderStatic('/answer', <AnswerPage {...view} />);

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
        children: screens.map(({ path, Component }) =>
          path === '/app' ? { index: true, Component } : { path: path.replace('/app/', ''), Component },
        ),
      },
    ],
  },
] satisfies RouteObject[]);

/** The data of an infinite query of which only the first page is loaded. */
const firstPageOf = (page: unknown) => ({ pages: [page], pageParams: [undefined] });

interface Viewer extends InitialState {
  path: string;
  /** The time zone of the device. */
  zone: string;
}

/** Renders a screen from the responses to its calls, in the look of the user among them. */
export async function render(
  calls: readonly ScreenCall[],
  data: readonly unknown[],
  { path, zone, ...initialState }: Viewer,
): Promise<{ html: string; look: Look }> {
  const client = new QueryClient();
  for (const [index, { queryKey, isFirstPage }] of calls.entries())
    client.setQueryData(queryKey, isFirstPage ? firstPageOf(data[index]) : data[index]);
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
  const look = lookOfUser(client.getQueryData(queries.user().queryKey));
  // Rendering is synchronous, so the module-level hydration state cannot mix viewers.
  const clearHydration = hydrateWith(initialState);
  try {
    return { html: inLook({ ...look, timeZone: look.timeZone ?? zone }, () => renderToString(app)), look };
  } finally {
    clearHydration();
  }
}

/**
 * Renders the pages that are the same for every user. Called once per server process, whose settings do not change.
 */
export async function markup(operatorSettings: Settings): Promise<Record<'/' | '/login' | '/app', string>> {
  Object.assign(settings, operatorSettings);
  await Promise.all((Object.keys(languages) as Language[]).map(loadLanguage));
  await loadLazyParts();
  return {
    '/': renderStatic(
      '/',
      <PublicFrame loggedIn={false}>
        <LandingPage />
      </PublicFrame>,
    ),
    '/login': (await render([], [], { path: '/login', zone: 'UTC', now: '', rows: 0, wide: false })).html,
    '/app': renderStatic(
      '/app',
      <AppFrame>
        <ScreenOutline />
      </AppFrame>,
    ),
  };
}

/** `renderToString` does not wait for a lazy component, so it has to be loaded before the first screen with one. */
async function loadLazyParts(): Promise<void> {
  renderToString(
    <Suspense>
      <RowQuestion event={undefined as never} />
    </Suspense>,
  );
  await import('#features/events/answers/web/RowQuestion.tsx');
}
