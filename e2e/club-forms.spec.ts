import { expect, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const button = ({ page }: Person, name: string) => page.getByRole('button', { name, exact: true });
const field = ({ page }: Person, name: string) => page.getByRole('textbox', { name, exact: true });

test('new club: any user can create one, and the form is removed from the history [CLUBNEW-01 CLUBNEW-06 CLUBNEW-07 CLUBNEW-08 CLUBNEW-09 GEN-02]', async ({
  person,
}) => {
  const nameless = await person('');
  const { page } = nameless;
  let loads = 0;
  page.on('load', () => loads++);
  await page.goto('/app');
  await page.getByRole('link', { name: 'Create Club' }).click();
  await expect(page).toHaveURL('/app/new-club');
  await expect(page).toHaveTitle('Muster - New club');
  await expect(page.getByText('Tell us what your club is called')).toBeVisible();
  await field(nameless, 'Club Name').fill('Riverside Runners');
  await button(nameless, 'Create Club').click();
  await expect(page).toHaveURL(/#new-club$/);
  const { slug } = (await nameless.api.users.me({})).clubs[0] ?? {};
  await expect(page).toHaveURL(`/app/clubs/${slug}#new-club`);
  await expect(page.getByRole('heading', { name: 'Riverside Runners', level: 1 })).toBeVisible();

  await page.goBack();
  await expect(page).toHaveURL('/app');
  await expect(page.getByRole('link', { name: 'Riverside Runners' })).toBeVisible();
  expect(loads).toBe(1);
});

test('edit club: shows the changes on the club page [CLUBEDIT-01 CLUBEDIT-10 TOAST-19]', async ({
  ada,
  rowers,
}) => {
  const { page } = ada;
  await page.goto(`/app/clubs/${rowers.slug}`);
  await page.getByRole('link', { name: 'Edit' }).click();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}/edit`);
  await expect(page).toHaveTitle('Muster - Edit club');
  await expect(field(ada, 'Club Name')).toHaveValue('Harbour Rowers');
  await field(ada, 'Club Name').fill('Harbour Rowers 1902');
  await field(ada, 'Club Location').fill('Pier 3');
  await field(ada, 'Club Website').fill('harbour-rowers.org/club');
  await button(ada, 'Update Club').click();
  await expectToast(page, 'Success', 'You have updated this club');
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers 1902');
  await expect(page.getByText('Pier 3', { exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'harbour-rowers.org/club', exact: true })).toBeVisible();
});
