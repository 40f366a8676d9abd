import type { Page } from '@playwright/test';
import { bell, dropdown, rows, withoutLive } from '#e2e/bell.ts';
import { attendees, button, card, clubPath, eventPath } from '#e2e/event-page.ts';
import { expectFocusIn, pressOn, tabTo, typeInto } from '#e2e/keys.ts';
import { codeTo, expect, freshAddress, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const permissions = ['clipboard-read', 'clipboard-write'];

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const question = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });
const main = (page: Page) => page.getByRole('main');

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const copy = (page: Page, text: string) => page.evaluate((it) => navigator.clipboard.writeText(it), text);

/** Expects that Escape closes a confirmation and restores the focus, then confirms it. */
async function answer(page: Page, opener: string, asked: string, yes: string): Promise<void> {
  await pressOn(page, button(page, opener));
  await expectFocusIn(question(page, asked));
  await page.keyboard.press('Escape');
  await expect(question(page, asked)).toBeHidden();
  await expect(button(page, opener)).toBeFocused();
  await page.keyboard.press('Enter');
  await pressOn(page, question(page, asked).getByRole('button', { name: yes, exact: true }));
  await expect(question(page, asked)).toBeHidden();
}

test('keyboard alone: log in, enter a name, create a club and invite [INVITEDLG-09 INVITEDLG-10 INVITEDLG-11]', async ({
  visitor,
}) => {
  const { page } = await visitor({ permissions });
  const { keyboard } = page;
  const email = freshAddress('Ada');
  await page.goto('/login');
  await expect(field(page, 'Email')).toBeFocused();
  await keyboard.type(email);
  await keyboard.press('Enter');
  await expect(field(page, 'Code')).toBeFocused();
  const code = await codeTo(email, 0);
  await copy(page, code);
  await keyboard.press('ControlOrMeta+v');
  await expect(field(page, 'Code')).toHaveValue(code);
  await pressOn(page, button(page, 'Confirm Code'));

  await pressOn(page, link(page, 'Create Club'));
  await expect(field(page, 'Club Name')).toBeFocused();
  await keyboard.type('Harbour Rowers');
  await keyboard.press('Enter');
  await expect(page).toHaveURL(/#new-club$/);

  await pressOn(page, button(page, 'Invite members'));
  const nameless = dialog(page, 'Update your name');
  await expect(nameless).toContainText(
    'Before inviting members to your club, please update your name so that others will know who you are.',
  );
  await expect(dialog(page, 'Invite members')).toHaveCount(0);
  await pressOn(page, nameless.getByRole('link', { name: 'Update Name' }));
  await expect(page).toHaveURL('/app/profile');
  await expectFocusIn(main(page));
  await typeInto(page, field(page, 'First Name'), 'Ada');
  await keyboard.press('Tab');
  await keyboard.type('Byron');
  await keyboard.press('Enter');
  await pressOn(page, main(page).getByRole('link', { name: /^Harbour Rowers/ }));

  await pressOn(page, button(page, 'Invite members'));
  await pressOn(page, button(page, 'Create invite link'));
  const url = field(page, 'Invite link');
  await expect(url).toBeVisible();
  await expectFocusIn(dialog(page, 'Invite members'));
  await pressOn(page, button(page, 'Copy: Invite link'));
  await expect(page.getByText('Copied!', { exact: true })).toBeVisible();
  const first = await copied(page);
  await expect(url).toHaveValue(first);
  await answer(page, 'Regenerate link', 'Regenerate this link?', 'Regenerate');
  await expect(url).not.toHaveValue(first);
  await expect(button(page, 'Regenerate link')).toBeFocused();
  await answer(page, 'Delete link', 'Delete this link?', 'Delete');
  await expect(button(page, 'Create invite link')).toBeVisible();
  await expectFocusIn(dialog(page, 'Invite members'));
  await keyboard.press('Escape');
  await expect(button(page, 'Invite members')).toBeFocused();
});

test('keyboard alone: join, search and subscribe to the calendar', async ({ person, club, event }) => {
  const [ada, bob] = [await person('Ada'), await person('', { permissions })];
  const rowers = await club([ada]);
  const run = await event(rowers, ada);
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  const { page } = bob;
  const { keyboard } = page;
  await withoutLive(page);
  await page.goto(`/app/club/${rowers.slug}/${invite_link}`);
  await pressOn(page, button(page, 'Accept Invite'));
  await expect(field(page, 'First Name')).toBeFocused();
  await keyboard.press('Escape');
  await expect(button(page, 'Accept Invite')).toBeFocused();
  await keyboard.press('Enter');
  await expect(field(page, 'First Name')).toBeFocused();
  await keyboard.type('Bob');
  await keyboard.press('Tab');
  await keyboard.type('Stone');
  await keyboard.press('Enter');
  await expect(page).toHaveURL(clubPath(rowers));
  await expectFocusIn(main(page));

  await test.step('the search', async () => {
    const opener = page.getByRole('banner').getByRole('button', { name: 'Search' });
    const found = dialog(page, 'Search').getByRole('link', { name: /^Tuesday run/ });
    await pressOn(page, opener);
    await expect(page.getByRole('searchbox')).toBeFocused();
    await keyboard.press('Escape');
    await expect(opener).toBeFocused();
    await keyboard.press('ControlOrMeta+j');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await keyboard.type('tuesday');
    await expect(dialog(page, 'Search').getByRole('link')).toHaveCount(1);
    await keyboard.press('ArrowDown');
    await expect(found).toBeFocused();
    await keyboard.press('Enter');
    await expect(page).toHaveURL(eventPath(run));
    await expect(dialog(page, 'Search')).toBeHidden();
    await pressOn(page, main(page).getByRole('link', { name: 'Harbour Rowers' }));
  });

  await test.step('the calendar', async () => {
    const calendar = dialog(page, 'Club Calendar');
    await pressOn(page, button(page, 'Club Calendar'));
    for (const app of [/^Google/, /^Apple/, /^Microsoft/])
      await tabTo(page, calendar.getByRole('link', { name: app }));
    await pressOn(page, button(page, 'Copy: Copy link'));
    await expect.poll(() => copied(page)).toMatch(/\.ics$/);
    await pressOn(page, calendar.locator('summary'));
    await expect(calendar.getByRole('img', { name: 'QR code of the calendar link' })).toBeVisible();
    await answer(page, 'Replace link', 'Replace this link?', 'Replace link');
    await expect(button(page, 'Replace link')).toBeFocused();
    await keyboard.press('Escape');
    await expect(button(page, 'Club Calendar')).toBeFocused();
  });
});

test('keyboard alone: read notifications, change their settings and leave', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const { page } = bob;
  const { keyboard } = page;
  await withoutLive(page);

  await test.step('the bell', async () => {
    for (const content of ['The boat is mended.', 'So are the oars.'])
      await ada.api.updates.publish({ club: rowers.id, content });
    await page.goto(clubPath(rowers));
    await pressOn(page, bell(page));
    await expect(rows(page)).toHaveCount(2);
    await pressOn(page, rows(page).first().getByRole('button', { name: 'Delete notification' }));
    await expect(rows(page)).toHaveCount(1);
    await expectFocusIn(dropdown(page));
    await keyboard.press('Escape');
    await expect(dropdown(page)).toBeHidden();
    await expect(bell(page)).toBeFocused();
    await keyboard.press('Enter');
    await pressOn(page, rows(page).getByRole('link'));
    await expect(bell(page)).toBeFocused();
    await expect
      .poll(async () => (await bob.api.notifications.list({})).map((one) => one.actioned_at !== null))
      .toEqual([true]);
    await keyboard.press('Enter');
    await pressOn(page, dropdown(page).getByRole('link', { name: 'View all notifications' }));
    await answer(page, 'Clear all', 'Clear all notifications?', 'Clear all');
    await expect(page.getByText('No notifications yet')).toBeVisible();
    await expectFocusIn(main(page));
  });

  await test.step('the settings', async () => {
    await pressOn(page, bell(page));
    await pressOn(page, dropdown(page).getByRole('link', { name: 'Settings' }));
    await pressOn(page, page.getByRole('checkbox', { name: 'new event', exact: true }), 'Space');
    await pressOn(page, button(page, 'Save'));
    await expect.poll(async () => (await bob.api.notifications.settings({})).new_event).toBe(false);
    await expect(button(page, 'Save')).toBeFocused();
  });

  await page.goto(clubPath(rowers));
  await answer(page, 'Leave club', 'Leave this club?', 'Leave');
  await expect(page).toHaveURL('/app');
  await expectFocusIn(main(page));
});

