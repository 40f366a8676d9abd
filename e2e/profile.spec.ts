import { expectAccessible } from '#e2e/axe.ts';
import { codeTo, expect, freshAddress, emailTo, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const field = ({ page }: Person, name: string) => page.getByRole('textbox', { name, exact: true });
test('profile: shows the stored data, saves changes and goes home [PROFILE-01 PROFILE-02 PROFILE-03 PROFILE-04 PROFILE-05 PROFILE-06 PROFILE-08 TOAST-16 API-10]', async ({
  person,
}) => {
  const ada = await person('Ada');
  await ada.page.goto('/app/profile');
  await expect(ada.page.getByRole('heading', { name: 'My Account' })).toBeVisible();
  await expect(field(ada, 'Email')).toHaveValue(ada.email);
  await expect(field(ada, 'First Name')).toHaveValue('Ada');
  await field(ada, 'User Name').fill('countess');
  await field(ada, 'First Name').fill('Augusta');
  await field(ada, 'Last Name').fill('King');
  const request = ada.page.waitForRequest((sent) => sent.method() === 'PATCH');
  await ada.page.getByRole('button', { name: 'Save Changes' }).click();
  expect((await request).postDataJSON()).toEqual({
    user_name: 'countess',
    first_name: 'Augusta',
    last_name: 'King',
    email: ada.email,
  });
  await expectToast(ada.page, 'User Updated', 'User has been updated successfully');
  await expect(ada.page).toHaveURL('/app');
  expect(await ada.api.users.me({})).toMatchObject({
    user_name: 'countess',
    first_name: 'Augusta',
    last_name: 'King',
  });
});

test('profile: validates on the server only and keeps rejected input [PROFILE-07 TOAST-15]', async ({
  person,
}) => {
  const ada = await person('Ada');
  await ada.page.goto('/app/profile');
  await field(ada, 'Email').fill('no address');
  await field(ada, 'Last Name').fill('King');
  const request = ada.page.waitForRequest((sent) => sent.method() === 'PATCH');
  await ada.page.getByRole('button', { name: 'Save Changes' }).click();
  await request;
  await expectToast(ada.page, 'Error', 'An error occurred while updating user');
  await expect(ada.page).toHaveURL('/app/profile');
  await expect(field(ada, 'Last Name')).toHaveValue('King');
});

test('profile: every field except the email may be emptied [PROFILE-07]', async ({ person }) => {
  const ada = await person('Ada');
  await ada.page.goto('/app/profile');
  await field(ada, 'First Name').fill('');
  await ada.page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(ada.page).toHaveURL('/app');
  expect((await ada.api.users.me({})).first_name).toBe('');
});

test('email change: takes a code of the current address and the link to the new one, and is not reported as saved before', async ({
  person,
}) => {
  const ada = await person('Ada');
  const next = freshAddress('countess');
  const { page } = ada;
  await page.goto('/app/profile');
  await field(ada, 'Email').fill(next);
  await page.getByRole('button', { name: 'Save Changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change your email' });
  await expect(dialog).toContainText(`Then open the link that we send to ${next}`);
  await expectAccessible(page);
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email, pending_email: null });

  await dialog.getByRole('textbox', { name: 'Code' }).fill('AAAAAA');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('alert')).toContainText('not valid');
  await dialog.getByRole('textbox', { name: 'Code' }).fill(await codeTo(ada.email, 1));
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const sent = page.getByRole('dialog', { name: 'Confirm your new email' });
  await expect(sent).toContainText('Your email has not changed yet.');
  await expect(sent).toContainText(`Open the link that we sent to ${next}`);
  await expect(page.getByText('User Updated')).toHaveCount(0);
  await expectAccessible(page);
  await sent.getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL('/app');
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email, pending_email: next });
  await page.goto('/app/profile');
  await expect(page.getByText('Open the link that we sent to')).toContainText(next);

  const link = /https?:\/\/\S+/.exec((await emailTo(next)).text ?? '')?.[0] ?? '';
  await page.goto(link);
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email });
  await page.getByRole('button', { name: 'Confirm your new email' }).click();
  await expectToast(
    page,
    'Your email is changed',
    `You log in with ${next} from now on. Other devices are logged out.`,
  );
  expect(await ada.api.users.me({})).toMatchObject({ email: next, pending_email: null });
  const notice = await emailTo(ada.email, 0, ({ subject }) => Boolean(subject?.includes('was changed')));
  expect(notice.text).toContain(next);
});

test('email change: other changes are reported as saved, the email is not [TOAST-16]', async ({ person }) => {
  const ada = await person('Ada');
  const { page } = ada;
  await page.goto('/app/profile');
  await field(ada, 'Email').fill(freshAddress('countess'));
  await field(ada, 'First Name').fill('Augusta');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change your email' });
  await dialog.getByRole('textbox', { name: 'Code' }).fill(await codeTo(ada.email, 1));
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expectToast(page, 'User Updated', 'User has been updated successfully');
  await expect(page.getByRole('dialog', { name: 'Confirm your new email' })).toContainText(
    'Your email has not changed yet.',
  );
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email, first_name: 'Augusta' });
});
