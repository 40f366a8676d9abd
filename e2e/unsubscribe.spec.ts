import { expectAccessible } from '#e2e/axe.ts';
import { expect, emailTo, test } from '#e2e/people.ts';

test('unsubscribe link: ends emails of its kind by a button, without a login; shows an error when changed or truncated', async ({
  person,
  club,
  visitor,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await ada.api.updates.publish({ club: rowers.id, content: 'Boats are back' });
  const mail = await emailTo(bob.email, 1);
  const link = /http\S+\/unsubscribe\?\S+/.exec(mail.text ?? '')?.[0] ?? '';

  const { page } = await visitor();
  await page.goto(link);
  await expect(
    page.getByRole('heading', { name: 'Unsubscribe from emails about club updates?' }),
  ).toBeVisible();
  await expectAccessible(page);
  expect((await bob.api.notifications.settings({}))['email_club_update']).toBe(true);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(page.getByRole('main').getByRole('status')).toContainText("You're unsubscribed");
  await expectAccessible(page);
  const off = Object.entries(await bob.api.notifications.settings({})).filter(([, isOn]) => !isOn);
  expect(off).toEqual([['email_club_update', false]]);

  await page.goto('/unsubscribe?token=x.email_club_update.y');
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(page.getByRole('alert')).toContainText('Something went wrong');
  await page.goto('/unsubscribe');
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible();
  await expectAccessible(page);
});