test('keyboard alone: edit and cancel an event, publish, change roles and eject', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const run = await event(rowers, ada);
  const { page } = ada;
  const { keyboard } = page;
  await withoutLive(page);
  await page.goto(eventPath(run));
  await pressOn(page, link(page, 'Edit'));
  await typeInto(page, field(page, 'Title'), 'Night row');
  await keyboard.press('Enter');
  await expect(page).toHaveURL(eventPath(run));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Night row');
  await expectFocusIn(main(page));
  await answer(page, 'Cancel Event', 'Cancel this event?', 'Cancel Event');
  await expect(page).toHaveURL(clubPath(rowers));
  await expectFocusIn(main(page));

  await pressOn(page, link(page, 'Create update'));
  await typeInto(page, field(page, 'Content'), 'The boat is mended.');
  await pressOn(page, button(page, 'Publish'));
  await expect(page).toHaveURL(`${clubPath(rowers)}#new-update`);
  await expect(main(page)).toContainText('The boat is mended.');
  await expectFocusIn(main(page));

  await pressOn(page, link(page, 'Manage members'));
  const role = page.getByRole('combobox', { name: 'Role of Bob' });
  await tabTo(page, role);
  await keyboard.press('o');
  await expectToast(page, 'Updated', 'User role has been updated');
  await expect(role).toHaveValue('100');
  await expect(role).toBeFocused();
  await answer(page, 'Eject Bob', 'Eject Bob?', 'Eject');
  await expect(role).toHaveCount(0);
  await expectFocusIn(main(page));
});

