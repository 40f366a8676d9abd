import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import { type RouteObject, RouterProvider } from 'react-router';
import { afterEach, beforeEach, vi } from 'vitest';
import { routes } from '#app/web/routes.tsx';
import { ada, failure, run, success } from '#test/render-page.tsx';
import { queryClient } from '#web/queries.ts';
import { startRouter } from '#web/router.ts';
import { endSession } from '#web/first/session.ts';

export const auth = { AccessToken: { Token: 'access' }, RefreshToken: { Token: 'refresh' } };
export const bob = { ...ada, id: 'id-of-bob', email: 'bob@example.org', first_name: 'Bob', clubs: [] };

/**
 * The app in an empty tab of a browser, with a fake server: `responses` has a response for each call; other calls get
 * 404.
 */
export const app = {
  responses: {} as Record<string, () => Response | Promise<Response>>,
  /** The calls that were sent, without polling and prefetching. */
  sent: [] as string[],
  router: undefined as ReturnType<typeof startRouter> | undefined,
  /** Paths with query, in the order in which they were opened. */
  opened: [] as string[],
};

// Importing a page for the first time takes long on a busy machine.
configure({ asyncUtilTimeout: 10_000 });
export const until = (check: () => void) => vi.waitFor(check, 10_000);

/**
 * Each test of the calling file starts in an empty tab. Files share this module, so hooks outside of a function would
 * run only for the first file.
 */
export function useEmptyTab(): void {
  beforeEach(openTab);
  afterEach(closeTab);
}

function openTab(): void {
  Object.assign(app, { sent: [], opened: [] });
  app.responses = {
    'GET /api/v1/auth/login': () =>
      success({ from: 'Muster <club@muster.test>', sent_ago: 0, next_in: 60, good_for: 600 }),
    'GET /api/v1/auth/confirm': () => success(auth),
    'GET /api/v1/users': () => success(bob),
    'GET /api/v1/users/events': () => success([]),
    'GET /api/v1/users/clubs/events': () => success([]),
    'GET /api/v1/notifications': () => success([]),
    'GET /api/v1/events/tuesday-run': () => success(run),
  };
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    const call = `${method} ${url.split('?', 1)[0]}`;
    app.sent.push([method, decodeURIComponent(url), body].filter(Boolean).join(' '));
    return app.responses[call]?.() ?? failure(404);
  });
  vi.stubGlobal(
    'WebSocket',
    class extends EventTarget {
      close() {}
    },
  );
  vi.stubGlobal('scrollTo', () => {});
}

async function closeTab(): Promise<void> {
  await act(() => endSession());
  cleanup();
  app.router?.dispose();
  queryClient.clear();
  document.head.replaceChildren();
}

/** A copy of the routes, because each router empties the `lazy` objects of its routes. */
const copied = (all: RouteObject[]): RouteObject[] =>
  all.map((each) => ({
    ...each,
    ...(each.lazy && { lazy: { ...(each.lazy as object) } }),
    ...(each.children && { children: copied(each.children) }),
  })) as RouteObject[];

/** Opens an address, or without `path` the current one again, as a reload does. */
export async function open(path = here()): Promise<void> {
  if (app.router) {
    app.router.dispose();
    cleanup();
    queryClient.clear();
  }
  window.history.replaceState(path === here() ? window.history.state : null, '', path);
  const router = startRouter(copied(routes));
  app.router = router;
  router.subscribe(
    ({ navigation: { location } }) => location && app.opened.push(location.pathname + location.search),
  );
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await until(() => {
    if (!router.state.initialized) throw new Error('The first page is still loading.');
  });
}

export const here = (): string => window.location.pathname + window.location.search;

/** The calls whose method is not GET. */
export const writes = (): string[] => app.sent.filter((call) => !call.startsWith('GET '));

export const follow = async (name: string) => fireEvent.click(await screen.findByRole('link', { name }));
export const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
export const type = async (label: RegExp | string, value: string) =>
  fireEvent.change(await screen.findByLabelText(label), { target: { value } });

/** Asks for a code. */
export async function askForCode(email: string): Promise<void> {
  await type(/^Email/, email);
  await press('Login');
}

/** Enters an email and the code. */
export async function logIn(email = bob.email): Promise<void> {
  await askForCode(email);
  await type('Code', 'ABC234');
}
