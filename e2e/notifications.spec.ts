import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { bell, connected, dropdown, rows, withoutLive } from '#e2e/bell.ts';
import { expect, origin, test, type ClubHandle, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const items = (page: Page) => page.getByRole('main').getByRole('listitem');
const clearAll = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Clear all' });
const question = (page: Page) => page.getByRole('alertdialog', { name: 'Clear all notifications?' });
const toasts = (page: Page) => page.getByRole('region', { name: /^Notifications \(/ }).getByRole('listitem');

const publish = ({ api }: Person, { slug }: ClubHandle, content = 'We row at six.') =>
  api.updates.publish({ club: slug, content });

/** Holds the calls of a method to a path until they are released. */
async function hold(page: Page, address: string, method: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  });
  return resolve;
}

/** The tokens of the page's further websockets, and functions to break them. */
async function watchLines(page: Page) {
  const lines: { token: string | null; at: number; drop: () => Promise<void> }[] = [];
  await page.routeWebSocket(/ws\/notifications/, (line) => {
    line.connectToServer();
    const token = new URL(line.url()).searchParams.get('token');
    lines.push({ token, at: Date.now(), drop: () => line.close({ code: 1011 }) });
  });
  return lines;
}

const blue = /rgb\(228, 238, 252\)/;

test.describe('live notifications', () => {
  test('a new one shows a toast, is listed first, raises the count and reaches its recipients only [CHROME-04 BELL-01 WS-01 WS-04 WS-05 WS-10 TOAST-01 TOAST-03]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const handle = await club([ada, bob]);
    const token = await connected(ada.page).then(() => connected(bob.page));
    const stored = await bob.page.evaluate(() => localStorage.getItem('authData') ?? '');
    const { AccessToken } = JSON.parse(stored) as { AccessToken: { Token: string } };
    expect(token).toBe(
      `${origin().replace('http', 'ws')}/api/v1/ws/notifications?token=${AccessToken.Token}`,
    );

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

  test('the connection is restored after five seconds, with the missed notifications [WS-07 WS-09]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const handle = await club([ada, bob]);
    const lines = await watchLines(bob.page);
    await bob.page.goto('/app');
    await expect.poll(() => lines.length).toBe(1);
    const dropped = Date.now();
    await lines[0]?.drop();
    await publish(ada, handle);
    await expect.poll(() => lines.length, { timeout: 8_000 }).toBe(2);
    expect((lines[1]?.at ?? 0) - dropped).toBeGreaterThanOrEqual(4_900);
    await expect(bell(bob.page)).toHaveText('1');
    await expect(toasts(bob.page)).toHaveCount(0);
  });

  test('the connection is restored with a new access token when the server rejects the expired one [WS-07]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const handle = await club([ada, bob]);
    const { page } = bob;
    const lines = await watchLines(page);
    await page.goto('/app');
    const refused = () => lines.findIndex(({ token }) => token === 'expired');
    const expire = () =>
      page.evaluate(() => {
        const auth = JSON.parse(localStorage.getItem('authData') ?? '') as { AccessToken: { Token: string } };
        auth.AccessToken.Token = 'expired';
        localStorage.setItem('authData', JSON.stringify(auth));
      });
    // Five seconds, then five to ten, plus the browser's own delay after a refused connection.
    test.setTimeout(75_000);
    // A pending call may refresh the old token before the connection does.
    for (let count = 1; refused() < 0; count++) {
      await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(count);
      await expire();
      await lines[count - 1]?.drop();
      await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(count + 1);
    }
    await expect.poll(() => lines.length, { timeout: 40_000 }).toBe(refused() + 2);
    const tokens = lines.map(({ token }) => token);
    expect(tokens.slice(0, -1)).not.toContain(tokens.at(-1));
    await publish(ada, handle);
    await expect(bell(page)).toHaveText('1');
  });

  test('a session that ends elsewhere ends at once', async ({ person }) => {
    const { page, api } = await person('Ada');
    await connected(page);
    await api.auth.logout({ all: true });
    await expect(page).toHaveURL('/login');
  });
});