test('keyboard alone: send feedback, end sessions and delete the account', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  await club([ada, bob], 'Chess Club');
  const { page } = ada;
  const { keyboard } = page;
  await page.goto('/app');
  await pressOn(page, button(page, 'My Calendar'));
  await expectFocusIn(dialog(page, 'My Calendar'));
  await keyboard.press('Escape');
  await expect(button(page, 'My Calendar')).toBeFocused();

  await pressOn(page, button(page, 'User menu'));
  await keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Let us know' })).toBeFocused();
  await keyboard.press('Enter');
  await typeInto(page, field(page, 'Your feedback'), 'A fine club room');
  await pressOn(page, button(page, 'Submit'));
  await expectFocusIn(dialog(page, 'Success!'));
  await keyboard.press('Escape');
  await expect(button(page, 'Submit')).toBeFocused();

  await ada.api.auth.login({ email: ada.email });
  await ada.api.auth.confirm({ email: ada.email, code: await codeTo(ada.email, 1) });
  await pressOn(page, button(page, 'User menu'));
  await keyboard.press('Enter');
  const sessions = page.getByRole('region', { name: 'Where you are logged in' });
  await expect(sessions.getByRole('listitem')).toHaveCount(2);
  await pressOn(page, sessions.getByRole('button', { name: /^End the session/ }));
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
  await expectFocusIn(sessions);

  const asked = question(page, 'Delete your account?');
  await pressOn(page, button(page, 'Delete account'));
  await expectFocusIn(asked);
  await keyboard.press('Escape');
  await expect(button(page, 'Delete account')).toBeFocused();
  await keyboard.press('Enter');
  await tabTo(page, asked.getByRole('combobox'));
  await keyboard.press('b');
  await expect(asked.getByRole('combobox')).toHaveValue(bob.id);
  await pressOn(page, button(page, 'Mail me a code'));
  await expect(field(page, 'Code')).toBeFocused();
  await keyboard.press('Escape');
  await expect(button(page, 'Mail me a code')).toBeFocused();
  await keyboard.press('Enter');
  await expect(field(page, 'Code')).toBeFocused();
  await keyboard.type(await codeTo(ada.email, 2));
  await pressOn(page, button(page, 'Delete account for good'));
  await expect(page).toHaveURL('/');
  expect((await bob.api.users.me({})).clubs).toMatchObject([{ club_role: 200 }]);

  await bob.page.goto('/app/profile');
  await pressOn(bob.page, button(bob.page, 'Log out everywhere'));
  await expect(bob.page).toHaveURL('/');
});

