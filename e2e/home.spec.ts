import { withoutSsr } from '#e2e/answer.ts';
import { expect, test } from '#e2e/people.ts';

test('home: shows a server problem when the user does not load, and one action without a club [HOME-01 HOME-02 HOME-03 HOME-04 HOME-16 HOME-17 HOME-18 HOME-19 HOME-20 HOME-21 CHROME-03]', async ({
  person,
}) => {
  const { page, context } = await person('Ada');
  await withoutSsr(context);
  await context.route('**/api/v1/users', (route) => route.abort('connectionrefused'));
  await page.goto('/app');
  await expect(page.getByRole('heading', { name: 'Server Error' })).toBeVisible();
  await expect(page.getByText("We're experiencing some technical difficulties")).toBeVisible();
  await expect(page.getByRole('listitem')).toContainText([/refresh/i, /clear.*cache/i, /try again later/i]);
  await expect(page.getByRole('link', { name: 'Go Home' })).toHaveAttribute('href', '/');
  await context.unroute('**/api/v1/users');
  await page.getByRole('button', { name: 'Try Again' }).click();

  await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
  await expect(page.getByText('You must be invited to join a club.')).toBeVisible();
  await expect(page.getByText('Events Attending')).toHaveCount(0);
  // The search is only for users with a club.
  await expect(page.getByRole('banner').getByRole('button', { name: 'User menu' })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('button', { name: 'Search' })).toHaveCount(0);
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('link', { name: 'Create Club' }).click();
  await expect(page).toHaveURL('/app/new-club');
});
