import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { bell, connected, dropdown, rows, withoutLive } from '#e2e/bell.ts';
import { expect, test, type ClubHandle, type Person } from '#e2e/people.ts';
import { findings, phoneChecks } from '#e2e/screen-checks.ts';
import { expectToast } from '#e2e/toast.ts';

const items = (page: Page) => page.getByRole('main').getByRole('listitem');
const clearAll = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Clear all' });
const goBack = (page: Page) => page.getByRole('button', { name: 'Back', exact: true }).click();
const question = (page: Page) => page.getByRole('alertdialog', { name: 'Clear all notifications?' });
const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications \(/ }).getByRole('listitem');

const publish = ({ api }: Person, { slug }: ClubHandle, content = 'We row at six.') =>
  api.updates.publish({ club: slug, content });

const expectAll = ({ api }: Person, mark: 'seen_at' | 'actioned_at') =>
  expect.poll(async () => (await api.notifications.list({})).every((one) => one[mark])).toBe(true);

/** Holds requests with this method to a path until the returned function is called. */
async function hold(page: Page, address: string, method: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  });
  return resolve;
}

const blue = /rgb\(228, 238, 252\)/;

test('live notification: shows a toast, is listed first, raises the count and reaches its recipients only [CHROME-04 BELL-01 WS-01 WS-04 WS-05 WS-10 TOAST-01 TOAST-03]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const handle = await club([ada, bob]);
  for (const { page } of [ada, bob]) await connected(page);
  await publish(ada, handle);
  await expectToast(bob.page, 'New Notification', 'Ada published an update in Harbour Rowers.');
  await expect(bell(bob.page)).toHaveText('1');
  await event(handle, ada);
  await expectToast(bob.page, 'New Notification', 'Ada planned “Tuesday run” in Harbour Rowers.');
  await expect(toasts(bob.page)).toHaveCount(1);
  await expect(bell(bob.page)).toHaveText('2');
  await bell(bob.page).click();
  await expect(rows(bob.page)).toHaveText([/planned/, /published/]);

  await expect(toasts(ada.page)).toHaveCount(0);
  await bell(ada.page).click();
  await expect(rows(ada.page)).toHaveText([/Bob joined Harbour Rowers\./]);
});

test('session that is ended elsewhere: the page leads to the login at once', async ({ person }) => {
  const { page, api } = await person('Ada');
  await connected(page);
  await api.auth.logout({ all: true });
  await expect(page).toHaveURL('/login');
});

test('bell: counts up to nine, lists the new notifications and marks them as seen [BELL-02 BELL-03 BELL-05 BELL-07 BELL-08 BELL-09 BELL-10 BELL-11 BELL-12 BELL-13 NOTIF-19]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob', { colorScheme: 'light' })];
  const handle = await club([ada, bob]);
  await publish(ada, handle);
  const { page } = bob;
  for (let count = 1; count <= 8; count++) await event(handle, ada, { name: `Run ${count}` });
  await page.goto('/app');
  await expect(bell(page)).toHaveText(/^9$/);
  await event(handle, ada, { name: 'Run 9' });
  await page.reload();
  await expect(bell(page)).toHaveText('9+');
  await expect(bell(page)).toHaveAccessibleName('Notifications, 9+ new');

  await bell(page).click();
  await expect(dropdown(page).getByRole('heading', { name: 'Notifications' })).toBeVisible();
  await expect(bell(page)).toHaveText('');
  await expect(rows(page)).toHaveCount(10);
  const [newest, oldest] = [rows(page).first(), rows(page).last()];
  await expect(newest).toHaveText('Ada planned “Run 9” in Harbour Rowers.Event: Run 9just now');
  await expect(oldest).toHaveText('Ada published an update in Harbour Rowers.just now');
  await expect(rows(page).getByRole('button', { name: 'Delete notification' })).toHaveCount(10);
  await expect(newest).toHaveCSS('background-color', blue);
  expect((await dropdown(page).boundingBox())?.height).toBe(500);
  await expectAccessible(page);
  await expectAll(bob, 'seen_at');
  await page.keyboard.press('Escape');
  await bell(page).click();
  await expect(newest).not.toHaveCSS('background-color', blue);
  await dropdown(page).getByRole('link', { name: 'View all notifications' }).click();
  await expect(page).toHaveURL('/app/notifications');
  await expect(dropdown(page)).toHaveCount(0);
});

