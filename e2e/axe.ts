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

/** What fades in has the contrast of its end only at the end. */
const atRest = (page: Page) =>
  page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((each) => each.effect?.getComputedTiming().iterations !== Infinity)
        // Those in a closed `<details>` stand still for as long as it is closed.
        .filter(({ effect }) => (effect as KeyframeEffect | null)?.target?.checkVisibility())
        .map((each) => each.finished),
    ).then(() => undefined),
  );

/** What breaks these rules, each with the elements that do. */
const violations = (page: Page, runOnly: axe.RunOptions['runOnly']) =>
  page.evaluate(async (rules) => {
    // Only what is broken is described, and nothing is fetched once more for it: most of the time went there.
    const result = await window.axe?.run({
      runOnly: rules,
      resultTypes: ['violations'],
      selectors: false,
      preload: false,
    });
    return result?.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, runOnly);

/** The page as it stands breaks no rule of WCAG 2.2 AA that a machine can check, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  // Until its code has come, a page is empty.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await atRest(page);
    // Only the colours depend on the scheme.
    const rules = colorScheme === 'light' ? standards : { type: 'rule' as const, values: ['color-contrast'] };
    expect(await violations(page, rules), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}
