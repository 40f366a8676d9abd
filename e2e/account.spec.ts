import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { connected } from '#e2e/bell.ts';
import { codeTo, expect, joinClub, origin, test, type Person, type Visitor } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';
import { stopWaiting } from '#e2e/wait-notice.ts';

const yourData = (page: Page) => page.getByRole('region', { name: 'Your data' });
const sessions = (page: Page) =>
  page.getByRole('region', { name: "Where you're logged in" }).getByRole('listitem');
const deletion = (page: Page) => page.getByRole('alertdialog', { name: 'Delete your account?' });
const mailCode = (page: Page) => deletion(page).getByRole('button', { name: 'Email me a code' });
const deleteForGood = (page: Page) => page.getByRole('button', { name: 'Delete account for good' }).click();

async function pressDelete(page: Page): Promise<void> {
  await yourData(page).getByRole('button', { name: 'Delete account' }).click();
  await expect(deletion(page)).toBeVisible();
}

async function openDeletion({ page }: Person): Promise<void> {
  await page.goto('/app/profile');
  await pressDelete(page);
}

/** Types an emailed code, skipping the first `earlier` codes. */
const enterCode = async ({ page, email }: Person, earlier: number) =>
  page
    .getByRole('dialog')
    .getByRole('textbox', { name: 'Code' })
    .fill(await codeTo(email, earlier));

async function logIn({ page }: Visitor, email: string, earlier: number): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter your code?' });
  await dialog.getByRole('textbox').fill(await codeTo(email, earlier));
  await expect(page).toHaveURL('/app');
}

const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    (failure: { status: number }) => failure.status,
  );

test('export: downloads all stored data as a file after a fresh code is entered, at most once a day', async ({
  ada,
  rowers,
}) => {
  const { page } = ada;
  const ask = () => yourData(page).getByRole('button', { name: 'Download my data' }).click();
  const dialog = page.getByRole('dialog', { name: 'Download my data' });
  const confirm = dialog.getByRole('button', { name: 'Download' });
  await page.goto('/app/profile');
  await ask();
  await expect(confirm).toBeDisabled();
  await dialog.getByRole('textbox').fill('222222');
  await confirm.click();
  await expect(dialog.getByRole('alert')).toHaveText("This code isn't valid. Request a new one.");
  await enterCode(ada, 1);
  const download = page.waitForEvent('download');
  await confirm.click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/);
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({
    profile: { email: ada.email, first_name: 'Ada' },
    clubs: [{ club_name: rowers.club_name, club_role: 200 }],
  });
  await expect(dialog).toBeHidden();
  await expectToast(page, 'Your data was downloaded', 'You can open the file in any text editor.');

  await ask();
  await enterCode(ada, 2);
  await confirm.click();
  await stopWaiting(page).click();
  await expect(dialog.getByRole('alert')).toHaveText('You can get a copy once a day. Try again tomorrow.');
});

test('sessions: are listed, and can be ended one by one or, after a question, all at once [AUTHUX-04]', async ({
  ada,
  visitor,
}) => {
  const [phone, tablet] = [await visitor(), await visitor()];
  await logIn(phone, ada.email, 1);
  await logIn(tablet, ada.email, 2);
  await ada.page.goto('/app/profile');
  const own = sessions(ada.page).filter({ hasText: 'This device' });
  const newest = sessions(ada.page).first();
  await expect(sessions(ada.page)).toHaveCount(3);
  await expect(own).toHaveCount(1);
  await expect(own.getByRole('button')).toHaveCount(0);
  await expect(newest).toContainText('Last used just now');

  await newest.getByRole('button', { name: 'End the session on Chrome on Linux' }).click();
  await expect(sessions(ada.page)).toHaveCount(2);
  // The live connection tells the other browser, and later the phone, that its session ended.
  await expect(tablet.page).toHaveURL('/login');
  await phone.page.reload();
  await expect(phone.page).toHaveURL('/app');

  await ada.page.getByRole('button', { name: 'Log out everywhere' }).click();
  const question = ada.page.getByRole('alertdialog', { name: 'Log out everywhere?' });
  await question.getByRole('button', { name: 'Log out everywhere' }).click();
  await expect(ada.page).toHaveURL('/');
  await expect.poll(() => statusOf(ada.api.users.me({}))).toBe(401);
  await expect(phone.page).toHaveURL('/login');
});

