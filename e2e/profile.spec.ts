import { expectAccessible } from '#e2e/axe.ts';
import { codeTo, expect, freshAddress, emailTo, test, type Person } from '#e2e/people.ts';
import { closeToast, expectToast } from '#e2e/toast.ts';

const field = ({ page }: Person, name: string) => page.getByRole('textbox', { name, exact: true });
const changed = (to: string) => `From now on, log in with ${to}. Your other devices were logged out.`;
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

test('email change: takes two steps on the profile page, while other changes are saved at once [UX-38 TOAST-16]', async ({
  person,
}) => {
  const ada = await person('Ada');
  const next = freshAddress('countess');
  const { page } = ada;
  const steps = page.getByRole('region', { name: 'Change your email' });
  const step = () => steps.locator('[aria-current=step]');
  const enterCode = async (code: string, button: string) => {
    await steps.getByRole('textbox').fill(code);
    await steps.getByRole('button', { name: button }).click();
  };
  await page.goto('/app/profile');
  await field(ada, 'Email').fill(next);
  await save(ada);
  await expect(step()).toContainText(`Enter the code sent to ${ada.email}`);
  await expect(steps.getByRole('textbox')).toBeFocused();
  await expectAccessible(page);
  await enterCode('AAAAAA', 'Continue');
  await expect(steps.getByRole('alert')).toContainText("isn't valid");
  await page.reload();
  await enterCode(await codeTo(ada.email, 1), 'Continue');
  await expect(step()).toContainText(`Enter the code sent to ${next}`);
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email, pending_email: next });
  await page.reload();
  await enterCode(await codeTo(next, 0), 'Change email');
  await expectToast(page, 'Email changed', changed(next));
  await expect(page).toHaveURL('/app');

  await page.goto('/app/profile');
  await field(ada, 'Email').fill(ada.email);
  await field(ada, 'First Name').fill('Augusta');
  await save(ada);
  await expectToast(page, 'User Updated', 'User has been updated successfully');
  expect(await ada.api.users.me({})).toMatchObject({ email: next, first_name: 'Augusta' });
  await enterCode(await codeTo(next, 1), 'Continue');
  await expect(step()).toContainText(`Enter the code sent to ${ada.email}`);
  const mail = await emailTo(ada.email, 0, ({ subject }) => Boolean(subject?.startsWith('Confirm')));
  await page.goto(/https?:\/\/\S+/.exec(mail.text ?? '')?.[0] ?? '');
  await page.getByRole('button', { name: 'Confirm your new email' }).click();
  await expectToast(page, 'Email changed', changed(ada.email));
});
