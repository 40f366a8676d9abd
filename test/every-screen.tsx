import { act, fireEvent } from '@testing-library/react';
import { beforeEach, expect, vi } from 'vitest';
import { t as ofErrors } from '#app/web/pages/error-messages.ts';
import { contracts } from '#features/contracts.ts';
import { settingNames } from '#features/notifications/settings-contract.ts';
import { allScreens } from '#test/all-screens.ts';
import { exampleOf } from '#test/example-response.ts';
import { app, auth, here, open, useEmptyTab } from '#test/render-app.tsx';
import { failure, success } from '#test/render-page.tsx';
import { dismissToast, toasts } from '#ui/toast.ts';
import { beginSession } from '#web/first/session.ts';
import { queryClient } from '#web/queries.ts';
import type { Endpoint } from '#wire/endpoint.ts';

/** For files with tests that visit all screens. */
export function useEveryScreen(): void {
  useEmptyTab();
  beforeEach(() => {
    for (const { id } of toasts()) dismissToast(id);
    // What screens use and jsdom lacks.
    vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: true }));
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        disconnect() {}
      },
    );
  });
}

const endpoints = Object.values(contracts).flatMap((each) => Object.values(each) as Endpoint[]);

/** The fake server responds to each call with an example, or refuses all calls that write. */
export function respond(nth: number, refusesWrites = false): void {
  vi.stubGlobal('fetch', async (url: string, { method = 'GET' }: RequestInit = {}) => {
    const [path = ''] = url.replace('/api', '').split('?');
    const matches = ({ path: of, method: with_ }: Endpoint) =>
      with_ === method && new RegExp(`^${of.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
    const endpoint = endpoints.findLast(matches);
    if (!endpoint) return failure(404);
    if (method !== 'GET' && refusesWrites) return failure(500);
    return success('output' in endpoint ? exampleOf(endpoint.output, nth) : null);
  });
}

const subjects = {
  club: 'slug-0',
  event: 'slug-0',
  series: 'slug-0',
  update: 'id-0',
  section: 'id-0',
  invite: 'slug-9/invite',
};

/** The addresses of all screens with their variants. */
export const paths = allScreens(subjects).flatMap((path) => {
  // Leads to home.
  if (path === '/app/events') return [];
  if (path.endsWith('/answers'))
    return ['going', 'waiting', 'maybe', 'no', 'silent', 'unconfirmed'].map((list) => `${path}?list=${list}`);
  if (path === '/unsubscribe')
    return [path, ...settingNames.map((setting) => `${path}?token=x.email_${setting}.x`)];
  if (path === '/confirm' || path === '/revert-email') return [path, `${path}?token=x&email_code=x`];
  return [path];
});

/** One path for each screen: the last of those that differ in their query. */
export const onePerScreen = [...new Map(paths.map((path) => [path.split('?')[0], path])).values()];

/** Waits until all data and all scripts are loaded. */
export async function settle(): Promise<void> {
  await act(async () => {
    for (let calm = 0, rounds = 0; calm < 3; calm++) {
      await vi.dynamicImportSettled();
      await new Promise((resolve) => setTimeout(resolve));
      if (queryClient.isFetching() + queryClient.isMutating() > 0) calm = 0;
      if (rounds++ > 500) throw new Error(`${here()} never stops loading.`);
    }
  });
}

/** Fails if the screen has failed. `where` says how the test got there. */
export function expectScreen(where: string): void {
  expect([where, app.router?.state.errors]).toEqual([where, null]);
  expect([where, document.body.textContent?.includes(ofErrors('serverErrorText'))]).toEqual([where, false]);
}

export async function visit(path: string): Promise<void> {
  // The landing page is for visitors who are not logged in.
  if (path !== '/') beginSession(auth);
  await open(path);
  await settle();
  expectScreen(path);
}

const nameOf = (button: Element) => button.getAttribute('aria-label') ?? button.textContent;

/** The buttons, of those with the same name only the first, without the days of calendars. */
const buttonsIn = (root: ParentNode) => {
  const all = root.querySelectorAll('button:not(:disabled), summary, [role=menuitem], [role=radio]');
  const byName = Map.groupBy(
    [...all].filter((each) => !each.closest('[role=grid]')),
    nameOf,
  );
  return new Map([...byName].map(([name, [first]]) => [name, first as Element]));
};

const layers = '[role=dialog], [role=alertdialog], [role=menu]';

/** Presses each button of a screen, and each button of the dialog or menu that it opens. Calls `look` after each. */
export async function pressEverything(path: string, look: (where: string) => void): Promise<void> {
  await visit(path);
  // The buttons around the screens are the same on each.
  const buttons = () => buttonsIn((path !== '/app' && document.querySelector('main')) || document);
  for (const name of buttons().keys()) {
    const button = buttons().get(name);
    if (!button) continue;
    fireEvent.click(button);
    await settle();
    look(`${path} > ${name}`);
    const layer = [...document.querySelectorAll(layers)].at(-1);
    for (const [inner, each] of layer ? buttonsIn(layer) : []) {
      if (!each.isConnected) continue;
      fireEvent.click(each);
      await settle();
      look(`${path} > ${name} > ${inner}`);
    }
    for (const { id } of toasts()) dismissToast(id);
    await visit(path);
  }
}