test.describe('the bell', () => {
  test('counts up to nine, lists the new notifications and marks them as seen [BELL-02 BELL-03 BELL-04 BELL-05 BELL-07 BELL-08 BELL-09 BELL-10 BELL-11 BELL-12 BELL-13 NOTIF-19]', async ({
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
    await expect(rows(page).first()).toContainText('Ada planned “Run 9” in Harbour Rowers.');
    await expect(rows(page).first()).toContainText('Event: Run 9');
    await expect(rows(page).first()).toContainText('just now');
    await expect(rows(page).last()).toContainText('Ada published an update');
    await expect(rows(page).last()).not.toContainText('Event:');
    await expect(rows(page).getByRole('button', { name: 'Delete notification' })).toHaveCount(10);
    await expect(rows(page).first()).toHaveCSS('background-color', blue);
    expect((await dropdown(page).boundingBox())?.height).toBe(500);
    await expectAccessible(page);
    await expect
      .poll(async () => (await bob.api.notifications.list({})).every(({ seen_at }) => seen_at))
      .toBe(true);

    await page.keyboard.press('Escape');
    await bell(page).click();
    await expect(rows(page).first()).not.toHaveCSS('background-color', blue);
    await expect(dropdown(page).getByRole('link', { name: 'Settings' })).toHaveAttribute(
      'href',
      '/app/settings/notifications',
    );
    await dropdown(page).getByRole('link', { name: 'View all notifications' }).click();
    await expect(page).toHaveURL('/app/notifications');
    await expect(dropdown(page)).toHaveCount(0);
  });

  test('shows a text when there is nothing [BELL-05 BELL-06]', async ({ person }) => {
    const { page } = await person('Ada');
    await page.goto('/app');
    await bell(page).click();
    await expect(dropdown(page)).toContainText('No notifications yet');
    await expect(dropdown(page).getByRole('link', { name: 'View all notifications' })).toHaveCount(0);
    await dropdown(page).getByRole('link', { name: 'Settings' }).click();
    await expect(page).toHaveURL('/app/settings/notifications');
  });

  test('marks a clicked row as actioned and follows its link [BELL-14 NOTIF-20 NOTIF-22 NOTIF-23]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const handle = await club([ada, bob]);
    await publish(ada, handle);
    const run = await event(handle, ada);
    const { page } = bob;
    await page.goto('/app');
    for (const [words, path] of [
      [/planned/, `/app/events/${run.slug}`],
      [/published/, `/app/clubs/${handle.slug}`],
    ] as const) {
      await bell(page).click();
      await rows(page).filter({ hasText: words }).getByRole('link').click();
      await expect(page).toHaveURL(path);
      await expect(dropdown(page)).toHaveCount(0);
    }
    await expect
      .poll(async () => (await bob.api.notifications.list({})).every(({ actioned_at }) => actioned_at))
      .toBe(true);
  });

  test('deletes a row, and lowers the count only for an unseen one [BELL-10 NOTIF-25 NOTIF-26]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const handle = await club([ada, bob]);
    await publish(ada, handle);
    const { page } = bob;
    await connected(page);
    await bell(page).click();
    await expect(bell(page)).toHaveText('');
    await event(handle, ada);
    await expect(rows(page)).toHaveCount(2);
    await expect(bell(page)).toHaveText('1');
    const button = (words: RegExp) =>
      rows(page).filter({ hasText: words }).getByRole('button', { name: 'Delete notification' });
    await button(/published/).click();
    await expect(rows(page)).toHaveText([/planned/]);
    await expect(bell(page)).toHaveText('1');
    await button(/planned/).click();
    await expect(dropdown(page)).toContainText('No notifications yet');
    await expect(bell(page)).toHaveText('');
    expect(await bob.api.notifications.list({})).toEqual([]);
  });

  test('keeps a row that cannot be deleted, and silently follows the link of one that cannot be marked [NOTIF-24 TOAST-44 TOAST-45 TOAST-46]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const handle = await club([ada, bob]);
    await publish(ada, handle);
    const { page } = bob;
    const warnings: string[] = [];
    page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())));
    await connected(page);
    await expect(bell(page)).toHaveText('1');
    await bob.api.notifications.clear({});
    const refused = (path: RegExp) =>
      page.waitForResponse((answer) => path.test(answer.url()) && answer.status() === 404);
    const [seen] = [refused(/seen$/), await bell(page).click()];
    await seen;
    const [removed] = [
      refused(/notifications\/[^/]+$/),
      await rows(page).getByRole('button', { name: 'Delete notification' }).click(),
    ];
    await removed;
    await expect(rows(page)).toHaveCount(1);
    const [actioned] = [refused(/actioned$/), await rows(page).getByRole('link').click()];
    await actioned;
    await expect(page).toHaveURL(`/app/clubs/${handle.slug}`);
    await expect(toasts(page)).toHaveCount(0);
    await expect
      .poll(() => warnings.join())
      .toMatch(/marked as seen.*could not be deleted.*marked as actioned/s);
  });
});

