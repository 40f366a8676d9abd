import type { Page } from '@playwright/test';

/** Collects what the page reports as an error. */
export function errorsOn(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (line) => void (line.type() === 'error' && errors.push(line.text())));
  return errors;
}

/** Holds back all scripts that run after the first paint, until the returned function is called. */
export async function holdScripts(page: Page) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/assets\/main-/, async (route) => {
    await promise;
    await route.continue();
  });
  return release;
}
