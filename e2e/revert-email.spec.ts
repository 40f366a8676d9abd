import { expectAccessible } from '#e2e/axe.ts';
import { codeTo, expect, freshAddress, emailTo, test, type Person } from '#e2e/people.ts';

/** Requests an email change with a code sent to the current address. */
async function request(person: Person, next: string): Promise<void> {
  await person.api.auth.sendCode({ purpose: 'email_change' });
  await person.api.users.update({ email: next, code: await codeTo(person.email, 1) });
}

const linkTo = async (address: string, earlier = 0): Promise<string> => {
  const mail = await emailTo(address, earlier, ({ text = '' }) => text.includes('/revert-email'));
  return /http\S+\/revert-email\?\S+/.exec(mail.text ?? '')?.[0] ?? '';
};

test('revert link: restores the old address by a button, without a login', async ({ person, visitor }) => {
  const ada = await person('Ada');
  const next = freshAddress('countess');
  await request(ada, next);
  const code = /email_code=([\w-]+)/.exec((await emailTo(next)).text ?? '')?.[1] ?? '';
  await ada.api.users.confirmEmail({ code });
  const link = await linkTo(ada.email, 1);

  const { page } = await visitor();
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Change your email back?' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(`changed from ${ada.email} to ${next}`);
  await expectAccessible(page);
  expect((await ada.api.users.me({})).email).toBe(next);
  await page.getByRole('button', { name: 'Change it back' }).click();
  await expect(page.getByRole('main').getByRole('status')).toContainText(`Log in with ${ada.email}.`);
  await expectAccessible(page);
  await expect(ada.api.users.me({})).rejects.toMatchObject({ status: 401 });

  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
  await page.getByRole('link', { name: 'Go to login' }).click();
  await expect(page).toHaveURL('/login');
});

test('revert link: stops a requested change, shows an error if the link is truncated, and can be retried if a request fails', async ({
  person,
  visitor,
}) => {
  const ada = await person('Ada');
  await request(ada, freshAddress('countess'));
  const { page } = await visitor();
  await page.goto('/revert-email');
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
  const stop = page.getByRole('button', { name: 'Stop the change' });
  const path = '**/api/v1/users/email/revert/*';
  const fail = () => page.route(path, (route) => route.fulfill({ status: 503, json: {} }));
  await fail();
  await page.goto(await linkTo(ada.email));
  await expect(page.getByRole('heading', { name: "We couldn't load this page" })).toBeVisible();
  await page.unroute(path);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(stop).toBeVisible();
  await fail();
  await stop.click();
  await expect(page.getByRole('alert')).toContainText("That didn't work");
  await page.unroute(path);
  await stop.click();
  await expect(page.getByRole('heading', { name: 'The email change was stopped' })).toBeVisible();
});
