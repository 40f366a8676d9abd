import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { codeTo, expect, origin, test, type Person, type Visitor } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';
import { stopWaiting } from '#e2e/wait-notice.ts';

const yourData = (page: Page) => page.getByRole('region', { name: 'Your data' });
const sessions = (page: Page) =>
  page.getByRole('region', { name: 'Where you are logged in' }).getByRole('listitem');

/** Types the code of the newest email, skipping `earlier` ones. */
async function enterCode({ page, email }: Person, earlier: number): Promise<void> {
  await page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .getByRole('textbox', { name: 'Code' })
    .fill(await codeTo(email, earlier));
}

async function logIn({ page }: Visitor, email: string, earlier: number): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter your code?' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('textbox').fill(await codeTo(email, earlier));
  await dialog.getByRole('button', { name: 'Confirm Code' }).click();
  await expect(page).toHaveURL('/app');
}

const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (failure: { status: number }) => failure.status,
  );

test('export: downloads all stored data as a file after a fresh code', async ({ person, club }) => {
  const ada = await person('Ada', { last_name: 'Byron' });
  await club([ada], 'Chess Club');
  await ada.page.goto('/app/profile');
  await yourData(ada.page).getByRole('button', { name: 'Download my data' }).click();
  const dialog = ada.page.getByRole('dialog', { name: 'Download my data' });
  await expect(dialog.getByRole('button', { name: 'Download' })).toBeDisabled();
  await dialog.getByRole('textbox').fill('222222');
  await dialog.getByRole('button', { name: 'Download' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('This code is not valid. Ask for a new one.');
  await enterCode(ada, 1);
  const download = ada.page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/);
  const data = JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, unknown>;
  expect(data).toMatchObject({
    profile: { email: ada.email, first_name: 'Ada', last_name: 'Byron' },
    clubs: [{ club_name: 'Chess Club', club_role: 200 }],
  });
  await expect(dialog).toBeHidden();
  await expectToast(ada.page, 'Your data is downloaded', 'It is a file that you can read with any editor.');

  await yourData(ada.page).getByRole('button', { name: 'Download my data' }).click();
  await enterCode(ada, 2);
  await dialog.getByRole('button', { name: 'Download' }).click();
  await stopWaiting(ada.page).click();
  await expect(dialog.getByRole('alert')).toHaveText('You can have a copy once a day. Come back tomorrow.');
});

test('sessions: are listed, and can be ended one by one or all at once', async ({ person, visitor }) => {
  const ada = await person('Ada');
  const phone = await visitor();
  await logIn(phone, ada.email, 1);
  const tablet = await visitor();
  await logIn(tablet, ada.email, 2);
  await ada.page.goto('/app/profile');
  await expect(sessions(ada.page)).toHaveCount(3);
  await expect(sessions(ada.page).filter({ hasText: 'This device' })).toHaveCount(1);
  await expect(sessions(ada.page).first()).toContainText('Chrome on Linux');
  await expect(sessions(ada.page).first()).toContainText('Last used just now');
  await expect(sessions(ada.page).filter({ hasText: 'This device' }).getByRole('button')).toHaveCount(0);

  await sessions(ada.page)
    .first()
    .getByRole('button', { name: 'End the session on Chrome on Linux' })
    .click();
  await expect(sessions(ada.page)).toHaveCount(2);
  // The live connection tells the other browser, and later the phone, that its session ended.
  await expect(tablet.page).toHaveURL('/login');
  await phone.page.reload();
  await expect(phone.page).toHaveURL('/app');

  await ada.page.getByRole('button', { name: 'Log out everywhere' }).click();
  await expect(ada.page).toHaveURL('/');
  await expect
    .poll(() => ada.api.users.me({}).catch((failure: { status: number }) => failure.status))
    .toBe(401);
  await expect(phone.page).toHaveURL('/login');
});

test('deletion: removes the account, a successor takes over, and nothing is served any more [PRIV-15]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada', { last_name: 'Byron' }), await person('Bob')];
  const chess = await club([ada, bob], 'Chess Club');
  const alone = await club([ada], 'Reading Alone');
  const game = await event(chess, ada, { name: 'Open game' });
  await ada.api.updates.publish({ club: chess.id, content: 'The boards are back' });
  const { ical_feed_url_id: secret } = await ada.api.users.me({});
  const feed = `${origin()}/api/v1/users/${secret}/ical/calendar.ics`;
  expect((await fetch(feed)).status).toBe(200);

  const { page } = ada;
  await page.goto('/app/profile');
  await yourData(page).getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' });
  await expect(dialog).toContainText('What goes');
  await expect(dialog).toContainText('updates that you wrote, without your name');
  await expect(dialog).toContainText('Reading Alone');
  const successor = dialog.getByRole('combobox', { name: 'Who takes over Chess Club?' });
  await dialog.getByRole('button', { name: 'Mail me a code' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Choose who takes over, or delete the club.');
  await expect(successor).toHaveAttribute('aria-invalid', 'true');
  await expect(successor).toBeFocused();
  await successor.selectOption('Bob');
  await dialog.getByRole('button', { name: 'Mail me a code' }).click();
  await enterCode(ada, 1);
  await page.getByRole('button', { name: 'Delete account for good' }).click();
  await expect(page).toHaveURL('/');
  await expectToast(page, 'Your account is deleted', 'Everything about you is gone. Goodbye!');
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);

  expect(await statusOf(ada.api.users.me({}))).toBe(401);
  expect((await fetch(feed)).status).toBe(404);
  expect(await statusOf(bob.api.clubs.get({ club: alone.slug }))).toBe(404);
  const seen = await bob.api.clubs.getForAdmin({ club: chess.slug });
  expect(seen.members.map(({ id, club_role }) => [id, club_role])).toEqual([[bob.id, 200]]);
  const everything = [
    seen,
    await bob.api.events.get({ event: game.slug }),
    await bob.api.updates.ofClub({ club: chess.slug }),
    await bob.api.notifications.list({}),
  ];
  expect(JSON.stringify(everything)).toContain('The boards are back');
  expect(JSON.stringify(everything)).toContain('Someone made you an admin of Chess Club.');
  expect(JSON.stringify(everything)).not.toMatch(new RegExp(`Ada|Byron|${ada.email}|${ada.id}`));
  expect((await bob.api.events.get({ event: game.slug })).my_role).toBe('organiser');
});

