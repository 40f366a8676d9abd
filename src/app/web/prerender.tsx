import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactElement } from 'react';
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
import { lazyClubParts } from '#features/clubs/web/LazyClubParts.tsx';
import { lazyEventParts } from '#features/events/pages/web/LazyEventParts.tsx';
import { byLanguage, type Language } from '#languages/languages.ts';
import { loadParts } from '#ui/LazyPart.tsx';
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
import { t } from '#app/web/pages/answer/messages.ts';
import ReadPage from './pages/ReadPage.tsx';
import type { ReadView } from './pages/read/sentences.ts';
import { t as readText } from '#app/web/pages/read/messages.ts';
import LandingPage from './pages/LandingPage.tsx';
import { screenAt, screens, type ScreenCall } from './screens.ts';
import { lookOfUser } from '#web/first/page-look.ts';
import { queries } from '#web/queries.ts';
import { StorageNotice } from '#web/StorageNotice.tsx';
import { settings, type Settings } from '#web/settings.ts';

export { screenAt };

const renderStatic = (location: string, page: ReactElement): string =>
  renderToStaticMarkup(<StaticRouter location={location}>{page}</StaticRouter>);

/**
 * A page of a link in an email, which no script changes. It is in the look of the reader, or in the given language if
 * the link is not valid.
 */
function renderForm(
  { path, title, page }: { path: string; title: () => string; page: ReactElement },
  view: { link: { reader: Parameters<typeof lookOfUser>[0] } } | { problem: string },
  language: Language,
) {
  const look: Look = 'link' in view ? lookOfUser(view.link.reader) : { language, clock: 'auto' };
  return inLook(look, () => ({
    title: title(),
    html: renderStatic(
      path,
      <>
        <SkipLink />
        {page}
      </>,
    ),
    language: look.language,
  }));
}

export const renderAnswer = (view: AnswerView, language: Language) =>
  renderForm(
    { path: '/answer', title: () => t('yourAnswer'), page: <AnswerPage {...view} /> },
    view,
    language,
  );

export const renderRead = (view: ReadView, language: Language) =>
  renderForm(
    { path: '/read', title: () => readText('importantUpdate'), page: <ReadPage {...view} /> },
    view,
    language,
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

/** The app at a path. Rendering it is synchronous. */
async function appAt(path: string, client: QueryClient): Promise<ReactElement> {
  const context = await query(new Request(`http://localhost${path}`));
  if (context instanceof Response) throw new Error(`The route of ${path} redirects.`);
  return (
    <QueryClientProvider client={client}>
      <StaticRouterProvider
        router={createStaticRouter(dataRoutes, context)}
        context={context}
        hydrate={false}
      />
    </QueryClientProvider>
  );
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
  const app = await appAt(path, client);
  const look = lookOfUser(client.getQueryData(queries.user().queryKey));
  // The module-level hydration state cannot mix viewers.
  const clearHydration = hydrateWith(initialState);
  try {
    return { html: inLook({ ...look, timeZone: look.timeZone ?? zone }, () => renderToString(app)), look };
  } finally {
    clearHydration();
  }
}

const inEachLanguage = (render: () => string) =>
  byLanguage((language) => inLook({ language, clock: 'auto' }, render));

/**
 * Renders the pages that are the same for every user. Called once per server process, whose settings do not change.
 */
export async function markup(operatorSettings: Settings) {
  Object.assign(settings, operatorSettings);
  await Promise.all(Object.values(byLanguage(loadLanguage)));
  // `renderToString` does not wait for lazy parts.
  await Promise.all([RowQuestion.load(), loadParts([...lazyClubParts, ...lazyEventParts])]);
  const login = await appAt('/login', new QueryClient());
  return {
    '/': inEachLanguage(() =>
      renderStatic(
        '/',
        <>
          <SkipLink />
          <StorageNotice />
          <PublicFrame loggedIn={false}>
            <LandingPage />
          </PublicFrame>
        </>,
      ),
    ),
    '/login': inEachLanguage(() => renderToString(login)),
    // Without the skip link and the footer, because the service worker shows this markup to readers of any language.
    '/app': renderStatic(
      '/app',
      <AppFrame footer={false}>
        <ScreenOutline />
      </AppFrame>,
    ),
  };
}
