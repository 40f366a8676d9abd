import type { BrowserContext } from '@playwright/test';
import type { Visitor } from '#e2e/people.ts';

/** Lets what the server answers to a GET arrive changed: as it would be at another time, or after a rarer story. */
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

/** The screens come as the app draws them from calls of its own, which a test means to answer. */
export async function withoutSsr(context: BrowserContext): Promise<void> {
  await context.route('**/api/drawn*', (route) => route.abort());
}
