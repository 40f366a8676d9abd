import type { Club } from '#features/clubs/contract.ts';
import { alter } from '#e2e/answer.ts';
import { withoutLive } from '#e2e/bell.ts';
import { expect, test, type ClubHandle, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const button = ({ page }: Person, name: string) => page.getByRole('button', { name, exact: true });
const field = ({ page }: Person, name: string) => page.getByRole('textbox', { name, exact: true });

const startsCreating = ({ page }: Person) =>
  page.waitForRequest((sent) => sent.method() === 'POST' && sent.url().endsWith('/api/v1/clubs'));

const startsUpdating = ({ page }: Person, { slug }: ClubHandle) =>
  page.waitForRequest((sent) => sent.method() === 'PATCH' && sent.url().endsWith(`/api/v1/clubs/${slug}`));

test('new club: any user can create one with just a name [CLUBNEW-01 CLUBNEW-02 CLUBNEW-04 CLUBNEW-06 CLUBNEW-07 CLUBNEW-08 CLUBNEW-09 API-16 GEN-02]', async ({
  person,
}) => {
  const ada = await person('');
  const { page } = ada;
  let loads = 0;
  page.on('load', () => loads++);
  await page.goto('/app');
  await page.getByRole('link', { name: 'Create Club' }).click();
  await expect(page).toHaveURL('/app/new-club');
  await expect(page).toHaveTitle('Muster - New club');
  await expect(page.getByText('Tell us what your club is called')).toBeVisible();
  await expect(field(ada, 'Club Name')).toHaveJSProperty('required', true);

  await field(ada, 'Club Name').fill('Riverside Runners');
  const request = startsCreating(ada);
  await button(ada, 'Create Club').click();
  expect((await request).postDataJSON()).toEqual({ club_name: 'Riverside Runners' });
  await expect(page).toHaveURL(/#new-club$/);
  const { slug } = (await ada.api.users.me({})).clubs[0] ?? {};
  await expect(page).toHaveURL(`/app/clubs/${slug}#new-club`);
  await expect(page.getByRole('heading', { name: 'Riverside Runners', level: 1 })).toBeVisible();

  await page.goBack();
  await expect(page).toHaveURL('/app');
  await expect(page.getByRole('link', { name: 'Riverside Runners' })).toBeVisible();
  expect(loads).toBe(1);
});

test('new club: requires a name [CLUBNEW-03 CLUBNEW-05]', async ({ person }) => {
  const ada = await person('Ada');
  const { page } = ada;
  let sent = 0;
  page.on('request', (request) => request.method() === 'POST' && sent++);
  await page.goto('/app');
  await page.getByRole('link', { name: 'Create Club' }).click();
  for (const name of ['', '   ']) {
    await field(ada, 'Club Name').fill(name);
    await expect(page.getByText('This field is required!')).toHaveCount(0);
    await button(ada, 'Create Club').click();
    await expect(page.getByText('This field is required!')).toBeVisible();
  }
  await expect(field(ada, 'Club Name')).toBeFocused();
  await expect(field(ada, 'Club Name')).toHaveAccessibleDescription('This field is required!');
  await button(ada, 'Back').click();
  await expect(page).toHaveURL('/app');
  expect(sent).toBe(0);
  expect((await ada.api.users.me({})).clubs).toEqual([]);
});

test('new club: is created once when the response is lost', async ({ person }) => {
  const ada = await person('Ada');
  const { page } = ada;
  let sent = 0;
  await page.route('**/api/v1/clubs', async (route) => {
    sent++;
    const answer = await route.fetch();
    await (sent === 1 ? route.abort('connectionreset') : route.fulfill({ response: answer }));
  });
  await page.goto('/app/new-club');
  await field(ada, 'Club Name').fill('Riverside Runners');
  await button(ada, 'Create Club').click();
  await expect(page).toHaveURL(/#new-club$/);
  expect(sent).toBe(2);
  expect((await ada.api.users.me({})).clubs).toHaveLength(1);
});

test('new club: shows an error and keeps the name when the request fails', async ({ person }) => {
  const ada = await person('Ada');
  await ada.page.goto('/app/new-club');
  await field(ada, 'Club Name').fill('Riverside Runners');
  await ada.context.setOffline(true);
  await button(ada, 'Create Club').click();
  await expectToast(ada.page, 'Error', 'An unexpected error occurred');
  await expect(field(ada, 'Club Name')).toHaveValue('Riverside Runners');
});

test.describe('editing a club', () => {
  test('sends the changes and shows them on the club page [CLUBEDIT-01 CLUBEDIT-02 CLUBEDIT-03 CLUBEDIT-04 CLUBEDIT-06 CLUBEDIT-10 TOAST-19 API-21 CLUB-18 CLUB-19]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada');
    const { page } = ada;
    const rowers = await club([ada]);
    await page.goto(`/app/clubs/${rowers.slug}`);
    await page.getByRole('link', { name: 'Edit' }).click();
    await expect(page).toHaveURL(`/app/clubs/${rowers.slug}/edit`);
    await expect(page).toHaveTitle('Muster - Edit club');
    await expect(field(ada, 'Club Name')).toHaveValue('Harbour Rowers');
    await field(ada, 'Club Name').fill('Harbour Rowers 1902');
    await field(ada, 'Club Location').fill('Pier 3');
    await field(ada, 'Club Website').fill('harbour-rowers.org/club');
    const request = startsUpdating(ada, rowers);
    await button(ada, 'Update Club').click();
    expect((await request).postDataJSON()).toMatchObject({
      clubId: rowers.id,
      club_name: 'Harbour Rowers 1902',
      location_name: 'Pier 3',
      meta: { website: 'harbour-rowers.org/club' },
    });
    await expectToast(ada.page, 'Success', 'You have updated this club');
    await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers 1902');
    await expect(page.getByText('Pier 3', { exact: true })).toBeVisible();
    await expect(page.getByRole('link', { name: 'harbour-rowers.org/club', exact: true })).toHaveAttribute(
      'href',
      'https://harbour-rowers.org/club',
    );
  });

  test('sends emptied fields as null [CLUBEDIT-08 CLUBEDIT-09]', async ({ person, club }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    await ada.api.clubs.update({
      club: rowers.id,
      location_name: 'Pier 3',
      meta: { website: 'harbour-rowers.org' },
    });
    await ada.page.goto(`/app/clubs/${rowers.slug}/edit`);
    await field(ada, 'Club Location').clear();
    await field(ada, 'Club Website').clear();
    const request = startsUpdating(ada, rowers);
    await button(ada, 'Update Club').click();
    expect((await request).postDataJSON()).toMatchObject({ location_name: null, meta: { website: null } });
    await expect(ada.page).toHaveURL(`/app/clubs/${rowers.slug}`);
    expect(await ada.api.clubs.get({ club: rowers.id })).toMatchObject({ location_name: null });
  });

  test('validates on the server only and keeps rejected input [CLUBEDIT-07 TOAST-18]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    await ada.page.goto(`/app/clubs/${rowers.slug}/edit`);
    await field(ada, 'Club Name').clear();
    await field(ada, 'Club Website').fill('javascript:alert(1)');
    const request = startsUpdating(ada, rowers);
    await button(ada, 'Update Club').click();
    expect((await (await request).response())?.status()).toBe(400);
    await expectToast(ada.page, 'Error', 'There was an error updating this club');
    await expect(field(ada, 'Club Website')).toHaveValue('javascript:alert(1)');
    expect(await ada.api.clubs.get({ club: rowers.id })).toMatchObject({ club_name: 'Harbour Rowers' });
  });

  test('is refused after a demotion meanwhile [TOAST-18]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
    await withoutLive(bob.page);
    await bob.page.goto(`/app/clubs/${rowers.slug}/edit`);
    await field(bob, 'Club Name').fill("Bob's Rowers");
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 0 });
    await button(bob, 'Update Club').click();
    await expectToast(bob.page, 'Error', 'There was an error updating this club');
  });

  test('goes back to the club page [CLUBEDIT-05]', async ({ person, club }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    await ada.page.goto(`/app/clubs/${rowers.slug}/edit`);
    await button(ada, 'Back').click();
    await expect(ada.page).toHaveURL(`/app/clubs/${rowers.slug}`);
  });

  test('is for admins only [CLUBEDIT-11]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    await bob.page.goto(`/app/clubs/${rowers.slug}/edit`);
    await expect(bob.page).toHaveURL(`/app/clubs/${rowers.slug}`);
    await expectToast(bob.page, 'Permission denied', 'Only admins can edit this club.');
    await expect(field(bob, 'Club Name')).toHaveCount(0);
  });
});

test('website: is linked with a scheme and shown without one [CLUB-17 CLUB-18 CLUB-19]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  for (const [kept, href, shown] of [
    ['rowers.example', 'https://rowers.example', 'rowers.example'],
    ['http://rowers.example/club', 'http://rowers.example/club', 'rowers.example/club'],
    ['https://rowers.example', 'https://rowers.example', 'rowers.example'],
  ] as const) {
    await alter<Club>(ada, `/clubs/${rowers.slug}`, (answer) => (answer.meta = { website: kept }));
    await ada.page.goto(`/app/clubs/${rowers.slug}`);
    await expect(ada.page.getByRole('link', { name: shown, exact: true })).toHaveAttribute('href', href);
  }
});
