import type { Page } from '@playwright/test';
import { clubPath, eventPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';

/** The longest chain of sequential API calls of the page: each starts after the previous one ended. */
async function sequentialCalls(page: Page): Promise<string[]> {
  const calls = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).map(
      ({ name, startTime, responseEnd }) => ({ path: new URL(name).pathname, startTime, responseEnd }),
    ),
  );
  const chain: string[] = [];
  let lastEnd = 0;
  // Always taking the call that ends first finds the longest chain.
  for (const { path, startTime, responseEnd } of calls.toSorted((a, b) => a.responseEnd - b.responseEnd)) {
    // No screen waits for the notifications of the bell.
    if (!path.startsWith('/api/') || path === '/api/v1/notifications' || startTime < lastEnd) continue;
    chain.push(path);
    lastEnd = responseEnd;
  }
  return chain;
}

test('screens: make at most two sequential calls until they are complete', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada, await person('Bob')]);
  const run = await event(rowers, ada);
  for (const path of [
    '/app',
    ...['', '/members', '/updates', '/edit', '/new-update'].map((part) => clubPath(rowers) + part),
    `/app/${rowers.slug}/new-event`,
    eventPath(run),
    `/app/events/edit/${run.slug}`,
    '/app/profile',
    '/app/away',
    '/app/notifications',
    '/app/settings/notifications',
    '/app/feedback',
  ]) {
    await ada.page.goto(path);
    await expect(ada.page.getByRole('main').getByRole('heading').first()).toBeVisible();
    await ada.page.waitForLoadState('networkidle');
    const chain = await sequentialCalls(ada.page);
    expect(chain.length, `${path}: ${chain.join(', ')}`).toBeLessThanOrEqual(2);
    expect(chain.length, path).toBeGreaterThan(0);
  }
});