test('notifications: a failed load is only logged, and the rest of the app works [TOAST-43]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  await club([ada]);
  const warnings: string[] = [];
  page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())));
  await page.route('**/api/v1/notifications', (route) => route.abort('connectionrefused'));
  await page.goto('/app');
  await expect(page.getByRole('link', { name: 'Harbour Rowers' }).first()).toBeVisible();
  await expect.poll(() => warnings.join(), { timeout: 15_000 }).toContain('could not be loaded');
  await expect(toasts(page)).toHaveCount(0);
});

test.describe('notifications page', () => {
  test('marks rows as seen when loaded, and shows them in blue until actioned [NOTIF-01 NOTIF-12 NOTIF-13 NOTIF-14 NOTIF-15 NOTIF-16 NOTIF-17 NOTIF-18 NOTIF-20 NOTIF-21 NOTIF-23]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob', { colorScheme: 'light' })];
    const handle = await club([ada, bob]);
    await publish(ada, handle);
    const run = await event(handle, ada);
    const { page } = bob;
    await page.goto('/app/notifications');
    await expect(page.getByRole('heading', { name: 'All Notifications' })).toBeVisible();
    const [planned, published] = [items(page).nth(0), items(page).nth(1)];
    await expect(planned).toHaveText(
      'Ada planned “Tuesday run” in Harbour Rowers.Event: Tuesday runjust now• Viewed',
    );
    await expect(published).toHaveText('Ada published an update in Harbour Rowers.just now• Viewed');
    for (const item of [planned, published]) await expect(item).toHaveCSS('background-color', blue);
    await expect(bell(page)).toHaveText('');
    await expect
      .poll(async () => (await bob.api.notifications.list({})).every(({ seen_at }) => seen_at))
      .toBe(true);
    await expectAccessible(page);

    await planned.getByRole('link').click();
    await expect(page).toHaveURL(`/app/events/${run.slug}`);
    await page.goBack();
    await expect(planned).toContainText('• Viewed• Actioned');
    await expect(planned).not.toHaveCSS('background-color', blue);
    await expect(published).toHaveCSS('background-color', blue);
    await page.reload();
    await expect(planned).toContainText('• Actioned');
  });

  test('shows a loading state, an empty state and a link back [NOTIF-02 NOTIF-03 NOTIF-04 NOTIF-05]', async ({
    person,
  }) => {
    const { page } = await person('Ada');
    const release = await hold(page, '**/api/v1/notifications', 'GET');
    await page.goto('/app/feedback');
    await page.goto('/app/profile');
    await page.evaluate(() => {
      history.pushState({ idx: 1 }, '', '/app/notifications');
      dispatchEvent(new PopStateEvent('popstate', { state: history.state as unknown }));
    });
    await expect(page.getByRole('main')).toContainText('Loading notifications...');
    release();
    await expect(page.getByRole('main')).toContainText('No notifications yet');
    await expect(page.getByText('Loading notifications...')).toHaveCount(0);
    await expect(clearAll(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Back' }).click();
    await expect(page).toHaveURL('/app/profile');
  });

  test('leads back to the previous page even after a reload, or to the app without one [NOTIF-04]', async ({
    person,
  }) => {
    const { page, context } = await person('Ada');
    const back = page.getByRole('button', { name: 'Back', exact: true });
    await page.goto('/privacy-policy');
    await page.goto('/app/notifications');
    await back.click();
    await expect(page).toHaveURL('/privacy-policy');
    await page.goto('/app/notifications');
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
    await expect(page).toHaveURL('/app/notifications#main');
    await back.click();
    await expect(page).toHaveURL('/app/notifications');

    const opened = context.waitForEvent('page');
    await page.evaluate(() => void window.open('/app/notifications', '_blank', 'noopener'));
    const tab = await opened;
    await tab.getByRole('button', { name: 'Back', exact: true }).click();
    await expect(tab).toHaveURL('/app');
  });

  test('clears all after a confirmation [NOTIF-05 NOTIF-06 NOTIF-07 NOTIF-08 NOTIF-09 NOTIF-10 NOTIF-11 TOAST-41]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    await publish(ada, await club([ada, bob]));
    const { page } = bob;
    await page.goto('/app/notifications');
    await clearAll(page).click();
    await expect(question(page)).toContainText(
      'This will permanently remove all your notifications. This action cannot be undone.',
    );
    await question(page).getByRole('button', { name: 'Cancel' }).click();
    await expect(question(page)).toHaveCount(0);
    await expect(items(page)).toHaveCount(1);

    const release = await hold(page, '**/api/v1/notifications', 'DELETE');
    await clearAll(page).click();
    await question(page).getByRole('button', { name: 'Clear all' }).click();
    await expect(question(page).getByRole('button', { name: 'Clearing...' })).toBeVisible();
    release();
    await expectToast(page, 'All notifications cleared', 'Your notification history has been cleared.');
    await expect(page.getByRole('main')).toContainText('No notifications yet');
    await expect(clearAll(page)).toHaveCount(0);
    expect(await bob.api.notifications.list({})).toEqual([]);
  });

  test('keeps all when clearing fails [TOAST-42]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    await publish(ada, await club([ada, bob]));
    const { page, context } = bob;
    await page.goto('/app/notifications');
    await clearAll(page).click();
    await context.setOffline(true);
    await question(page).getByRole('button', { name: 'Clear all' }).click();
    await expectToast(page, 'Error', 'Failed to clear notifications. Please try again.');
    await expect(toasts(page)).toHaveAttribute('data-tone', 'danger');
    await expect(items(page)).toHaveCount(1);
  });
});

