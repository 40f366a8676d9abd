import type { Page } from '@playwright/test';

export const bell = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Notifications/ });
export const dropdown = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });
export const rows = (page: Page) => dropdown(page).getByRole('listitem');

/** Opens a page and waits until its live connection is up. The page then loads its notifications a second time. */
export async function connected(page: Page, path = '/app'): Promise<string> {
  const opening = page.waitForEvent('websocket');
  let loads = 0;
  const reloaded = page.waitForResponse(
    (response) => response.url().endsWith('/v1/notifications') && ++loads === 2,
  );
  await page.goto(path);
  await reloaded;
  return (await opening).url();
}

/** Disables the live connection, so that notifications do not replace the toast under test. */
export const withoutLive = (page: Page) => page.routeWebSocket(/ws\/notifications/, () => {});
