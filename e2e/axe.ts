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

type Rules = Pick<axe.RunOptions, 'runOnly' | 'rules'>;

const contrast: Rules = { runOnly: { type: 'rule', values: ['color-contrast'] } };
const all: Rules = { runOnly: standards };
const allButContrast: Rules = { runOnly: standards, rules: { 'color-contrast': { enabled: false } } };

/** The violated rules, each with the elements that violate it and those that cause it. */
async function violations(page: Page, rules: Rules): Promise<string[]> {
  await atRest(page);
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(source);
  return page.evaluate(async (options) => {
    // Passed rules are not reported and styles not preloaded, because that took most of the time.
    const result = await window.axe?.run({
      ...options,
      resultTypes: ['violations'],
      selectors: false,
      preload: false,
    });
    const found = result?.violations ?? [];
    return found.map(({ id, nodes }) => {
      const causes = nodes.flatMap(({ html, any, all, none }) => {
        const related = [...any, ...all, ...none].flatMap(({ relatedNodes = [] }) => relatedNodes);
        return [html, ...related.map((each) => `because of ${each.html}`)];
      });
      return `${id}: ${[...new Set(causes)].join(' | ')}`;
    });
  }, rules);
}

async function violationsIn(page: Page, colorScheme: 'light' | 'dark', rules: Rules): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  const found = await violations(page, rules);
  return found.map((each) => `${colorScheme}: ${each}`);
}

/** Checks the page in its current state against the automated rules of WCAG 2.2 AA, in light and dark. */
export async function expectAccessible(page: Page): Promise<void> {
  // A page is empty until its code has loaded.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  // Only contrast depends on the colour scheme.
  expect([
    ...(await violationsIn(page, 'light', all)),
    ...(await violationsIn(page, 'dark', contrast)),
  ]).toEqual([]);
  await page.emulateMedia({ colorScheme: null });
}

/** The violations of all rules but contrast, for forced colours: axe reads the text colours of our own scheme there. */
export const violationsButContrast = (page: Page) => violations(page, allButContrast);

/** Where the contrast is too low, in light and dark. */
export async function lowContrast(page: Page): Promise<string[]> {
  const found = await violationsIn(page, 'light', contrast);
  found.push(...(await violationsIn(page, 'dark', contrast)));
  await page.emulateMedia({ colorScheme: null });
  return found;
}
