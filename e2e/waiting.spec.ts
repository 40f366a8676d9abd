import { expectAccessible } from '#e2e/axe.ts';
import { withoutLive } from '#e2e/bell.ts';
import { attendees, button, eventPath } from '#e2e/event-page.ts';
import { expect, test, type ClubHandle, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';
import { stopWaiting, waitNotice } from '#e2e/wait-notice.ts';

/** Uses up the limit of attendance changes per minute. */
async function attendTooOften({ api }: Person, event: { slug: string }): Promise<void> {
  for (let pair = 0; pair < 5; pair++) {
    await api.attendance.attend({ event: event.slug });
    await api.attendance.unattend({ event: event.slug });
  }
}

/** Uses up the limit of updates per hour. */
async function publishTooOften({ api }: Person, club: ClubHandle): Promise<void> {
  for (let count = 0; count < 5; count++) await api.updates.publish({ club: club.id, content: 'News' });
}

test('rate-limited call: shows a notice, and fails as usual when the user stops waiting [AUTH-14 TOAST-21]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const row = await event(await club([ada, bob]), ada);
  await attendTooOften(bob, row);
  const { page } = bob;
  await page.goto(eventPath(row));
  const answer = page.waitForResponse('**/attend');
  await button(page, 'Attend Event').click();
  expect((await answer).status()).toBe(429);
  expect(Number((await answer).headers()['retry-after'])).toBeGreaterThan(10);

  await expect(waitNotice(page)).toContainText(/Trying again in \d+ s/);
  await expect(waitNotice(page)).toHaveAttribute('aria-live', 'polite');
  await expect(button(page, 'Attending')).toBeFocused();
  await expectAccessible(page);

  await stopWaiting(page).click();
  await expectToast(page, 'Error', 'An error occurred while trying to attend event');
  await expect(waitNotice(page)).toHaveCount(0);
  await expect(button(page, 'Attend Event')).toBeVisible();
  await expect(attendees(page)).toHaveCount(1);
});

test('rate-limited calls: one click stops all of them, even with an open dialog, and keeps the input [TOAST-37]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const bob = await person('Bob');
  const rowers = await club([ada, bob]);
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
  const row = await event(rowers, ada);
  await attendTooOften(bob, row);
  await publishTooOften(bob, rowers);
  const { page } = bob;
  await withoutLive(page);
  await page.goto(`/app/clubs/${rowers.slug}`);
  await page.getByRole('link', { name: row.name }).first().click();
  await button(page, 'Attend Event').click();
  await expect(stopWaiting(page)).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Create update' }).click();
  const box = page.getByRole('textbox', { name: 'Content' });
  await box.fill('The boat is mended.');
  const answer = page.waitForResponse('**/api/v1/updates/**');
  await page.getByRole('button', { name: 'Publish' }).click();
  expect(Number((await answer).headers()['retry-after'])).toBeGreaterThan(600);
  await expect(page.getByRole('button', { name: 'Publishing' })).toBeVisible();
  await expect(stopWaiting(page)).toHaveCount(1);

  await page.keyboard.press('ControlOrMeta+j');
  await expect(page.getByRole('dialog')).toBeVisible();
  await stopWaiting(page).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(
    page.getByRole('alert').filter({ hasText: 'The update has not been published' }),
  ).toBeVisible();
  await expect(box).toHaveValue('The boat is mended.');
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeEnabled();
  await expect(waitNotice(page)).toHaveCount(0);
  expect(await ada.api.updates.ofClub({ club: rowers.id })).toHaveLength(5);
});

test('rate-limited first screen: shows the notice before it loads', async ({ person }) => {
  const { page } = await person('Ada');
  // The tests turn the limit per network off, so the response is faked.
  await page.route('**/api/drawn*', (route) => route.abort());
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

test.describe('a failed session refresh', () => {
  for (const status of [429, 500, 502, 503]) {
    // The responses are faked: the server returns only the 429 itself, and not in tests.
    test(`with a ${status}: keeps the session and continues the call after a later success [AUTH-11]`, async ({
      person,
    }) => {
      const { page } = await person('Ada');
      await page.goto('/icon.svg');
      await page.evaluate(() => {
        const auth = JSON.parse(localStorage.getItem('authData') ?? '') as { AccessToken: { Token: string } };
        auth.AccessToken.Token = 'expired';
        localStorage.setItem('authData', JSON.stringify(auth));
      });
      let refused = 0;
      await page.route('**/auth/refresh*', (route) =>
        refused++ < 2 ? route.fulfill({ status }) : route.fallback(),
      );
      await page.goto('/app/profile');
      await expect(page.getByLabel('First Name')).toHaveValue('Ada');
      await expect(page).toHaveURL('/app/profile');
      expect(refused).toBeGreaterThan(2);
    });
  }
});
