import type { Page } from '@playwright/test';
import { clubPath, eventPath } from '#e2e/event-page.ts';
import { expect, origin, test } from '#e2e/people.ts';

async function expectTags(page: Page, title: string, description: string): Promise<void> {
  await expect(page).toHaveTitle(`Muster - ${title}`);
  const tag = (key: string) => page.locator(`meta[property="${key}"], meta[name="${key}"]`);
  for (const [key, content] of [
    ['og:title', title],
    ['twitter:title', title],
    ['og:description', description],
    ['twitter:description', description],
    ['description', description],
  ] as const) {
    await expect(tag(key)).toHaveCount(1);
    await expect(tag(key)).toHaveAttribute('content', content);
  }
  await expect(tag('twitter:card')).toHaveAttribute('content', /^summary/);
}

test('metadata: pages have the title and description of their club or event, and their own URL, both when served and after navigation [SEO-01 SEO-02 SEO-03 SEO-04 SEO-05 SEO-06]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const deep = await club([ada], 'Deep "Water" & Co');
  const run = await event(deep, ada, { name: 'Night row', description: 'Bring a lamp.' });
  const expectAddress = async (path: string) => {
    await expect(page).toHaveURL(path);
    await expect(page.locator('meta[property="og:url"]')).toHaveAttribute('content', origin() + path);
    await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', origin() + path);
  };
  /** Opens a page by a link, then reloads it. */
  const open = async (name: string, path: string, ...tags: [title: string, description: string]) => {
    await page.getByRole('link', { name }).first().click();
    await expectAddress(path);
    await expectTags(page, ...tags);
    await page.reload();
    await expectAddress(path);
    await expectTags(page, ...tags);
  };
  await page.goto('/app');
  await expectAddress('/app');
  await open(deep.club_name, clubPath(deep), deep.club_name, `${deep.club_name}'s club on Muster!`);
  await open(run.name, eventPath(run), 'Night row', 'Bring a lamp.');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Night row');
  await page.goBack();
  await expectAddress(clubPath(deep));
  for (const path of ['/app', clubPath(deep), eventPath(run), '/privacy-policy', '/login']) {
    const html = await (await fetch(origin() + path)).text();
    expect(html).toContain(`<meta property="og:url" content="${origin()}${path}" />`);
  }
});
