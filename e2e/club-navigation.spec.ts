import { expect, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const at = ({ page }: Person, slug: string) => page.goto(`/app/clubs/${slug}`);
const button = ({ page }: Person, name: string) => page.getByRole('button', { name, exact: true });

test.describe('leaving a club', () => {
  test('asks for confirmation and removes the member from the club and its events [CLUB-21 CLUB-23 CLUB-24 CLUB-25 CLUB-26 CLUB-28 TOAST-09 TOAST-10 API-18]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    const { slug } = await event(rowers, ada, { name: 'Tuesday row' });
    await bob.api.attendance.attend({ event: slug });
    const dialog = bob.page.getByRole('alertdialog', { name: 'Leave this club?' });
    await bob.page.goto('/app');
    await expect(bob.page.getByRole('link', { name: 'Tuesday row' })).toBeVisible();
    await bob.page.getByRole('link', { name: 'Harbour Rowers' }).click();

    await button(bob, 'Leave club').click();
    await expect(dialog).toContainText(
      'Are you sure you want to leave Harbour Rowers? This cannot be undone.',
    );
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(dialog).toBeHidden();
    await expect(button(bob, 'Leave club')).toBeFocused();
    expect((await bob.api.users.me({})).clubs).toHaveLength(1);

    await button(bob, 'Leave club').click();
    const answer = bob.page.waitForResponse((got) => got.url().endsWith(`/clubs/${rowers.slug}/leave`));
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    expect((await answer).request().method()).toBe('PUT');
    expect((await answer).status()).toBe(200);
    await expectToast(
      bob.page,
      'You have left',
      'You are no longer part of this club and have left all related events',
    );
    await expect(dialog).toBeHidden();
    await expect(bob.page).toHaveURL('/app');
    await expect(bob.page.getByText('Join or create a club to get started!')).toBeVisible();
    const { attendees } = await ada.api.events.get({ event: slug });
    expect(attendees.map(({ first_name }) => first_name)).toEqual(['Ada']);
  });

  test('is refused for the only admin [CLUB-27 TOAST-07 TOAST-08 API-18]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const { slug } = await club([ada, bob]);
    await at(ada, slug);
    await button(ada, 'Leave club').click();
    const dialog = ada.page.getByRole('alertdialog', { name: 'Leave this club?' });
    const answer = ada.page.waitForResponse((got) => got.url().endsWith('/leave'));
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    expect((await answer).status()).toBe(400);
    await expectToast(
      ada.page,
      'Permission denied',
      'You cannot perform this action, you are the only admin left in the club.',
    );
    await expect(dialog).toBeHidden();
    await expect(ada.page).toHaveURL(`/app/clubs/${slug}`);
  });

  test('shows an error and keeps the dialog open when offline', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const { slug } = await club([ada, bob]);
    await at(bob, slug);
    await button(bob, 'Leave club').click();
    await bob.context.setOffline(true);
    const dialog = bob.page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await expectToast(bob.page, 'Error', 'An unexpected error occurred');
    await expect(dialog).toBeVisible();
  });
});

test.describe('back from a club', () => {
  test('leads home [CLUB-30]', async ({ person, club }) => {
    const ada = await person('Ada');
    const { slug } = await club([ada]);
    await ada.page.goto(`/app/clubs/${slug}/edit`);
    await button(ada, 'Back').click();
    await expect(ada.page).toHaveURL(`/app/clubs/${slug}`);
    await button(ada, 'Back').click();
    await expect(ada.page).toHaveURL('/app');
  });

  test('leads to the previous page in the history after creating something [CLUB-29]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada');
    const { page } = ada;
    const { slug } = await club([ada]);

    await test.step('new-update', async () => {
      await page.goto(`/app/clubs/${slug}/updates`);
      await page.getByRole('link', { name: 'Create update' }).click();
      await page.getByRole('textbox', { name: 'Content' }).fill('The boat is mended.');
      await button(ada, 'Publish').click();
      await expect(page).toHaveURL(`/app/clubs/${slug}#new-update`);
      await button(ada, 'Back').click();
      await expect(page).toHaveURL(`/app/clubs/${slug}/updates`);
    });
    await test.step('new-event', async () => {
      await at(ada, slug);
      await page.getByRole('link', { name: 'New event' }).first().click();
      await page.getByLabel('Title').fill('Tuesday row');
      await page.getByLabel('Location').fill('Pier 3');
      await page.getByRole('textbox', { name: 'Start', exact: true }).fill('06/08/2027 07:30 PM');
      await button(ada, 'Create Event').click();
      await expect(page).toHaveURL(`/app/clubs/${slug}#new-event`);
      await button(ada, 'Back').click();
      await expect(page).toHaveURL(`/app/clubs/${slug}`);
    });
    await test.step('new-club', async () => {
      await page.goto('/app');
      await page.locator('a[href="/app/new-club"]').click();
      await page.getByRole('textbox', { name: 'Club Name' }).fill('Chess Club');
      await button(ada, 'Create Club').click();
      await expect(page).toHaveURL(/#new-club$/);
      await button(ada, 'Back').click();
      await expect(page).toHaveURL('/app');
      await page.goForward();
      await expect(page).toHaveURL(/#new-club$/);
    });
  });
});

test('club: is not found by outsiders, and its address does not make them members [GEN-03 TOAST-17]', async ({
  person,
  club,
}) => {
  const [ada, eve] = [await person('Ada'), await person('Eve')];
  const { slug } = await club([ada]);
  for (const path of [slug, `${slug}/edit`, `${slug}/members`, 'no-such-club']) {
    await at(eve, path);
    await expect(eve.page).toHaveURL('/app');
    await expectToast(eve.page, 'Error', 'Club not found');
  }
  await at(eve, `${slug}/updates`);
  await expect(eve.page).toHaveURL('/app');
  expect((await eve.api.users.me({})).clubs).toEqual([]);
});