test('deletion: the consequences for the own clubs can be reloaded after a failure', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  await club([ada], 'Reading Alone');
  const { page } = ada;
  await page.goto('/app/profile');
  await page.route('**/api/v1/users/deletion', (route) => route.abort());
  await yourData(page).getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' });
  const failure = dialog.getByRole('alert').filter({ hasText: 'What happens to your clubs did not load.' });
  await expect(failure).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Mail me a code' })).toBeDisabled();
  await page.unroute('**/api/v1/users/deletion');
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(failure).toHaveCount(0);
  await expect(dialog).toContainText('Reading Alone');
  await expect(dialog.getByRole('button', { name: 'Mail me a code' })).toBeEnabled();
});

test('deletion: leads to the landing page only, although the live connection ends before the response', async ({
  person,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const connection = page.waitForEvent('websocket');
  await page.goto('/app/profile');
  const live = await connection;
  await yourData(page).getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'Mail me a code' }).click();
  const confirm = page.getByRole('button', { name: 'Delete account for good' });
  await page.getByRole('dialog').getByRole('textbox', { name: 'Code' }).fill('222222');
  await confirm.click();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('This code is not valid');

  await page.route('**/api/v1/users', async (route) => {
    const noticed = page.waitForEvent('console', (line) => line.text().includes('could not be loaded'));
    const [response] = await Promise.all([route.fetch(), live.waitForEvent('close'), noticed]);
    await route.fulfill({ response });
  });
  const paths: string[] = [];
  page.on('framenavigated', (frame) => void paths.push(new URL(frame.url()).pathname));
  await enterCode(ada, 1);
  await confirm.click();
  await expectToast(page, 'Your account is deleted', 'Everything about you is gone. Goodbye!');
  expect(paths).toEqual(['/']);
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test('deletion: the same address can create a new account [PRIV-15]', async ({ person, visitor }) => {
  const ada = await person('Ada', { last_name: 'Byron' });
  await ada.page.goto('/app/profile');
  await yourData(ada.page).getByRole('button', { name: 'Delete account' }).click();
  await ada.page.getByRole('button', { name: 'Mail me a code' }).click();
  await enterCode(ada, 1);
  await ada.page.getByRole('button', { name: 'Delete account for good' }).click();
  await expect(ada.page).toHaveURL('/');
  const again = await visitor();
  await logIn(again, ada.email, 2);
  await expect(again.page.getByText('Join or create a club to get started!')).toBeVisible();
  await again.page.goto('/app/profile');
  await expect(again.page.getByRole('textbox', { name: 'First Name' })).toHaveValue('');
});

test('deletion: asks again for a missing choice when the club changed meanwhile', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const chess = await club([ada], 'Chess Club');
  const { page } = ada;
  await page.goto('/app/profile');
  await yourData(page).getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('button', { name: 'Mail me a code' }).click();
  await enterCode(ada, 1);
  const { invite_link } = await ada.api.invites.create({ club_id: chess.id });
  await bob.api.invites.join({ invite: invite_link });
  await page.getByRole('button', { name: 'Delete account for good' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' });
  await dialog
    .getByRole('combobox', { name: 'Who takes over Chess Club?' })
    .selectOption('Nobody: delete the club for all its members');
  await dialog.getByRole('button', { name: 'Mail me a code' }).click();
  // The code is still valid, so no new one was sent.
  await enterCode(ada, 1);
  await page.getByRole('button', { name: 'Delete account for good' }).click();
  await expect(page).toHaveURL('/');
  expect((await bob.api.users.me({})).clubs).toEqual([]);
});

test('account screens: are accessible, on a phone as well', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada', { viewport: { width: 360, height: 740 } }), await person('Bob')];
  await club([ada, bob], 'Chess Club');
  await club([ada], 'Reading Alone');
  const { page } = ada;
  await page.goto('/app/profile');
  await expect(sessions(page)).toHaveCount(1);
  await expectAccessible(page);
  await yourData(page).getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' });
  await dialog.getByRole('combobox').selectOption('Bob');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Mail me a code' }).click();
  await expect(page.getByRole('dialog', { name: 'Delete your account' })).toBeVisible();
  await expectAccessible(page);
});
