import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Places, Viewer } from './places.ts';

/** An action on a page. */
export type Step = (page: Page) => Promise<unknown>;

export interface Screen {
  name: string;
  /** The viewer; undefined is a visitor without a session. */
  as?: Viewer;
  path: (at: Places) => string;
  /** Actions that lead from the page to the screen. */
  reach?: Step[];
  /** An action before the page is opened. */
  before?: Step;
  /** Capture only the viewport, for dialogs over a page. */
  isDialog?: boolean;
  /** The screen logs an expected error to the console. */
  isLogged?: boolean;
  on?: 'phone' | 'desktop';
}

export const press =
  (name: string | RegExp): Step =>
  (page) =>
    page.getByRole('button', { name }).first().click();

/** Presses a button in the dialog. */
export const answer =
  (name: string): Step =>
  (page) =>
    page
      .locator('[role=dialog], [role=alertdialog]')
      .last()
      .getByRole('button', { name, exact: true })
      .click();

export const fill =
  (label: string, text: string): Step =>
  (page) =>
    page.getByLabel(label).first().fill(text);

/** Types into the focused element. */
export const type =
  (text: string): Step =>
  (page) =>
    page.keyboard.type(text);

export const see =
  (text: string | RegExp): Step =>
  (page) =>
    page.getByText(text).first().waitFor();

/** Expands a collapsed section. */
export const unfold =
  (text: string): Step =>
  (page) =>
    page.locator('summary', { hasText: text }).click();

export const offline: Step = (page) => page.context().setOffline(true);

interface Chosen {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

export const photo: Chosen = {
  name: 'photo.png',
  mimeType: 'image/png',
  buffer: readFileSync(new URL('../../src/app/web/public/icons/icon-512.png', import.meta.url)),
};

/** Chooses a file for the picture with this label. */
export const choose =
  (label: string, file: Chosen): Step =>
  async (page) => {
    const chooser = page.waitForEvent('filechooser');
    const region = page.getByRole('region', { name: label, exact: true });
    await region.getByRole('button', { name: /Choose a picture|Change/ }).click();
    await (await chooser).setFiles(file);
  };

/** Makes a call fail with a 500. */
export const broken = (call: string): Step =>
  respondWith(call, { status: 500, contentType: 'text/plain', body: '' });

/** Fakes the response to calls like `POST /v1/…`, where `*` is a wildcard. */
export function respondWith(
  call: string,
  answer: { status: number; contentType?: string; body: string },
): Step {
  const [method, path] = call.split(' ');
  return (page) =>
    page.route(`**/api${path}`, (route) =>
      route.request().method() === method ? route.fulfill(answer) : route.fallback(),
    );
}

const inFront: Step = (page) =>
  page.locator('[role=dialog], [role=alertdialog], [role=menu]').last().waitFor();

type Opened = Omit<Screen, 'isDialog'> & { opens: string | RegExp };

/** A dialog opened by a button. `reach` lists the actions in it. */
export const dialog = ({ opens, reach = [], ...rest }: Opened): Screen => ({
  ...rest,
  isDialog: true,
  reach: [press(opens), inFront, ...reach],
});
