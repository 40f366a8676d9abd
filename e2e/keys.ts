import type { Locator, Page } from '@playwright/test';
import { expect } from '#e2e/people.ts';

const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

/** Whether there is a focus ring around the control, or around the field or card that contains it. */
const hasRing = (target: Locator) =>
  target.evaluate((element) =>
    [element, element.parentElement, element.closest('article')].some((each) => {
      const { outlineStyle, outlineWidth } = each ? getComputedStyle(each) : {};
      return outlineStyle === 'solid' && outlineWidth === '2px';
    }),
  );

/** Presses Tab until an element has the focus, and expects a visible focus ring. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 60 && !(await hasFocus(target)); presses++)
    await page.keyboard.press('Tab');
  await expect(target).toBeFocused();
  await expect.poll(() => hasRing(target), 'a ring around the focused element').toBe(true);
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

/** Expects the focus in this element, so that the next Tab continues there instead of at the top of the page. */
export const expectFocusIn = (around: Locator) =>
  expect
    .poll(
      () => around.evaluate((element) => element.contains(document.activeElement)),
      'the focus is in this element',
    )
    .toBe(true);
