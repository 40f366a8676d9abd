import { bell, dropdown, rows, withoutLive } from '#e2e/bell.ts';
import { confirmDialog, dialog, field, link, main, question } from '#e2e/dialogs.ts';
import { button, clubPath } from '#e2e/event-page.ts';
import { expectFocusIn, pressOn, tabTo, typeInto } from '#e2e/keys.ts';
import { codeTo, expect, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

test('keyboard alone: read and delete notifications, change their settings and leave a club [BELL-04 BELL-05 BELL-06 BELL-10 BELL-14 NOTIF-20 NOTIF-25]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const { page } = bob;
  const { keyboard } = page;
  await withoutLive(page);

  await test.step('the bell', async () => {
    for (const content of ['The boat is mended.', 'So are the oars.'])
      await ada.api.updates.publish({ club: rowers.id, content });
    await page.goto('/app');
    await pressOn(page, bell(page));
    await expect(rows(page)).toHaveCount(2);
    await expect(dropdown(page).getByRole('link', { name: 'Settings', exact: true })).toBeVisible();
    await pressOn(page, rows(page).first().getByRole('button', { name: 'Delete notification' }));
    await expect(rows(page)).toHaveCount(1);
    await expectFocusIn(dropdown(page));
    await keyboard.press('Escape');
    await expect(dropdown(page)).toBeHidden();
    await expect(bell(page)).toBeFocused();
    await keyboard.press('Enter');
    await pressOn(page, rows(page).getByRole('link'));
    await expect(page).toHaveURL(clubPath(rowers));
    await expectFocusIn(main(page));
    await pressOn(page, bell(page));
    await pressOn(page, rows(page).getByRole('link'));
    await expect(bell(page)).toBeFocused();
    await expect
      .poll(async () => (await bob.api.notifications.list({})).map((one) => one.actioned_at !== null))
      .toEqual([true]);
    await keyboard.press('Enter');
    await pressOn(page, dropdown(page).getByRole('link', { name: 'View all notifications' }));
    await confirmDialog(page, 'Clear all', 'Clear all notifications?', 'Clear all');
    await expect(page.getByText('No notifications yet')).toBeVisible();
    await expectFocusIn(main(page));
  });

  await test.step('the settings', async () => {
    await pressOn(page, bell(page));
    await expect(dropdown(page)).toContainText('No notifications yet');
    await expect(dropdown(page).getByRole('link', { name: 'View all notifications' })).toHaveCount(0);
    await pressOn(page, dropdown(page).getByRole('link', { name: 'Settings' }));
    await expect(page).toHaveURL('/app/settings/notifications');
    await pressOn(page, page.getByRole('checkbox', { name: 'new event', exact: true }), 'Space');
    await pressOn(page, button(page, 'Save'));
    await expect.poll(async () => (await bob.api.notifications.settings({})).new_event).toBe(false);
    await expect(button(page, 'Save')).toBeFocused();
  });

  await page.goto(clubPath(rowers));
  await confirmDialog(page, 'Leave club', 'Leave this club?', 'Leave');
  await expect(page).toHaveURL('/app');
  await expectFocusIn(main(page));
});

test('keyboard alone: publish an update, change roles and eject', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const { page } = ada;
  await withoutLive(page);
  await page.goto(clubPath(rowers));
  await pressOn(page, link(page, 'Create update'));
  await typeInto(page, field(page, 'Content'), 'The boat is mended.');
  await pressOn(page, button(page, 'Publish'));
  await expect(page).toHaveURL(`${clubPath(rowers)}#new-update`);
  await expect(main(page)).toContainText('The boat is mended.');
  await expectFocusIn(main(page));

  await pressOn(page, link(page, 'Manage members'));
  const role = page.getByRole('combobox', { name: 'Role of Bob' });
  await tabTo(page, role);
  await page.keyboard.press('o');
  await expectToast(page, 'Updated', 'User role has been updated');
  await expect(role).toHaveValue('100');
  await expect(role).toBeFocused();
  await confirmDialog(page, 'Eject Bob', 'Eject Bob?', 'Eject');
  await expect(role).toHaveCount(0);
  await expectFocusIn(main(page));
});

test('keyboard alone: send feedback, end sessions and delete the account', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  await club([ada, bob], 'Chess Club');
  const { page } = ada;
  const { keyboard } = page;
  await page.goto('/app');
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
  const sessions = page.getByRole('region', { name: "Where you're logged in" });
  await expect(sessions.getByRole('listitem')).toHaveCount(2);
  await pressOn(page, sessions.getByRole('button', { name: /^End the session/ }));
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
  await expectFocusIn(sessions);

  const deletion = question(page, 'Delete your account?');
  await pressOn(page, button(page, 'Delete account'));
  await expectFocusIn(deletion);
  await keyboard.press('Escape');
  await expect(button(page, 'Delete account')).toBeFocused();
  await keyboard.press('Enter');
  await tabTo(page, deletion.getByRole('combobox'));
  await keyboard.press('b');
  await expect(deletion.getByRole('combobox')).toHaveValue(bob.id);
  await pressOn(page, button(page, 'Email me a code'));
  await expect(field(page, 'Code')).toBeFocused();
  await keyboard.press('Escape');
  await expect(button(page, 'Email me a code')).toBeFocused();
  await keyboard.press('Enter');
  await expect(field(page, 'Code')).toBeFocused();
  await keyboard.type(await codeTo(ada.email, 2));
  await pressOn(page, button(page, 'Delete account for good'));
  await expect(page).toHaveURL('/');
  expect((await bob.api.users.me({})).clubs).toMatchObject([{ club_role: 200 }]);

  await bob.page.goto('/app/profile');
  await pressOn(bob.page, button(bob.page, 'Log out everywhere'));
  const confirmation = bob.page.getByRole('alertdialog');
  await pressOn(bob.page, confirmation.getByRole('button', { name: 'Log out everywhere' }));
  await expect(bob.page).toHaveURL('/');
});

test('search: keys pressed while composing with an input method do not close it [ROBUST-09]', async ({
  ada,
  rowers,
}) => {
  const { page } = ada;
  await page.goto(clubPath(rowers));
  await page.keyboard.press('Control+k');
  await expect(dialog(page, 'Search')).toBeVisible();
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await expect(dialog(page, 'Search')).toBeVisible();
  await devTools.send('Input.insertText', { text: 'か' });
  await expect(dialog(page, 'Search').getByRole('searchbox')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog(page, 'Search')).toBeHidden();
});
