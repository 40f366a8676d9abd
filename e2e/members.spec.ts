import { withoutLive } from '#e2e/bell.ts';
import { expect, test, type ClubHandle, type Person } from '#e2e/people.ts';
import { closeToast, expectToast } from '#e2e/toast.ts';

const phone = { width: 390, height: 844 };

const at = ({ page }: Person, { slug }: ClubHandle) => page.goto(`/app/clubs/${slug}/members`);
const row = ({ page }: Person, name: string) => page.getByRole('row').filter({ hasText: name });
const roleOf = ({ page }: Person, name: string) => page.getByRole('combobox', { name: `Role of ${name}` });
const ejectButton = ({ page }: Person, name: string) => page.getByRole('button', { name: `Eject ${name}` });

async function eject(admin: Person, name: string): Promise<void> {
  await ejectButton(admin, name).click();
  const dialog = admin.page.getByRole('alertdialog', { name: `Eject ${name}?` });
  await dialog.getByRole('button', { name: 'Eject', exact: true }).click();
}

test('wide screen: an admin changes roles in a table of the members [MEMBERS-01 MEMBERS-03 MEMBERS-06 MEMBERS-07 TOAST-26 API-17 API-20]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { last_name: 'Byron' });
  const [bob, cleo] = [await person('Bob'), await person('Cleo')];
  await bob.api.users.update({ user_name: 'bobby' });
  const rowers = await club([ada, bob, cleo]);
  const { page } = ada;
  const loaded = page.waitForResponse((got) => got.url().endsWith(`/api/v1/clubs/admin/${rowers.slug}`));
  await at(ada, rowers);
  expect((await loaded).status()).toBe(200);
  await expect(page).toHaveTitle('Muster - Harbour Rowers members');
  const table = page.getByRole('table', { name: 'Members of Harbour Rowers' });
  await expect(table.getByRole('rowheader')).toHaveText([/Ada Byron \(you\)/, /Bob/, /Cleo/]);
  await expect(row(ada, 'Bob')).toContainText(bob.email);
  await expect(row(ada, 'Bob')).toContainText('bobby');
  await expect(roleOf(ada, 'Bob').getByRole('option')).toHaveText(['Admin', 'Organiser', 'Member']);

  for (const [name, role] of [
    ['Admin', 200],
    ['Organiser', 100],
    ['Member', 0],
  ] as const) {
    const request = page.waitForRequest((sent) => sent.method() === 'PATCH');
    const reloaded = page.waitForResponse((got) => got.url().endsWith(`/clubs/admin/${rowers.slug}`));
    // Visible to others after they reload the members.
    await cleo.api.users.update({ user_name: `cleo-${role}` });
    await roleOf(ada, 'Bob').selectOption(name);
    expect((await request).url()).toMatch(new RegExp(`/api/v1/clubs/${rowers.id}/role/${bob.id}$`));
    expect((await request).postDataJSON()).toEqual({ role });
    await expectToast(ada.page, 'Updated', 'User role has been updated');
    await reloaded;
    await expect(row(ada, 'Cleo')).toContainText(`cleo-${role}`);
    await expect(roleOf(ada, 'Bob')).toHaveValue(String(role));
    const { members } = await ada.api.clubs.get({ club: rowers.id });
    expect(members.find(({ id }) => id === bob.id)?.club_role).toBe(role);
  }
});

