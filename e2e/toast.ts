import type { Page } from '@playwright/test';
import { expect } from '#e2e/people.ts';

/** Found by its label, because an open dialog hides the toasts from the accessibility tree. */
const toasts = (page: Page) => page.getByLabel('Notifications (F8)', { exact: true });

/** Expects the visible toast to have exactly this title and text. */
export async function expectToast(page: Page, title: string, text: string): Promise<void> {
  const shown = toasts(page).locator('li');
  await expect(shown).toHaveText(title + text);
  await expect(shown).toBeVisible();
}

export async function closeToast(page: Page): Promise<void> {
  await toasts(page).getByLabel('Close').click();
  await expect(toasts(page).locator('li')).toHaveCount(0);
}
