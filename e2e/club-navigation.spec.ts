import { expect, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const at = ({ page }: Person, slug: string) => page.goto(`/app/clubs/${slug}`);
const button = ({ page }: Person, name: string) => page.getByRole('button', { name, exact: true });

test('leaving a club: removes the member from the club and its events [CLUB-25 CLUB-26 CLUB-28]', async ({
  ada,
  bob,
  run,
}) => {
  const { page } = bob;
  await bob.api.answers.attend({ event: run.slug });
  await page.goto('/app');
  await expect(page.getByRole('link', { name: run.name }).first()).toBeVisible();
  await page.getByRole('link', { name: 'Harbour Rowers' }).click();
  await button(bob, 'Leave club').click();
  const dialog = page.getByRole('alertdialog', { name: 'Leave this club?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(button(bob, 'Leave club')).toBeFocused();
  expect((await bob.api.users.me({})).clubs).toHaveLength(1);

  await button(bob, 'Leave club').click();
  await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
  await expect(page).toHaveURL('/app');
  await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
  await expect(page.getByRole('link', { name: run.name })).toHaveCount(0);
  const { attendees } = await ada.api.events.get({ event: run.slug });
  expect(attendees.map(({ first_name }) => first_name)).toEqual(['Ada']);
});

test('back from a club: leads home, or, after something was created, to the page before the form [CLUB-29 CLUB-30]', async ({
  ada,
  rowers: { slug, club_name },
}) => {
  const { page } = ada;
  await at(ada, `${slug}/edit`);
  await button(ada, 'Back').click();
  await expect(page).toHaveURL(`/app/clubs/${slug}`);
  // Until the page of the club is loaded, the form stays visible, which has the same button.
  await expect(page.getByRole('heading', { name: club_name, level: 1 })).toBeVisible();
  await button(ada, 'Back').click();
  await expect(page).toHaveURL('/app');
  for (const [what, from, fields, create] of [
    ['new-update', `/app/clubs/${slug}/updates`, { Content: 'The boat is mended.' }, 'Publish'],
    [
      'new-event',
      `/app/clubs/${slug}`,
      { Title: 'Tuesday row', Location: 'Pier 3', Start: '24.12.2099 19:30' },
      'Create Event',
    ],
    ['new-club', '/app', { 'Club Name': 'Chess Club' }, 'Create Club'],
  ] as const) {
    await page.goto(from);
    await page.locator(`a[href$="/${what}"]`).first().click();
    for (const [name, text] of Object.entries(fields))
      await page.getByRole('textbox', { name, exact: true }).fill(text);
    await button(ada, create).click();
    await expect(page).toHaveURL(new RegExp(`#${what}$`));
    await button(ada, 'Back').click();
    await expect(page).toHaveURL(from);
  }
  await page.goForward();
  await expect(page).toHaveURL(/#new-club$/);
});

test('club: outsiders are told that it is not found, and opening its URL does not make them members [GEN-03 ROUTE-08 ROUTE-09 TOAST-17 UX-35]', async ({
  eve,
  rowers: { slug },
}) => {
  for (const path of [slug, `${slug}/edit`, `${slug}/members`, 'no-such-club']) {
    await at(eve, path);
    await expect(eve.page).toHaveURL('/app');
    await expectToast(eve.page, 'Error', 'Club not found');
    await expect(eve.page.getByText('We could not find that club, or you are not in it.')).toBeVisible();
  }
  await at(eve, `${slug}/updates`);
  await expect(eve.page).toHaveURL('/app');
  expect((await eve.api.users.me({})).clubs).toEqual([]);
});