test('ejection: an admin ejects a member after a confirmation [MEMBERS-08 MEMBERS-12 TOAST-31 API-19]', async ({
  person,
  club,
}) => {
  const [ada, bob, cleo] = [await person('Ada'), await person('Bob'), await person('Cleo')];
  const rowers = await club([ada, bob, cleo]);
  await at(ada, rowers);
  await ejectButton(ada, 'Bob').click();
  const dialog = ada.page.getByRole('alertdialog', { name: 'Eject Bob?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(row(ada, 'Bob')).toBeVisible();

  const answer = ada.page.waitForResponse((got) => got.url().includes('/eject/'));
  await eject(ada, 'Bob');
  expect((await answer).url()).toMatch(new RegExp(`/api/v1/clubs/${rowers.id}/eject/${bob.id}$`));
  expect((await answer).request().method()).toBe('PUT');
  expect((await answer).status()).toBe(200);
  await expectToast(ada.page, 'Ejected', 'User has been ejected');
  await expect(row(ada, 'Bob')).toHaveCount(0);
  await expect(row(ada, 'Cleo')).toBeVisible();
  await expect(dialog).toBeHidden();
  expect((await bob.api.users.me({})).clubs).toEqual([]);
});

test('ejection: nobody ejects themselves, the only admin included [MEMBERS-10 MEMBERS-11 TOAST-28]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await at(ada, rowers);
  await ejectButton(ada, 'Ada').click();
  await expectToast(ada.page, 'Error', 'You cannot eject yourself from a club');
  await expect(ada.page.getByRole('alertdialog')).toHaveCount(0);
  await expect(row(ada, 'Ada')).toBeVisible();
  expect((await ada.api.users.me({})).clubs).toHaveLength(1);
});

test('ejection: refused for a former admin [TOAST-29 API-19]', async ({ person, club }) => {
  const [ada, bob, cleo] = [await person('Ada'), await person('Bob'), await person('Cleo')];
  const rowers = await club([ada, bob, cleo]);
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
  await withoutLive(ada.page);
  await at(ada, rowers);
  await expect(row(ada, 'Cleo')).toBeVisible();
  await bob.api.members.changeRole({ club: rowers.id, member: ada.id, role: 0 });
  const answer = ada.page.waitForResponse((got) => got.url().includes('/eject/'));
  await eject(ada, 'Cleo');
  expect((await answer).status()).toBe(403);
  await expectToast(ada.page, 'Error Removing user.', 'You are not an admin.');
  await expect(ada.page.getByText('Only club admins can view this page')).toBeVisible();
  expect((await cleo.api.users.me({})).clubs).toHaveLength(1);
});

// Only the only admin could eject the only admin, so the test has to fake the response.
test('ejection: refused in an old tab for the only admin, who logged in in another tab [TOAST-30 API-19 MEMBERS-11]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
  await withoutLive(ada.page);
  await at(ada, rowers);
  await expect(row(ada, 'Bob')).toBeVisible();
  await bob.api.members.changeRole({ club: rowers.id, member: ada.id, role: 0 });
  const [tab] = [await ada.context.newPage(), await bob.page.goto('/privacy-policy')];
  await tab.goto('/privacy-policy');
  const sessionOfBob = await bob.page.evaluate(() => localStorage.getItem('authData') ?? '');
  await tab.evaluate((auth) => localStorage.setItem('authData', auth), sessionOfBob);

  const answer = ada.page.waitForResponse((got) => got.url().endsWith(`/eject/${bob.id}`));
  await eject(ada, 'Bob');
  expect((await answer).status()).toBe(400);
  await expectToast(ada.page, 'Error Removing user.', 'The user is the only admin left.');
  expect((await bob.api.users.me({})).clubs).toHaveLength(1);
  await expect(row(ada, 'Bob')).toBeVisible();
});

// A proxy may return these statuses with its own body.
for (const [status, title, text] of [
  [400, 'Error Removing user.', 'The user is the only admin left.'],
  [403, 'Error Removing user.', 'You are not an admin.'],
  [202, 'Error Removing user.', 'An unexpected error occurred'],
] as const) {
  test(`ejection: a ${status} without an error code of the API shows “${text}” [TOAST-29 TOAST-30 TOAST-31]`, async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    await ada.page.route('**/eject/*', (route) =>
      route.fulfill({ status, json: { data: null, status, error: null } }),
    );
    await at(ada, rowers);
    await eject(ada, 'Bob');
    await expectToast(ada.page, title, text);
    await expect(row(ada, 'Bob')).toBeVisible();
  });
}

