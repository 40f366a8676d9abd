import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { button, eventPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';

const changes = "Notify me of changes, even if I'm not attending";

const toggle = (page: Page, name: string, pressed: boolean) =>
  page.getByRole('button', { name, exact: true, pressed });

test('favourite and follow: work by keyboard, notify of changes and survive a reload [API-32 API-37 API-38]', async ({
  ada,
  bob,
  rowers,
  run,
}) => {
  const { page } = bob;
  const { keyboard } = page;
  await page.goto(eventPath(run));
  // Opening the page marks the notification about the new event as seen.
  await expect(button(page, 'Notifications')).toBeVisible();
  await toggle(page, changes, false).focus();
  await keyboard.press('Enter');
  await expect(toggle(page, changes, true)).toBeFocused();
  await keyboard.press('Tab');
  await expect(toggle(page, 'Favourite', false)).toBeFocused();
  await keyboard.press('Space');
  await expect(toggle(page, 'Favourite', true)).toBeFocused();
  await expect(page.getByRole('tooltip')).toHaveText('Favourite');
  await expectAccessible(page);

  const stored = () => bob.api.events.get({ event: run.slug });
  await expect.poll(stored).toMatchObject({ favourite: true, subscribed: true, my_role: null });
  await ada.api.events.edit({ event: run.slug, club: rowers.id, location_name: 'Pier 9' });
  await expect(button(page, 'Notifications, 1 new')).toBeVisible();

  await page.reload();
  await expect(button(page, 'Notifications')).toBeVisible();
  for (const name of [changes, 'Favourite']) await toggle(page, name, true).click();
  for (const name of [changes, 'Favourite']) await expect(toggle(page, name, false)).toBeVisible();
  await expect.poll(stored).toMatchObject({ favourite: false, subscribed: false });
});
