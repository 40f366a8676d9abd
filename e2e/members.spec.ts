import { withoutLive } from '#e2e/bell.ts';
import { expect, test, type ClubHandle, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const at = ({ page }: Person, { slug }: ClubHandle) => page.goto(`/app/clubs/${slug}/members`);
const row = ({ page }: Person, name: string) => page.getByRole('row').filter({ hasText: name });
const roleOf = ({ page }: Person, name: string) => page.getByRole('combobox', { name: `Role of ${name}` });

/** Presses a button of the open confirmation, such as 'Cancel'. */
const answer = ({ page }: Person, name: string) =>
  page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();

async function eject(admin: Person, name: string): Promise<void> {
  await admin.page.getByRole('button', { name: `Eject ${name}` }).click();
  await answer(admin, 'Eject');
}

test('wide screen: an admin changes roles and ejects members in a table, which shows the current members [MEMBERS-01 MEMBERS-03 MEMBERS-05 MEMBERS-06 MEMBERS-07 MEMBERS-08 MEMBERS-12 TOAST-26 TOAST-31]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { last_name: 'Byron' });
  const [bob, cleo] = [await person('Bob'), await person('Cleo')];
  await bob.api.users.update({ user_name: 'bobby' });
  const rowers = await club([ada, bob, cleo]);
  const { page } = ada;
  await page.goto(`/app/clubs/${rowers.slug}#new-club`);
  await page.getByRole('link', { name: 'Manage members' }).click();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}/members`);
  await expect(page).toHaveTitle('Muster - Harbour Rowers members');
  const table = page.getByRole('table', { name: 'Members of Harbour Rowers' });
  await expect(table.getByRole('rowheader')).toHaveText([/Ada Byron \(you\)/, /Bob/, /Cleo/]);
  await expect(row(ada, 'Bob')).toContainText(bob.email);
  await expect(row(ada, 'Bob')).toContainText('bobby');
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}#new-club`);

  await at(ada, rowers);
  // Other users see this change only when they load the members again.
  await cleo.api.users.update({ user_name: 'cleopatra' });
  await roleOf(ada, 'Bob').selectOption('Organiser');
  await expectToast(page, 'Updated', 'User role has been updated');
  await expect(row(ada, 'Cleo')).toContainText('cleopatra');
  await expect(roleOf(ada, 'Bob')).toHaveValue('100');
  const { members } = await ada.api.clubs.get({ club: rowers.id });
  expect(members.find(({ id }) => id === bob.id)?.club_role).toBe(100);

  await page.getByRole('button', { name: 'Eject Bob' }).click();
  await answer(ada, 'Cancel');
  await expect(row(ada, 'Bob')).toBeVisible();
  await eject(ada, 'Bob');
  await expectToast(page, 'Ejected', 'User has been ejected');
  await expect(row(ada, 'Bob')).toHaveCount(0);
  await expect(row(ada, 'Cleo')).toBeVisible();
  expect((await bob.api.users.me({})).clubs).toEqual([]);
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
});

test('step-down: the only admin cannot step down; a former admin is told that only admins can view the page [MEMBERS-02 MEMBERS-06 MEMBERS-09 TOAST-27 TOAST-29]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const { page } = ada;
  const setRole = ({ api }: Person, { id }: Person, role: 0 | 100 | 200) =>
    api.members.changeRole({ club: rowers.id, member: id, role });
  const expectRefused = async () => {
    await expect(page.getByText('Only club admins can view this page')).toBeVisible();
    await expect(page.getByText(bob.email)).toHaveCount(0);
    await expect(page.getByRole('table').or(page.getByRole('combobox'))).toHaveCount(0);
  };
  await setRole(ada, bob, 200);
  await withoutLive(page);
  await at(ada, rowers);
  await expect(roleOf(ada, 'Bob')).toHaveValue('200');
  await setRole(ada, bob, 0);
  await roleOf(ada, 'Ada').selectOption('Member');
  await answer(ada, 'Step down');
  await expectToast(page, 'Error', "You cannot remove a club's only admin");
  await expect(roleOf(ada, 'Ada')).toHaveValue('200');
  await expect(roleOf(ada, 'Bob')).toHaveValue('0');

  await setRole(ada, bob, 200);
  await page.reload();
  await roleOf(ada, 'Ada').selectOption('Member');
  await answer(ada, 'Cancel');
  await expect(roleOf(ada, 'Ada')).toHaveValue('200');
  await roleOf(ada, 'Ada').selectOption('Member');
  await answer(ada, 'Step down');
  await expectToast(page, 'Updated', 'User role has been updated');
  await expectRefused();
  await setRole(bob, ada, 100);
  await page.reload();
  await expectRefused();

  await setRole(bob, ada, 200);
  await page.reload();
  await expect(row(ada, 'Bob')).toContainText(bob.email);
  await setRole(bob, ada, 100);
  await eject(ada, 'Bob');
  await expectToast(page, 'Error Removing user.', 'You are not an admin.');
  await expectRefused();
  expect((await bob.api.users.me({})).clubs).toHaveLength(1);
});

test('small screen: offers the same actions in an expandable list [MEMBERS-04 MEMBERS-06 MEMBERS-12]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { viewport: { width: 390, height: 844 } });
  const [bob, cleo] = [await person('Bob'), await person('Cleo')];
  const { page } = ada;
  await at(ada, await club([ada, bob, cleo]));
  await expect(page.getByRole('table')).toHaveCount(0);
  const items = page.getByRole('main').getByRole('listitem');
  const name = (of: string) => items.getByRole('button', { name: new RegExp(`^${of}`) });
  await expect(name('Bob')).toHaveAttribute('aria-expanded', 'false');
  await expect(page.getByText(bob.email)).toBeHidden();
  await expect(roleOf(ada, 'Bob')).toBeHidden();

  await name('Bob').click();
  await expect(name('Bob')).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByText(bob.email)).toBeVisible();
  await expect(page.getByText(cleo.email)).toBeHidden();
  await roleOf(ada, 'Bob').selectOption('Organiser');
  await expectToast(page, 'Updated', 'User role has been updated');
  await expect(name('Bob')).toHaveAccessibleName(/Organiser/);
  await name('Bob').click();
  await expect(page.getByText(bob.email)).toBeHidden();

  await name('Cleo').click();
  await eject(ada, 'Cleo');
  await expectToast(page, 'Ejected', 'User has been ejected');
  await expect(name('Cleo')).toHaveCount(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByRole('table')).toBeVisible();
});