test.describe('the last admin', () => {
  const onlyAdmin = ['Error', "You cannot remove a club's only admin"] as const;

  test('cannot step down [MEMBERS-09 TOAST-27]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    await at(ada, rowers);
    for (const role of ['Organiser', 'Member']) {
      await roleOf(ada, 'Ada').selectOption(role);
      await expectToast(ada.page, ...onlyAdmin);
      await expect(roleOf(ada, 'Ada')).toHaveValue('200');
      await closeToast(ada.page);
    }
    expect((await ada.api.clubs.get({ club: rowers.id })).members[0]?.club_role).toBe(200);
  });

  test('cannot step down either after becoming the last one meanwhile [MEMBERS-09 TOAST-27]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
    await at(ada, rowers);
    await expect(roleOf(ada, 'Bob')).toHaveValue('200');
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 0 });
    await roleOf(ada, 'Ada').selectOption('Member');
    const dialog = ada.page.getByRole('alertdialog', { name: 'Step down as admin?' });
    await dialog.getByRole('button', { name: 'Step down' }).click();
    await expectToast(ada.page, ...onlyAdmin);
    await expect(dialog).toBeHidden();
    await expect(roleOf(ada, 'Ada')).toHaveValue('200');
    await expect(roleOf(ada, 'Bob')).toHaveValue('0');
  });

  test('can step down while there is another, after a confirmation, and loses the admin actions [MEMBERS-02 MEMBERS-06]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
    await at(ada, rowers);
    const dialog = ada.page.getByRole('alertdialog', { name: 'Step down as admin?' });
    await roleOf(ada, 'Ada').selectOption('Member');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(roleOf(ada, 'Ada')).toHaveValue('200');
    await roleOf(ada, 'Ada').selectOption('Member');
    await dialog.getByRole('button', { name: 'Step down' }).click();
    await expectToast(ada.page, 'Updated', 'User role has been updated');
    await expect(ada.page.getByText('Only club admins can view this page')).toBeVisible();
  });
});

test('role change: keeps the old role when offline', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await at(ada, rowers);
  await expect(roleOf(ada, 'Bob')).toHaveValue('0');
  await ada.context.setOffline(true);
  await roleOf(ada, 'Bob').selectOption('Admin');
  await expectToast(ada.page, 'Error', 'An unexpected error occurred');
  await expect(roleOf(ada, 'Bob')).toHaveValue('0');
});

test('members page: shows non-admins that they lack the right, and no email addresses [MEMBERS-02]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  for (const role of [0, 100] as const) {
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role });
    await at(bob, rowers);
    await expect(bob.page.getByText('Only club admins can view this page')).toBeVisible();
    await expect(bob.page.getByText(ada.email)).toHaveCount(0);
    await expect(bob.page.getByRole('table')).toHaveCount(0);
    await expect(bob.page.getByRole('combobox')).toHaveCount(0);
  }
});

test('small screen: offers the same actions in an expandable list [MEMBERS-04 MEMBERS-06 MEMBERS-12]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { viewport: phone });
  const [bob, cleo] = [await person('Bob'), await person('Cleo')];
  const rowers = await club([ada, bob, cleo]);
  await at(ada, rowers);
  await expect(ada.page.getByRole('table')).toHaveCount(0);
  const name = (of: string) =>
    ada.page
      .getByRole('main')
      .getByRole('listitem')
      .getByRole('button', { name: new RegExp(`^${of}`) });
  await expect(name('Bob')).toHaveAttribute('aria-expanded', 'false');
  await expect(ada.page.getByText(bob.email)).toBeHidden();
  await expect(roleOf(ada, 'Bob')).toBeHidden();

  await name('Bob').click();
  await expect(name('Bob')).toHaveAttribute('aria-expanded', 'true');
  await expect(ada.page.getByText(bob.email)).toBeVisible();
  await expect(ada.page.getByText(cleo.email)).toBeHidden();
  await roleOf(ada, 'Bob').selectOption('Organiser');
  await expectToast(ada.page, 'Updated', 'User role has been updated');
  await expect(name('Bob')).toHaveAccessibleName(/Organiser/);
  await name('Bob').click();
  await expect(ada.page.getByText(bob.email)).toBeHidden();

  await name('Cleo').click();
  await eject(ada, 'Cleo');
  await expectToast(ada.page, 'Ejected', 'User has been ejected');
  await expect(name('Cleo')).toHaveCount(0);

  await ada.page.setViewportSize({ width: 1280, height: 800 });
  await expect(ada.page.getByRole('table')).toBeVisible();
});

test('members page: leads back to the previous page, or to the club without one [MEMBERS-05]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  const back = ada.page.getByRole('button', { name: 'Back', exact: true });
  await at(ada, rowers);
  await back.click();
  await expect(ada.page).toHaveURL(`/app/clubs/${rowers.slug}`);

  await ada.page.goto(`/app/clubs/${rowers.slug}#new-club`);
  await ada.page.getByRole('link', { name: 'Manage members' }).click();
  await expect(ada.page).toHaveURL(`/app/clubs/${rowers.slug}/members`);
  await back.click();
  await expect(ada.page).toHaveURL(`/app/clubs/${rowers.slug}#new-club`);
});
