import type { Page } from '@playwright/test';

export const bell = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Notifications/ });
export const dropdown = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });
export const rows = (page: Page) => dropdown(page).getByRole('listitem');

/** Goes where the live connection is up: what comes from then on comes by it. */
export async function connected(page: Page, path = '/app'): Promise<string> {
  const opening = page.waitForEvent('websocket');
  const reloaded = page.waitForResponse(async (answer) => {
    await opening;
    return answer.url().endsWith('/v1/notifications');
  });
  await page.goto(path);
  await reloaded;
  return (await opening).url();
}

/** Where nothing comes live: what somebody is told meanwhile takes the place of no other toast. */
export const withoutLive = (page: Page) => page.routeWebSocket(/ws\/notifications/, () => {});
