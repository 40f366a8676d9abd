import type { BrowserContext } from '@playwright/test';
import type { Visitor } from '#e2e/people.ts';

/** Changes the response to a GET on its way to the browser, to simulate another time or a rare state. */
export async function alter<Data>(
  { context }: Pick<Visitor, 'context'>,
  path: string,
  change: (data: Data) => void,
): Promise<void> {
  await withoutSsr(context);
  await context.route(`**/api/v1${path}`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    const response = await route.fetch();
    const json = (await response.json()) as { data: Data };
    change(json.data);
    await route.fulfill({ response, json });
  });
}

/** Changes the time that the server tells the browser, which takes the time from there. */
export async function setServerTime(context: BrowserContext, time: string): Promise<void> {
  await withoutSsr(context);
  await context.route('**/api/v1/**', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), date: new Date(time).toUTCString() };
    await route.fulfill({ response, headers });
  });
}

/** Disables server-side rendering, so that the app loads its data with calls that a test can intercept. */
export async function withoutSsr(context: BrowserContext): Promise<void> {
  await context.route('**/api/screen*', (route) => route.abort());
}
