import { withoutSsr } from '#e2e/answer.ts';
import { expectAccessible } from '#e2e/axe.ts';
import { withoutLive } from '#e2e/bell.ts';
import { attendees, button, clubPath, eventPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';
import { stopWaiting, waitNotice } from '#e2e/wait-notice.ts';

test('rate-limited calls: show a notice; one click on it stops all calls, even while a dialog is open, and keeps the input [AUTH-14 TOAST-21 TOAST-37]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
  const row = await event(rowers, ada);
  // Use up the limits of attendance changes per minute and of updates per hour.
  for (let count = 0; count < 5; count++) {
    await bob.api.answers.attend({ event: row.slug });
    await bob.api.answers.unattend({ event: row.slug });
    await bob.api.updates.publish({ club: rowers.id, content: 'News' });
  }
  const { page } = bob;
  await withoutLive(page);
  await page.goto(clubPath(rowers));
  await page.getByRole('link', { name: row.name }).first().click();
  const refused = page.waitForResponse('**/attend');
  await button(page, 'Attend Event').click();
  expect((await refused).status()).toBe(429);
  await expect(waitNotice(page)).toContainText(/Trying again in \d+ s/);
  await expect(waitNotice(page)).toHaveAttribute('aria-live', 'polite');
  await expect(button(page, 'Attending')).toBeFocused();
  await expectAccessible(page);

  await page.goBack();
  await page.getByRole('link', { name: 'Create update' }).click();
  const box = page.getByRole('textbox', { name: 'Content' });
  await box.fill('The boat is mended.');
  const response = page.waitForResponse('**/api/v1/updates/**');
  await button(page, 'Publish').click();
  expect(Number((await response).headers()['retry-after'])).toBeGreaterThan(600);
  await expect(button(page, 'Publishing')).toBeVisible();
  await expect(stopWaiting(page)).toHaveCount(1);

  await page.keyboard.press('ControlOrMeta+j');
  await expect(page.getByRole('dialog')).toBeVisible();
  await stopWaiting(page).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  const notPublished = page.getByRole('alert').filter({ hasText: "Your update wasn't published" });
  await expect(notPublished).toBeVisible();
  await expect(box).toHaveValue('The boat is mended.');
  await expect(button(page, 'Publish')).toBeEnabled();
  await expect(waitNotice(page)).toHaveCount(0);
  expect(await ada.api.updates.ofClub({ club: rowers.id })).toHaveLength(5);

  await page.goto(eventPath(row));
  await button(page, 'Attend Event').click();
  await stopWaiting(page).click();
  await expectToast(page, 'Error', 'An error occurred while trying to attend event');
  await expect(button(page, 'Attend Event')).toBeVisible();
  await expect(attendees(page)).toHaveCount(1);
});

test('rate-limited first screen: shows the notice before it loads', async ({ person }) => {
  const { page } = await person('Ada');
  // The server of the tests has no limit per network, so the response is faked.
  await withoutSsr(page.context());
  await page.route('**/api/v1/users', (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '30' }, json: { error: 'too_often' } }),
  );
  await page.goto('/app', { waitUntil: 'commit' });
  await expect(waitNotice(page)).toContainText(/Trying again in \d+ s/);
  await page.unroute('**/api/v1/users');
  await stopWaiting(page).click();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
});
