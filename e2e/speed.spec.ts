import type { Page, Request } from '@playwright/test';
import { expect, test } from '#e2e/people.ts';

/** How many calls of the API a screen makes one after the other until it is there: each begins when another one is over. */
async function callsInARow(page: Page, path: string, isThere: () => Promise<void>): Promise<string[]> {
  const calls: Request[] = [];
  const note = (request: Request) => {
    const { pathname } = new URL(request.url());
    // The bell fills itself afterwards: no screen waits for it.
    if (pathname.startsWith('/api/') && pathname !== '/api/v1/notifications') calls.push(request);
  };
  page.on('request', note);
  await page.goto(path);
  await isThere();
  await page.waitForLoadState('networkidle');
  page.off('request', note);

  const spans = calls.map((call) => {
    const { startTime, responseEnd } = call.timing();
    return { path: new URL(call.url()).pathname, from: startTime, to: startTime + responseEnd };
  });
  const row: string[] = [];
  let over = 0;
  // Whoever is over first leaves the most room for others: the longest row there is.
  for (const span of spans.toSorted((a, b) => a.to - b.to)) {
    if (span.from < over) continue;
    row.push(span.path);
    over = span.to;
  }
  return row;
}

test('no screen makes more than two calls one after the other until it is there', async ({
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
    const row = await callsInARow(ada.page, path, () =>
      expect(ada.page.getByRole('main').getByRole('heading').first()).toBeVisible(),
    );
    expect(row.length, `${path}: ${row.join(', ')}`).toBeLessThanOrEqual(2);
    expect(row.length, path).toBeGreaterThan(0);
  }
});
