import { expect, freshAddress, letterTo, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const field = ({ page }: Person, name: string) => page.getByRole('textbox', { name, exact: true });
test('the account shows what is known, saves it and goes home [PROFILE-01 PROFILE-02 PROFILE-03 PROFILE-04 PROFILE-05 PROFILE-06 PROFILE-08 TOAST-16 API-10]', async ({
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

test('nothing is checked before it is sent; what the server refuses stays in the form [PROFILE-07 TOAST-15]', async ({
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

test('every field but the address may be emptied [PROFILE-07]', async ({ person }) => {
  const ada = await person('Ada');
  await ada.page.goto('/app/profile');
  await field(ada, 'First Name').fill('');
  await ada.page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(ada.page).toHaveURL('/app');
  expect((await ada.api.users.me({})).first_name).toBe('');
});

test('a new address waits until it is confirmed by the link that was mailed to it', async ({ person }) => {
  const ada = await person('Ada');
  const next = freshAddress('countess');
  await ada.page.goto('/app/profile');
  await field(ada, 'Email').fill(next);
  await ada.page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(ada.page).toHaveURL('/app');
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email, pending_email: next });

  const link = /https?:\/\/\S+/.exec((await letterTo(next)).text ?? '')?.[0] ?? '';
  await ada.page.goto(link);
  expect(await ada.api.users.me({})).toMatchObject({ email: ada.email });
  await ada.page.getByRole('button', { name: 'Confirm your new address' }).click();
  await expect(ada.page.getByRole('listitem').filter({ hasText: 'Address confirmed' })).toBeVisible();
  expect(await ada.api.users.me({})).toMatchObject({ email: next, pending_email: null });
  expect((await letterTo(ada.email, 1)).subject).toContain('address was changed');
});
