import { withoutSsr } from '#e2e/answer.ts';
import { expect, test } from '#e2e/people.ts';

test("home: 'Try Again' recovers from a server error [HOME-20]", async ({ ada: { page, context } }) => {
  await withoutSsr(context);
  await context.route('**/api/v1/users', (route) => route.abort('connectionrefused'));
  await page.goto('/app');
  await expect(page.getByRole('heading', { name: 'Server Error' })).toBeVisible();
  await context.unroute('**/api/v1/users');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
});
