import { act, fireEvent } from '@testing-library/react';
import type { RouteObject } from 'react-router';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { contracts } from '#features/contracts.ts';
import { settingNames } from '#features/notifications/contract.ts';
import { app, auth, here, open, useEmptyTab } from '#test/render-app.tsx';
import { failure, success } from '#test/render-page.tsx';
import { exampleOf } from '#test/example-response.ts';
import { pseudoLanguage, pseudoTexts, wordsOutside } from '#test/pseudo-language.ts';
import { dismissToast, toasts } from '#ui/toast.ts';
import { queryClient } from '#web/queries.ts';
import { beginSession } from '#web/first/session.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import { setLook } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import { t as ofErrors } from './pages/error-messages.ts';
import { routes } from './routes.tsx';

useEmptyTab();

beforeAll(async () => addTranslations(pseudoLanguage, await pseudoTexts()));
beforeEach(() => {
  for (const { id } of toasts()) dismissToast(id);
  setLook({ language: pseudoLanguage, clock: '24', timeZone: 'UTC' });
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
afterAll(() => setLook({ language: 'en', clock: 'auto' }));

const endpoints = Object.values(contracts).flatMap((each) => Object.values(each) as Endpoint[]);

/** The fake server responds to each call with an example, or refuses all calls that write. */
function respond(nth: number, refusesWrites = false): void {
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

/** The paths of all routes. */
const pathsOf = (all: RouteObject[], base = ''): string[] =>
  all.flatMap(({ path = '', index, children }) => {
    const full = path.startsWith('/') ? path : `${base}/${path}`.replaceAll('//', '/');
    return children ? pathsOf(children, full) : [index ? base : full];
  });
const paths = [
  ...new Set(
    pathsOf(routes).map((path) =>
      path
        .replace('club/:slug/:invite', 'club/slug-9/invite')
        .replace(':slug', 'slug-0')
        .replace(':update', 'id-0')
        .replace('*', 'nowhere'),
    ),
  ),
].flatMap((path) => {
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
const onePerScreen = [...new Map(paths.map((path) => [path.split('?')[0], path])).values()];

const attributes = [
  'title',
  'aria-label',
  'placeholder',
  'alt',
  'aria-valuetext',
  'aria-description',
  'label',
];

/** The texts of the document that have words outside of brackets. */
function strayTexts(): string[] {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement?.closest('script, style')) texts.push(node.textContent ?? '');
  for (const element of document.querySelectorAll(attributes.map((name) => `[${name}]`).join()))
    texts.push(...attributes.map((name) => element.getAttribute(name) ?? ''));
  texts.push(
    ...toasts()
      .filter((toast) => toast.open)
      .flatMap(({ title, text }) => [title, text].map((part) => (typeof part === 'string' ? part : ''))),
  );
  return texts.filter((text) => wordsOutside(text).length > 0);
}

/** Waits until all data and all scripts are loaded. */
async function settle(): Promise<void> {
  await act(async () => {
    for (let calm = 0, rounds = 0; calm < 3; calm++) {
      await vi.dynamicImportSettled();
      await new Promise((resolve) => setTimeout(resolve));
      if (queryClient.isFetching() + queryClient.isMutating() > 0) calm = 0;
      if (rounds++ > 500) throw new Error(`${here()} never stops loading.`);
    }
  });
}

async function visit(path: string): Promise<void> {
  // The landing page is for visitors who are not logged in.
  if (path !== '/') beginSession(auth);
  await open(path);
  await settle();
  // A screen that fails shows none of its texts.
  expect([path, app.router?.state.errors]).toEqual([path, null]);
  expect([path, document.body.textContent?.includes(ofErrors('serverErrorText'))]).toEqual([path, false]);
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

/** Presses each button of a screen, and each button of the dialog or menu that it opens. */
async function pressEverything(path: string, found: Set<string>): Promise<void> {
  const look = (where: string) => strayTexts().forEach((text) => found.add(`${where}: ${text}`));
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

test.each([0, 1, 2, 3])(
  'pseudo language: no screen with the data of example %i shows a text that is in no catalogue [LANG-01 LANG-21]',
  async (nth) => {
    const found = new Set<string>();
    const screens: string[] = [];
    respond(nth);
    for (const path of paths) {
      await visit(path);
      screens.push(here());
      for (const text of strayTexts()) found.add(`${path}: ${text}`);
    }
    expect([...found]).toEqual([]);
    // Other examples lead members away from the pages of admins.
    if (nth === 0) expect(screens).toEqual(paths);
  },
);

test.each(onePerScreen.flatMap((path) => [[path, 'refused'] as const, [path, 'accepted'] as const]))(
  'pseudo language: no dialog, toast or error of %s shows a text that is in no catalogue while writes are %s [LANG-01 LANG-21]',
  async (path, writes) => {
    const found = new Set<string>();
    respond(0, writes === 'refused');
    await pressEverything(path, found);
    expect([...found]).toEqual([]);
  },
);