test('keyboard alone: create an event', async ({ person, club }) => {
  const ada = await person('Ada', { timezoneId: 'Europe/London' });
  const rowers = await club([ada]);
  const { page } = ada;
  const { keyboard } = page;
  await page.clock.setFixedTime('2027-06-08T08:00:00Z');
  await page.goto(clubPath(rowers));
  await tabTo(page, page.getByRole('link', { name: 'New event' }));
  await keyboard.press('Enter');
  await tabTo(page, button(page, 'Create Event'));
  await keyboard.press('Enter');
  await expect(field(page, 'Title')).toBeFocused();
  await keyboard.type('Night row');
  await keyboard.press('Tab');
  await expect(field(page, 'Location')).toBeFocused();
  await keyboard.type('Pier 9');

  const picker = page.getByRole('dialog', { name: 'Pick date and time' });
  await tabTo(page, button(page, 'Pick date and time').first());
  await keyboard.press('Enter');
  await expect(picker.getByRole('button', { name: 'Today, Tuesday 8 June 2027' })).toBeFocused();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await tabTo(page, picker.getByRole('combobox', { name: 'Hour' }));
  await keyboard.type('7');
  await tabTo(page, picker.getByRole('combobox', { name: 'AM or PM' }));
  await keyboard.type('P');
  await keyboard.press('Escape');
  await expect(button(page, 'Pick date and time').first()).toBeFocused();
  await expect(field(page, 'Start')).toHaveValue('06/15/2027 07:05 PM');

  await tabTo(page, page.getByRole('spinbutton', { name: 'Duration' }));
  await keyboard.press('ArrowUp');
  await expect(page.getByText('Ends Tuesday 15 June 2027, 9:05 pm (2 h)')).toBeVisible();
  await tabTo(page, field(page, 'Sign-up closes'));
  await keyboard.press('Enter');
  await expect(page).toHaveURL(`${clubPath(rowers)}#new-event`);
  await expect(card(page, 'Night row')).toContainText('Tue 15 Jun');
});

test('keyboard alone: attend an event, and each dialog restores the focus', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const row = await event(rowers, ada);
  const { page } = bob;
  const { keyboard } = page;
  await page.goto(clubPath(rowers));
  await tabTo(page, card(page, 'Tuesday run').getByRole('link'));
  await keyboard.press('Enter');
  await expect(page).toHaveURL(eventPath(row));
  await tabTo(page, button(page, 'Attend Event'));
  await keyboard.press('Enter');
  await expect(attendees(page)).toHaveCount(2);
  await expect(button(page, 'Attending')).toBeFocused();

  const asked = question(page, 'Stop attending?');
  await expect(async () => {
    await keyboard.press('Enter');
    await expect(asked).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(asked.getByRole('button', { name: 'Keep attending' })).toBeFocused();
  await keyboard.press('Escape');
  await expect(asked).toBeHidden();
  await expect(button(page, 'Attending')).toBeFocused();

  const menu = button(page, 'Add to calendar');
  await tabTo(page, menu);
  await keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Google Calendar' })).toBeFocused();
  await keyboard.press('End');
  await keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'My Calendar' })).toBeVisible();
  for (let presses = 0; presses < 12; presses++) {
    await keyboard.press('Tab');
    await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1);
  }
  await keyboard.press('Escape');
  await expect(menu).toBeFocused();

  await tabTo(page, button(page, 'Attending'));
  await keyboard.press('Enter');
  await tabTo(page, asked.getByRole('button', { name: 'Unattend' }));
  await keyboard.press('Enter');
  await expect(attendees(page)).toHaveCount(1);
  await expect(button(page, 'Attend Event')).toBeFocused();
});
