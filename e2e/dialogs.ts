import type { Page } from '@playwright/test';
import { button } from '#e2e/event-page.ts';
import { expectFocusIn, pressOn } from '#e2e/keys.ts';
import { expect } from '#e2e/people.ts';

export const main = (page: Page) => page.getByRole('main');
export const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
export const question = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });

/** By keyboard: opens a dialog, expects Escape to close it and restore the focus, then reopens and confirms it. */
export async function confirmDialog(page: Page, opener: string, title: string, yes: string): Promise<void> {
  await pressOn(page, button(page, opener));
  await expectFocusIn(question(page, title));
  await page.keyboard.press('Escape');
  await expect(question(page, title)).toBeHidden();
  await expect(button(page, opener)).toBeFocused();
  await page.keyboard.press('Enter');
  await pressOn(page, question(page, title).getByRole('button', { name: yes, exact: true }));
  await expect(question(page, title)).toBeHidden();
}