test('badge: opening the bell clears it in another window and on another device within two seconds [BELL-01]', async ({
  person,
  club,
  visitor,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const handle = await club([ada, bob]);
  const other = await bob.context.newPage();
  const device = await visitor();
  await device.context.addInitScript(
    (auth) => localStorage.setItem('authData', auth),
    await bob.page.goto('/app').then(() => bob.page.evaluate(() => localStorage.getItem('authData') ?? '')),
  );
  const windows = [bob.page, other, device.page];
  for (const page of windows) await connected(page);
  await publish(ada, handle, 'one');
  await publish(ada, handle, 'two');
  for (const page of windows) await expect(bell(page)).toHaveText('2');
  await bell(bob.page).click();
  await expect(bell(bob.page)).toHaveText('');
  for (const page of [other, device.page]) await expect(bell(page)).toHaveText('', { timeout: 2_000 });
});

test.describe('notifications page', () => {
  test('marks rows as seen, shows them in blue until actioned, and clears all after a confirmation [NOTIF-01 NOTIF-05 NOTIF-06 NOTIF-07 NOTIF-08 NOTIF-09 NOTIF-10 NOTIF-11 NOTIF-12 NOTIF-13 NOTIF-14 NOTIF-15 NOTIF-16 NOTIF-17 NOTIF-18 NOTIF-20 NOTIF-21 NOTIF-22 NOTIF-23 NOTIF-24 TOAST-41 TOAST-42]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob', { colorScheme: 'light' })];
    const handle = await club([ada, bob]);
    await publish(ada, handle);
    const run = await event(handle, ada);
    const { page, context } = bob;
    await page.goto('/app/notifications');
    await expect(page.getByRole('heading', { name: 'All Notifications' })).toBeVisible();
    const [planned, published] = [items(page).nth(0), items(page).nth(1)];
    await expect(items(page)).toHaveText([
      'Ada planned “Tuesday run” in Harbour Rowers.Event: Tuesday runjust now• Viewed',
      'Ada published an update in Harbour Rowers.just now• Viewed',
    ]);
    for (const item of [planned, published]) await expect(item).toHaveCSS('background-color', blue);
    await expect(bell(page)).toHaveText('');
    await expectAll(bob, 'seen_at');
    await planned.getByRole('link').click();
    await expect(page).toHaveURL(`/app/events/${run.slug}`);
    await page.goBack();
    await expect(planned).toContainText('• Viewed• Actioned');
    await expect(planned).not.toHaveCSS('background-color', blue);
    await expect(published).toHaveCSS('background-color', blue);
    await page.reload();
    await expect(planned).toContainText('• Actioned');
    await page.route('**/actioned', (route) => route.fulfill({ status: 404, json: {} }));
    await published.getByRole('link').click();
    await expect(page).toHaveURL(`/app/clubs/${handle.slug}`);
    await expect(toasts(page)).toHaveCount(0);
    await page.goBack();

    const ask = async (answer: string) => {
      await clearAll(page).click();
      await question(page).getByRole('button', { name: answer, exact: true }).click();
    };
    await ask('Cancel');
    await expect(question(page)).toHaveCount(0);
    await context.setOffline(true);
    await ask('Clear all');
    await expectToast(page, 'Error', 'Failed to clear notifications. Please try again.');
    await expect(toasts(page)).toHaveAttribute('data-tone', 'danger');
    await context.setOffline(false);
    await page.reload();
    await expect(items(page)).toHaveCount(2);

    const release = await hold(page, '**/api/v1/notifications', 'DELETE');
    await ask('Clear all');
    await expect(question(page)).toContainText(
      'This will permanently remove all your notifications. This action cannot be undone.',
    );
    await expect(question(page).getByRole('button', { name: 'Clearing...' })).toBeVisible();
    release();
    await expectToast(page, 'All notifications cleared', 'Your notification history has been cleared.');
    await expect(page.getByRole('main')).toContainText('No notifications yet');
    await expect(clearAll(page)).toHaveCount(0);
    expect(await bob.api.notifications.list({})).toEqual([]);
  });

  test('shows a loading state, an empty state and a link back, even after a reload [NOTIF-02 NOTIF-03 NOTIF-04 NOTIF-05]', async ({
    person,
  }) => {
    const { page, context } = await person('Ada');
    const release = await hold(page, '**/api/v1/notifications', 'GET');
    await page.goto('/privacy-policy');
    await page.goto('/app/notifications');
    await expect(page.getByRole('main')).toContainText('Loading notifications...');
    release();
    await expect(page.getByRole('main')).toContainText('No notifications yet');
    await expect(page.getByText('Loading notifications...')).toHaveCount(0);
    await expect(clearAll(page)).toHaveCount(0);
    await goBack(page);
    await expect(page).toHaveURL('/privacy-policy');
    await page.goto('/app/notifications');
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
    await expect(page).toHaveURL('/app/notifications#main');
    await goBack(page);
    await expect(page).toHaveURL('/app/notifications');
    const opened = context.waitForEvent('page');
    await page.evaluate(() => void window.open('/app/notifications', '_blank', 'noopener'));
    const tab = await opened;
    await goBack(tab);
    await expect(tab).toHaveURL('/app');
  });

  test('shows an error when loading fails and can retry, while the rest of the app works [TOAST-43]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    await publish(ada, await club([ada, bob]));
    const { page } = bob;
    // Each new live connection reloads the list, and a late reload would hide the error.
    await withoutLive(page);
    await page.route('**/api/v1/notifications', (route) => route.fulfill({ status: 500, body: '' }));
    await page.goto('/app');
    await expect(page.getByRole('link', { name: 'Harbour Rowers' }).first()).toBeVisible();
    await page.goto('/app/notifications');
    await expect(page.getByRole('alert')).toContainText("We couldn't load your notifications");
    await expect(page.getByText('No notifications yet')).toHaveCount(0);
    await expect(toasts(page)).toHaveCount(0);
    await expectAccessible(page);
    await page.unroute('**/api/v1/notifications');
    await page.getByRole('button', { name: 'Try Again' }).click();
    await expect(items(page)).toHaveCount(1);
  });
});