test('deletion: removes the account, a successor takes over, and the same address can be used for a new account [PRIV-15]', async ({
  ada,
  bob,
  rowers,
  run,
  club,
  visitor,
}) => {
  const { page } = ada;
  const alone = await club([ada], 'Reading Alone');
  await ada.api.updates.publish({ club: rowers.id, content: 'The boat is mended.' });
  const { ical_feed_url_id: secret } = await ada.api.users.me({});
  const feed = `${origin()}/api/v1/users/${secret}/ical/calendar.ics`;
  expect((await fetch(feed)).status).toBe(200);

  await page.route('**/api/v1/users/deletion', (route) => route.abort());
  await openDeletion(ada);
  const failure = deletion(page).getByRole('alert').filter({ hasText: "couldn't load" });
  await expect(failure).toHaveText(/^We couldn't load your clubs\./);
  await expect(mailCode(page)).toBeDisabled();
  await page.unroute('**/api/v1/users/deletion');
  await failure.getByRole('button', { name: 'Try again' }).click();
  await expect(failure).toHaveCount(0);

  await expect(deletion(page)).toContainText('Updates and messages you wrote, without your name');
  await expect(deletion(page)).toContainText('Reading Alone');
  const successor = deletion(page).getByRole('combobox', { name: 'Who takes over Harbour Rowers?' });
  await mailCode(page).click();
  await expect(deletion(page).getByRole('alert')).toHaveText('Choose who takes over, or delete the club.');
  await expect(successor).toHaveAttribute('aria-invalid', 'true');
  await expect(successor).toBeFocused();
  await successor.selectOption('Bob');
  await mailCode(page).click();
  await enterCode(ada, 1);
  await deleteForGood(page);
  await expect(page).toHaveURL('/');
  await expectToast(page, 'Your account was deleted', 'Your personal data is gone. Goodbye!');

  expect(await statusOf(ada.api.users.me({}))).toBe(401);
  expect((await fetch(feed)).status).toBe(404);
  expect(await statusOf(bob.api.clubs.get({ club: alone.slug }))).toBe(404);
  const seen = await bob.api.clubs.getForAdmin({ club: rowers.slug });
  expect(seen.members.map(({ id, club_role }) => [id, club_role])).toEqual([[bob.id, 200]]);
  const event = await bob.api.events.get({ event: run.slug });
  expect(event.my_role).toBe('organiser');
  const everything = JSON.stringify([seen, event, await bob.api.notifications.list({})]);
  expect(everything).toContain('The boat is mended.');
  expect(everything).toContain('Someone made you an admin of Harbour Rowers.');
  expect(everything).not.toMatch(new RegExp(`Ada|${ada.email}|${ada.id}`));

  const again = await visitor();
  await logIn(again, ada.email, 2);
  await expect(again.page.getByText('Join or create a club to get started!')).toBeVisible();
  await again.page.goto('/app/profile');
  await expect(again.page.getByRole('textbox', { name: 'First Name' })).toHaveValue('');
});

test('deletion: leads straight to the landing page, even if the live connection closes before the response', async ({
  ada,
}) => {
  const { page } = ada;
  const connection = page.waitForEvent('websocket');
  await openDeletion(ada);
  const live = await connection;
  await mailCode(page).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Code' }).fill('222222');
  await deleteForGood(page);
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText("This code isn't valid");

  await page.route('**/api/v1/users', async (route) => {
    const noticed = page.waitForEvent('console', (line) => line.text().includes('could not be loaded'));
    const [response] = await Promise.all([route.fetch(), live.waitForEvent('close'), noticed]);
    await route.fulfill({ response });
  });
  const paths: string[] = [];
  page.on('framenavigated', (frame) => void paths.push(new URL(frame.url()).pathname));
  await enterCode(ada, 1);
  await deleteForGood(page);
  await expectToast(page, 'Your account was deleted', 'Your personal data is gone. Goodbye!');
  expect(paths).toEqual(['/']);
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test('deletion: asks who takes over the club if a member joins before the account is deleted', async ({
  ada,
  eve,
  rowers,
}) => {
  const { page } = ada;
  await openDeletion(ada);
  await mailCode(page).click();
  await enterCode(ada, 1);
  await joinClub(rowers, ada, eve);
  await deleteForGood(page);
  await deletion(page)
    .getByRole('combobox', { name: 'Who takes over Harbour Rowers?' })
    .selectOption('No one: delete the club for everyone');
  await mailCode(page).click();
  // The code is still valid, so no new one was sent.
  await enterCode(ada, 1);
  await deleteForGood(page);
  await expect(page).toHaveURL('/');
  expect((await eve.api.users.me({})).clubs).toEqual([]);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('account deletion: is accessible, also with a toast', async ({ ada, bob, eve, rowers, club }) => {
    const { page } = ada;
    await club([ada], 'Reading Alone');
    await connected(page, '/app/profile');
    await pressDelete(page);
    await deletion(page).getByRole('combobox').selectOption(bob.name);
    await expectAccessible(page);
    // The toast of a live notification does not cover the buttons of the dialog.
    await joinClub(rowers, ada, eve);
    await expectToast(page, 'New Notification', 'Eve joined Harbour Rowers.');
    await expectAccessible(page);
    await mailCode(page).click();
    await expect(page.getByRole('dialog', { name: 'Delete your account' })).toBeVisible();
    await expectAccessible(page);
  });
});
