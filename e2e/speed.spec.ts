import type { Page, Request } from '@playwright/test';
import { expect, test } from '#e2e/people.ts';

/** The longest chain of sequential API calls of a screen: each starts after the previous one ended. */
async function sequentialCalls(page: Page, path: string, isThere: () => Promise<void>): Promise<string[]> {
  const calls: Request[] = [];
  const record = (request: Request) => {
    const { pathname } = new URL(request.url());
    // No screen waits for the notifications of the bell.
    if (pathname.startsWith('/api/') && pathname !== '/api/v1/notifications') calls.push(request);
  };
  page.on('request', record);
  await page.goto(path);
  await isThere();
  await page.waitForLoadState('networkidle');
  page.off('request', record);

  const spans = calls.map((call) => {
    const { startTime, responseEnd } = call.timing();
    return { path: new URL(call.url()).pathname, from: startTime, to: startTime + responseEnd };
  });
  const chain: string[] = [];
  let lastEnd = 0;
  // Greedy by earliest end finds the longest chain.
  for (const span of spans.toSorted((a, b) => a.to - b.to)) {
    if (span.from < lastEnd) continue;
    chain.push(span.path);
    lastEnd = span.to;
  }
  return chain;
}

test('screens: make at most two sequential calls until they are complete', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const { slug } = await club([ada, await person('Bob')]);
  const { slug: run } = await event({ id: slug, slug, club_name: 'Harbour Rowers' }, ada);
  const screens = [
    '/app',
    `/app/clubs/${slug}`,
    `/app/clubs/${slug}/members`,
    `/app/clubs/${slug}/updates`,
    `/app/clubs/${slug}/edit`,
    `/app/clubs/${slug}/new-update`,
    `/app/${slug}/new-event`,
    `/app/events/${run}`,
    `/app/events/edit/${run}`,
    '/app/profile',
    '/app/notifications',
    '/app/settings/notifications',
    '/app/feedback',
  ];
  for (const path of screens) {
    const chain = await sequentialCalls(ada.page, path, () =>
      expect(ada.page.getByRole('main').getByRole('heading').first()).toBeVisible(),
    );
    expect(chain.length, `${path}: ${chain.join(', ')}`).toBeLessThanOrEqual(2);
    expect(chain.length, path).toBeGreaterThan(0);
  }
});
