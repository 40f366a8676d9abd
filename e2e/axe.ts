import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';
import { expect } from '#e2e/people.ts';

declare global {
  interface Window {
    axe?: typeof axe;
  }
}

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits for animations: an element that fades in has its final contrast only at the end. */
const atRest = (page: Page) =>
  page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((each) => each.effect?.getComputedTiming().iterations !== Infinity)
        // Animations in a closed `<details>` are paused and would never finish.
        .filter(({ effect }) => (effect as KeyframeEffect | null)?.target?.checkVisibility())
        .map((each) => each.finished),
    ).then(() => undefined),
  );

/** The violated rules, each with the elements that violate it. */
const violations = (page: Page, runOnly: axe.RunOptions['runOnly']) =>
  page.evaluate(async (rules) => {
    // Passed rules are not reported and styles not preloaded, because that took most of the time.
    const result = await window.axe?.run({
      runOnly: rules,
      resultTypes: ['violations'],
      selectors: false,
      preload: false,
    });
    return result?.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, runOnly);

/** Checks the page in its current state against the automated rules of WCAG 2.2 AA, in light and dark. */
export async function expectAccessible(page: Page): Promise<void> {
  // A page is empty until its code has loaded.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await atRest(page);
    // Only contrast depends on the colour scheme.
    const rules = colorScheme === 'light' ? standards : { type: 'rule' as const, values: ['color-contrast'] };
    expect(await violations(page, rules), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}
