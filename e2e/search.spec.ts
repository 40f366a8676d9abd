import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, test } from '#e2e/people.ts';

const button = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Search' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const field = (page: Page) => dialog(page).getByPlaceholder('Search events or clubs...');
const group = (page: Page, name: string) => dialog(page).getByRole('region', { name }).getByRole('link');
const skeleton = (page: Page) => dialog(page).locator('.animate-pulse').first();

test('search: finds events and clubs and opens them [CHROME-03 SEARCH-01 SEARCH-03 SEARCH-04 SEARCH-05 SEARCH-06 SEARCH-07 SEARCH-08 SEARCH-09 SEARCH-10 UX-39]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const rowers = await club([ada], 'Harbour Rowers');
  await club([ada], 'Chess');
  const run = await event(rowers, ada, { name: 'Harbour run' });
  for (let count = 1; count < 12; count++) await event(rowers, ada, { name: `Run ${count}` });
  await page.goto('/app');
  await button(page).click();
  await expect(field(page)).toBeFocused();
  await field(page).fill('HARBOUR');
  await expect(group(page, 'Events')).toHaveText([
    /^Harbour run *[A-Z][a-z]{2} \d+ \w+ \d{4}, \d+:\d\d [ap]m · Harbour Rowers$/,
  ]);
  await expect(group(page, 'Clubs')).toHaveText(['Harbour Rowers']);
  await expectAccessible(page);
  await group(page, 'Events').click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page).toHaveURL(`/app/events/${run.slug}`);

  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/clubs/filter?q=zebra', async (route) => {
    await released;
    await route.continue();
  });
  await button(page).click();
  await expect(group(page, 'Events')).toHaveCount(12);
  expect((await dialog(page).locator('[aria-live]').boundingBox())?.height).toBe(300);
  await group(page, 'Clubs').last().scrollIntoViewIfNeeded();
  await expect(group(page, 'Clubs').last()).toBeInViewport();
  await field(page).fill('zebra');
  await expect(skeleton(page)).toBeVisible();
  await expect(group(page, 'Clubs')).toHaveCount(0);
  release();
  await expect(dialog(page).getByText('No results found.')).toBeVisible();
  await expect(dialog(page).getByText('We searched the names of your clubs and their events.')).toBeVisible();
  await expect(skeleton(page)).toHaveCount(0);
  await field(page).fill('harb');
  await group(page, 'Clubs').click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
});

test('search: Ctrl or Cmd with J or K toggles it, arrow keys move through the results, and Enter opens the first [SEARCH-02 UX-39]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const { keyboard } = page;
  const run = await event(await club([ada], 'Harbour Rowers'), ada, { name: 'Harbour run' });
  await page.goto('/app');
  await expect(button(page)).toBeVisible();
  for (const keys of ['Control+j', 'Meta+j', 'Control+k', 'Meta+k']) {
    await keyboard.press(keys);
    await expect(field(page)).toBeFocused();
    await keyboard.press(keys);
    await expect(dialog(page)).toHaveCount(0);
  }
  await keyboard.press('Control+j');
  await expect(group(page, 'Clubs')).toHaveCount(1);
  for (const next of [group(page, 'Events'), group(page, 'Clubs'), field(page)]) {
    await keyboard.press('ArrowDown');
    await expect(next).toBeFocused();
  }
  await keyboard.press('ArrowUp');
  await expect(group(page, 'Clubs')).toBeFocused();
  await field(page).fill('harbour');
  await expect(group(page, 'Events')).toHaveCount(1);
  await field(page).press('Enter');
  await expect(page).toHaveURL(`/app/events/${run.slug}`);
});
