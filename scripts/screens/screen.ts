import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Places, Viewer } from './places.ts';

/** Something done on a page, on the way to what is looked at. */
export type Step = (page: Page) => Promise<unknown>;

export interface Screen {
  name: string;
  /** Who looks at it; nobody is somebody without a session. */
  as?: Viewer;
  path: (at: Places) => string;
  /** What leads from the page to the screen. */
  reach?: Step[];
  /** What happens before the page is opened. */
  before?: Step;
  /** Only what stands in the window: for dialogs, which lie over a page. */
  isDialog?: boolean;
  /** It tells of its failure on the console, as it should. */
  isLogged?: boolean;
  on?: 'phone' | 'desktop';
}

export const press =
  (name: string | RegExp): Step =>
  (page) =>
    page.getByRole('button', { name }).first().click();

/** Presses what stands in the dialog. */
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

/** Types into what has the focus. */
export const type =
  (text: string): Step =>
  (page) =>
    page.keyboard.type(text);

export const see =
  (text: string | RegExp): Step =>
  (page) =>
    page.getByText(text).first().waitFor();

/** Opens one of those parts that lie folded on a page. */
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

/** Chooses a file for the picture that is called so. */
export const choose =
  (label: string, file: Chosen): Step =>
  async (page) => {
    const chooser = page.waitForEvent('filechooser');
    const region = page.getByRole('region', { name: label, exact: true });
    await region.getByRole('button', { name: /Choose a picture|Change/ }).click();
    await (await chooser).setFiles(file);
  };

/** The server breaks at such calls. */
export const broken = (call: string): Step =>
  withDatabaseTimeout(call, { status: 500, contentType: 'text/plain', body: '' });

/** Such calls are answered with this, as `POST /v1/…` says them; a star stands for anything. */
export function withDatabaseTimeout(
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

/** What a button opens over a page. `reach` is what is done in it. */
export const dialog = ({ opens, reach = [], ...rest }: Opened): Screen => ({
  ...rest,
  isDialog: true,
  reach: [press(opens), inFront, ...reach],
});