test.describe('notification settings', () => {
  test('have one checkbox per kind, are saved and take effect [NOTIFSET-01 NOTIFSET-02 NOTIFSET-03 NOTIFSET-04 NOTIFSET-05 NOTIFSET-06 TOAST-40]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const handle = await club([ada, bob]);
    const { page } = bob;
    await page.goto('/app/settings/notifications');
    await expect(page.getByRole('heading', { name: 'Notification Settings' })).toBeVisible();
    const settings = await bob.api.notifications.settings({});
    const names = Object.keys(settings).map((key) => key.replaceAll('_', ' '));
    expect(names).toContain('email new event');
    await expect(page.getByRole('checkbox')).toHaveCount(names.length);
    for (const name of names) await expect(page.getByText(name, { exact: true })).toBeVisible();
    for (const box of await page.getByRole('checkbox').all()) await expect(box).toBeChecked();
    await expectAccessible(page);

    await page.getByRole('checkbox', { name: 'new event', exact: true }).uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await expectToast(page, 'Saved', '');
    expect(await bob.api.notifications.settings({})).toEqual({ ...settings, new_event: false });
    await page.reload();
    await expect(page.getByRole('checkbox', { name: 'new event', exact: true })).not.toBeChecked();
    await event(handle, ada);
    await publish(ada, handle);
    await expect(bell(page)).toHaveText('1');
  });

  test('stay in the form when saving fails', async ({ person }) => {
    const { page, context } = await person('Ada');
    await page.goto('/app/settings/notifications');
    await page.getByRole('checkbox', { name: 'club update', exact: true }).uncheck();
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Save' }).click();
    await expectToast(page, 'Error', 'An unexpected error occurred');
    await expect(page.getByRole('checkbox', { name: 'club update', exact: true })).not.toBeChecked();
  });
});

test('notifications page: shows an error when loading fails and can retry', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  await publish(ada, await club([ada, bob]));
  const { page } = bob;
  // Each new connection reloads the list, and a late one would hide the error.
  await withoutLive(page);
  await page.route('**/api/v1/notifications', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto('/app/notifications');
  await expect(page.getByRole('alert')).toContainText('Your notifications could not be loaded');
  await expect(page.getByText('No notifications yet')).toHaveCount(0);
  await expectAccessible(page);
  await page.unroute('**/api/v1/notifications');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(items(page)).toHaveCount(1);
});
