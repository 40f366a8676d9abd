import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { button, eventPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const changes = 'Tell me of changes, even if I do not attend';

const toggle = (page: Page, name: string, pressed: boolean) =>
  page.getByRole('button', { name, exact: true, pressed });

test('favourite and follow: work by keyboard, notify of changes and survive a reload [API-32 API-37 API-38]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const row = await event(rowers, ada);
  const { page } = bob;
  const { keyboard } = page;
  await page.goto(eventPath(row));
  await expect(button(page, 'Notifications, 1 new')).toBeVisible();
  await toggle(page, changes, false).focus();
  await keyboard.press('Enter');
  await expect(toggle(page, changes, true)).toBeFocused();
  await keyboard.press('Tab');
  await expect(toggle(page, 'Favourite', false)).toBeFocused();
  await keyboard.press('Space');
  await expect(toggle(page, 'Favourite', true)).toBeFocused();
  await expect(page.getByRole('tooltip')).toHaveText('Favourite');
  await expectAccessible(page);

  const stored = () => bob.api.events.get({ event: row.slug });
  await expect.poll(stored).toMatchObject({ favourite: true, subscribed: true, my_role: null });
  await ada.api.events.edit({ event: row.slug, club: rowers.id, location_name: 'Pier 9' });
  // The first notification was about the new event.
  await expect(button(page, 'Notifications, 2 new')).toBeVisible();

  await page.reload();
  for (const name of [changes, 'Favourite']) await toggle(page, name, true).click();
  for (const name of [changes, 'Favourite']) await expect(toggle(page, name, false)).toBeVisible();
  await expect.poll(stored).toMatchObject({ favourite: false, subscribed: false });
});

test('follow: is not offered to attendees, and neither is available for a cancelled event', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const row = await event(await club([ada, bob]), ada);
  await bob.api.attendance.attend({ event: row.slug });
  for (const { page } of [ada, bob]) {
    await page.goto(eventPath(row));
    await expect(toggle(page, 'Favourite', false)).toBeVisible();
    await expect(button(page, changes)).toHaveCount(0);
  }
  await ada.api.events.cancel({ event: row.slug });
  await bob.page.reload();
  await expect(bob.page.getByText('This event has been cancelled')).toBeVisible();
  await expect(button(bob.page, 'Favourite')).toHaveCount(0);
});

test('favourite: is reverted with an error when the request fails', async ({ person, club, event }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const row = await event(rowers, ada);
  const { page, context } = bob;
  for (const name of [changes, 'Favourite']) {
    await page.goto(eventPath(row));
    await expect(toggle(page, name, false)).toBeVisible();
    await context.setOffline(true);
    await button(page, name).click();
    await expectToast(page, 'Error', 'An unexpected error occurred');
    await expect(toggle(page, name, false)).toBeVisible();
    await context.setOffline(false);
  }
  await ada.api.members.eject({ club: rowers.id, member: bob.id });
  await button(page, 'Favourite').click();
  await expect(toggle(page, 'Favourite', true)).toHaveCount(0);
});

test('favourite and follow: are not offered in the preview for outsiders', async ({
  person,
  club,
  event,
}) => {
  const [ada, eve] = [await person('Ada'), await person('Eve')];
  const row = await event(await club([ada]), ada);
  await eve.page.goto(eventPath(row));
  await expect(eve.page.getByText('This is a preview')).toBeVisible();
  for (const name of [changes, 'Favourite']) await expect(button(eve.page, name)).toHaveCount(0);
});
