import type { Page } from '@playwright/test';
import { expect, origin, test } from '#e2e/people.ts';

async function expectTags(page: Page, title: string, description: string): Promise<void> {
  const tag = (key: string) => page.locator(`meta[property="${key}"], meta[name="${key}"]`);
  for (const key of ['og:title', 'twitter:title']) {
    await expect(tag(key)).toHaveCount(1);
    await expect(tag(key)).toHaveAttribute('content', title);
  }
  for (const key of ['og:description', 'twitter:description', 'description']) {
    await expect(tag(key)).toHaveCount(1);
    await expect(tag(key)).toHaveAttribute('content', description);
  }
  await expect(tag('twitter:card')).toHaveAttribute('content', /^summary/);
}

test('club page: has the name in its metadata [SEO-01 SEO-02 SEO-03 SEO-04]', async ({ person, club }) => {
  const ada = await person('Ada');
  const { slug } = await club([ada], 'Deep "Water" & Co');
  await ada.page.goto(`/app/clubs/${slug}`);
  await expect(ada.page).toHaveTitle('Muster - Deep "Water" & Co');
  await expectTags(ada.page, 'Deep "Water" & Co', `Deep "Water" & Co's club on Muster!`);
});

test('event page: has name and description in its metadata [SEO-05 SEO-06]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const run = await event(await club([ada]), ada, { name: 'Night row', description: 'Bring a lamp.' });
  await ada.page.goto(`/app/events/${run.slug}`);
  await expect(ada.page.getByRole('heading', { level: 1 })).toHaveText('Night row');
  await expect(ada.page).toHaveTitle('Muster - Night row');
  await expectTags(ada.page, 'Night row', 'Bring a lamp.');
});

test('canonical address: is that of the page, when served and after navigation', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  const run = await event(rowers, ada);
  const { page } = ada;
  const expectAddress = async (path: string) => {
    await expect(page).toHaveURL(path);
    await expect(page.locator('meta[property="og:url"]')).toHaveAttribute('content', origin() + path);
    await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', origin() + path);
  };
  const clubPath = `/app/clubs/${rowers.slug}`;
  await page.goto('/app');
  await expectAddress('/app');
  await page.getByRole('link', { name: rowers.club_name }).first().click();
  await expectAddress(clubPath);
  await page.getByRole('link', { name: run.name }).first().click();
  await expectAddress(`/app/events/${run.slug}`);
  await page.goBack();
  await expectAddress(clubPath);
  for (const path of ['/app', clubPath, `/app/events/${run.slug}`, '/privacy-policy', '/login']) {
    const html = await (await fetch(origin() + path)).text();
    expect(html).toContain(`<meta property="og:url" content="${origin()}${path}" />`);
  }
});
