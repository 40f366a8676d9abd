import type { Locator, Page } from '@playwright/test';
import { expect } from '#e2e/people.ts';

const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** The ring stands around the control, or around the field or the card that it is the heart of. */
const hasRing = (target: Locator) =>
  target.evaluate((element) =>
    [element, element.parentElement, element.closest('article')].some((each) => {
      const { outlineStyle, outlineWidth } = each ? getComputedStyle(each) : {};
      return outlineStyle === 'solid' && outlineWidth === '2px';
    }),
  );

/** Presses Tab until something has the focus, and is seen to have it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 60 && !(await hasFocus(target)); presses++)
    await page.keyboard.press('Tab');
  await expect(target).toBeFocused();
  await expect.poll(() => hasRing(target), 'a ring around what has the focus').toBe(true);
}

/** Goes to a button or a link, and presses it. */
export async function pressOn(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Types into a field, in the place of what it held. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

/** The next Tab goes on from around here, and not from the top of the page. */
export const expectFocusIn = (around: Locator) =>
  expect
    .poll(() => around.evaluate((element) => element.contains(document.activeElement)), 'the focus is there')
    .toBe(true);
