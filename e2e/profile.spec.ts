import { expectAccessible } from '#e2e/axe.ts';
import { codeTo, expect, freshAddress, emailTo, test, type Person } from '#e2e/people.ts';
import { closeToast, expectToast } from '#e2e/toast.ts';

const field = ({ page }: Person, name: string) => page.getByRole('textbox', { name, exact: true });
const save = ({ page }: Person) => page.getByRole('button', { name: 'Save Changes' }).click();

test('profile: shows the stored data, validates on the server only, saves changes and goes home [PROFILE-01 PROFILE-02 PROFILE-03 PROFILE-04 PROFILE-05 PROFILE-06 PROFILE-07 PROFILE-08 TOAST-15 TOAST-16]', async ({
  person,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  await page.goto('/app/profile');
  await expect(page.getByRole('heading', { name: 'My Account' })).toBeVisible();
  await expect(field(ada, 'Email')).toHaveValue(ada.email);
  await expect(field(ada, 'First Name')).toHaveValue('Ada');
  await field(ada, 'User Name').fill('countess');
  await field(ada, 'First Name').fill('');
  await field(ada, 'Last Name').fill('King');
  await field(ada, 'Email').fill('no address');
  const request = page.waitForRequest((sent) => sent.method() === 'PATCH');
  await save(ada);
  expect((await request).postDataJSON()).toMatchObject({ email: 'no address', first_name: '' });
  await expectToast(page, 'Error', 'An error occurred while updating user');
  await closeToast(page);
  await expect(page).toHaveURL('/app/profile');
  await expect(field(ada, 'Last Name')).toHaveValue('King');

  await field(ada, 'Email').fill(ada.email);
  await save(ada);
  await expectToast(page, 'User Updated', 'User has been updated successfully');
  await expect(page).toHaveURL('/app');
  const changed = { user_name: 'countess', first_name: '', last_name: 'King', email: ada.email };
  expect(await ada.api.users.me({})).toMatchObject(changed);
});

test('email change: takes a code of the current address and the link to the new one; only other changes are saved before [TOAST-16]', async ({
  person,
}) => {
  const ada = await person('Ada');
  const next = freshAddress('countess');
  const { page } = ada;
  const dialog = page.getByRole('dialog', { name: 'Change your email' });
  const requested = page.getByRole('dialog', { name: 'Confirm your new email' });
  const enterCode = async (code: string) => {
    await dialog.getByRole('textbox', { name: 'Code' }).fill(code);
    await dialog.getByRole('button', { name: 'Continue' }).click();
  };
  await page.goto('/app/profile');
  await field(ada, 'Email').fill(next);
  await save(ada);
  await expect(dialog).toContainText(`Then open the link that we send to ${next}`);
  await expectAccessible(page);
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email, pending_email: null });
  await enterCode('AAAAAA');
  await expect(dialog.getByRole('alert')).toContainText('not valid');
  await enterCode(await codeTo(ada.email, 1));
  await expect(requested).toContainText('Your email has not changed yet.');
  await expect(requested).toContainText(`Open the link that we sent to ${next}`);
  await expect(page.getByText('User Updated')).toHaveCount(0);
  await expectAccessible(page);
  await requested.getByRole('button', { name: 'Done' }).click();
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

  await page.goto('/app/profile');
  await field(ada, 'Email').fill(ada.email);
  await field(ada, 'First Name').fill('Augusta');
  await save(ada);
  await enterCode(await codeTo(next, 0));
  await expectToast(page, 'User Updated', 'User has been updated successfully');
  await expect(requested).toContainText('Your email has not changed yet.');
  expect(await ada.api.users.me({})).toMatchObject({ email: next, first_name: 'Augusta' });
});