test('notification settings: can be saved at every scroll position, and take effect [NOTIFSET-01 NOTIFSET-04 NOTIFSET-05 TOAST-40 UX-32]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const handle = await club([ada, bob]);
  const { page, context } = bob;
  await page.goto('/app/settings/notifications');
  await expect(page.getByRole('heading', { name: 'Notification Settings' })).toBeVisible();
  const settings = await bob.api.notifications.settings({});
  // The weekly email and what devices get of news are off at first.
  for (const box of await page.getByRole('checkbox', { name: /^(?!push |weekly )/ }).all())
    await expect(box).toBeChecked();
  const saveButton = page.getByRole('button', { name: 'Save' });
  await expect(saveButton).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(saveButton).toBeInViewport({ ratio: 1 });

  const newEvent = page.getByRole('checkbox', { name: 'new event', exact: true });
  await newEvent.uncheck();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Error', 'An unexpected error occurred');
  await expect(newEvent).not.toBeChecked();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Saved', '');
  expect(await bob.api.notifications.settings({})).toEqual({ ...settings, new_event: false });
  await page.reload();
  await expect(newEvent).not.toBeChecked();
  await event(handle, ada);
  await publish(ada, handle);
  await expect(bell(page)).toHaveText('1');
});

test('event page: opening it marks the notifications about it as seen, and neither a prefetch nor reading it does [CHAN-08]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const handle = await club([ada, bob]);
  const { id, slug } = await event(handle, ada);
  await publish(ada, handle);
  const { page } = bob;
  await connected(page);
  await expect(bell(page)).toHaveText('2');
  const read = page.waitForResponse((response) => response.url().includes(`/v1/events/${slug}`));
  const link = page.getByRole('main').locator(`a[href="/app/events/${slug}"]`).first();
  await link.hover();
  await read;
  await bob.api.events.get({ event: id });
  await expect(bell(page)).toHaveText('2');
  await link.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tuesday run');
  await expect(bell(page)).toHaveText('1');
  const unseen = async () =>
    (await bob.api.notifications.list({})).filter((one) => !one.seen_at).map(({ message }) => message);
  await expect.poll(unseen).toEqual(['Ada published an update in Harbour Rowers.']);
});

test('club menu: mutes the club and ends that, after a question that is accessible and fits on a small phone [CHAN-06]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const { slug } = await club([ada, bob]);
  const { page } = bob;
  const isMuted = async () => (await bob.api.clubs.get({ club: slug })).muted;
  const choose = async (item: string, confirm: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await expectAccessible(page);
    expect(await findings(page, phoneChecks)).toEqual([]);
    await page.getByRole('alertdialog').getByRole('button', { name: confirm }).click();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
  };
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/app/clubs/${slug}`);
  await page.evaluate(() => (document.documentElement.style.fontSize = '150%'));
  await choose('Mute this club', 'Mute');
  expect(await isMuted()).toBe(true);
  await page.reload();
  await choose('Unmute this club', 'Unmute');
  expect(await isMuted()).toBe(false);
});

for (const language of ['en', 'de'] as const)
  test(`notification settings (${language}): the whole grid with devices and the weekly email is accessible, and nothing scrolls sideways at 360 px and 150 % text size [CHAN-01]`, async ({
    person,
  }) => {
    const { page, api } = await person('Ada');
    await api.users.update({ language });
    await api.notifications.saveSettings({ club_update: false });
    await page.goto('/app/settings/notifications');
    const boxes = page.getByRole('checkbox');
    await expect(boxes).toHaveCount(3 * 18 + 2);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await findings(page, phoneChecks)).toEqual([]);
    await expectAccessible(page);
    await page.evaluate(() => (document.documentElement.style.fontSize = '150%'));
    expect(await findings(page, phoneChecks)).toEqual([]);
    await expectAccessible(page);
  });
