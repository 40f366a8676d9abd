import type { Page } from '@playwright/test';
import { expect, test } from '#e2e/people.ts';

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

test('the page of a club tells its name [SEO-01 SEO-02 SEO-03 SEO-04]', async ({ person, club }) => {
  const ada = await person('Ada');
  const { slug } = await club([ada], 'Deep "Water" & Co');
  await ada.page.goto(`/app/clubs/${slug}`);
  await expect(ada.page).toHaveTitle('Muster - Deep "Water" & Co');
  await expectTags(ada.page, 'Deep "Water" & Co', `Deep "Water" & Co's club on Muster!`);
});

test('the page of an event tells its name and description [SEO-05 SEO-06]', async ({
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
