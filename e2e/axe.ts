import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from '#e2e/people.ts';

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

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

/** The page as it stands breaks no rule of WCAG 2.2 AA that a machine can check, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await atRest(page);
    const axe = new AxeBuilder({ page }).setLegacyMode();
    // Only the colours depend on the scheme.
    const rules = colorScheme === 'light' ? axe.withTags(standards) : axe.withRules('color-contrast');
    const { violations } = await rules.analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
    expect(found, colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}
