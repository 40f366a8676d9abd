import type { Locator, Page } from '@playwright/test';
import { expect } from '#e2e/people.ts';

const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** The focus ring is on the control or on the field or card around it. */
const hasRing = (target: Locator) =>
  target.evaluate((element) =>
    [element, element.parentElement, element.closest('article')].some((each) => {
      const { outlineStyle, outlineWidth } = each ? getComputedStyle(each) : {};
      return outlineStyle === 'solid' && outlineWidth === '2px';
    }),
  );

/** Presses Tab until an element has a visible focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 60 && !(await hasFocus(target)); presses++)
    await page.keyboard.press('Tab');
  await expect(target).toBeFocused();
  await expect.poll(() => hasRing(target), 'a ring around what has the focus').toBe(true);
}

/** Moves the focus to a button or link and presses it. */
export async function pressOn(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

/** Replaces the text of a field. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

/** Makes the next Tab continue near this element instead of at the top of the page. */
export const expectFocusIn = (around: Locator) =>
  expect
    .poll(() => around.evaluate((element) => element.contains(document.activeElement)), 'the focus is there')
    .toBe(true);
