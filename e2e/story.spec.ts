import type { Page } from '@playwright/test';
import ICAL from 'ical.js';
import { withoutLive } from '#e2e/bell.ts';
import { confirmDialog, dialog, field, link, main, question } from '#e2e/dialogs.ts';
import { attendees, button, card } from '#e2e/event-page.ts';
import { expectFocusIn, pressOn, tabTo, typeInto } from '#e2e/keys.ts';
import { codeTo, expect, freshAddress, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Logs in by pasting an emailed code. */
async function logIn(page: Page, email: string): Promise<void> {
  await expect(field(page, 'Email')).toBeFocused();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await expect(field(page, 'Code')).toBeFocused();
  const code = await codeTo(email, 0);
  await page.evaluate((text) => navigator.clipboard.writeText(text), code);
  await page.keyboard.press('ControlOrMeta+v');
}

/** Replaces the feed address in a calendar dialog, and returns the new address. */
async function subscribe(page: Page, name: string): Promise<string> {
  const calendar = dialog(page, name);
  const apple = calendar.getByRole('link', { name: /^Apple/ });
  await pressOn(page, button(page, name));
  const first = (await apple.getAttribute('href')) ?? '';
  for (const app of [/^Google/, /^Apple/, /^Microsoft/])
    await tabTo(page, calendar.getByRole('link', { name: app }));
  await pressOn(page, button(page, 'Copy: Copy link'));
  await expect.poll(() => copied(page)).toMatch(/\.ics$/);
  await pressOn(page, calendar.locator('summary'));
  await expect(calendar.getByRole('img', { name: 'QR code of the calendar link' })).toBeVisible();
  await confirmDialog(page, 'Replace link', 'Replace this link?', 'Replace link');
  await expect(button(page, 'Replace link')).toBeFocused();
  await expect(apple).not.toHaveAttribute('href', first);
  const address = await apple.getAttribute('href');
  await page.keyboard.press('Escape');
  await expect(button(page, name)).toBeFocused();
  return address ?? '';
}

async function readFeed(address: string) {
  const response = await fetch(address.replace(/^webcal:/, 'http:'));
  expect(response.headers.get('content-type')).toContain('text/calendar');
  const calendar = new ICAL.Component(ICAL.parse(await response.text()) as unknown[]);
  return calendar.getAllSubcomponents('vevent').map((entry) => {
    const event = new ICAL.Event(entry);
    return {
      summary: event.summary,
      start: event.startDate.toJSDate().toISOString(),
      end: event.endDate.toJSDate().toISOString(),
      sequence: event.sequence ?? 0,
      status: String(entry.getFirstPropertyValue('status')),
      transparency: String(entry.getFirstPropertyValue('transp')),
    };
  });
}

test('full story by keyboard alone: from an email address to a club in the calendars of its members [GEN-02 GEN-03 LOGIN-01 LOGIN-05 LOGIN-28 LOGIN-31 DATA-01 DATA-02 INVITE-10 INVITE-16 INVITEDLG-01 INVITEDLG-06 INVITEDLG-07 INVITEDLG-09 INVITEDLG-10 INVITEDLG-11 TOAST-14 CAL-01 CAL-02 CAL-03]', async ({
  visitor,
}) => {
  test.setTimeout(120_000);
  const options = { timezoneId: 'Europe/London', permissions: ['clipboard-read', 'clipboard-write'] };
  const [{ page: ada }, { page: bob }] = [await visitor(options), await visitor(options)];
  for (const page of [ada, bob]) await withoutLive(page);

  const club = await test.step('Ada logs in and creates a club', async () => {
    await ada.goto('/');
    await pressOn(ada, link(ada, 'Get started'));
    await logIn(ada, freshAddress('ada'));
    await expect(ada.getByText('Join or create a club to get started!')).toBeVisible();
    await pressOn(ada, link(ada, 'Create Club'));
    await expect(field(ada, 'Club Name')).toBeFocused();
    await ada.keyboard.type('Harbour Rowers');
    await ada.keyboard.press('Enter');
    await expect(ada).toHaveURL(/\/app\/clubs\/[\w-]+#new-club$/);
    await expect(ada.getByRole('heading', { name: 'Harbour Rowers', level: 1 })).toBeVisible();
    return new URL(ada.url()).pathname;
  });

  await test.step('she enters her name', async () => {
    await pressOn(ada, button(ada, 'Invite members'));
    const nameless = dialog(ada, 'Update your name');
    await expect(nameless).toContainText(
      'Before inviting members to your club, please update your name so that others will know who you are.',
    );
    await expect(dialog(ada, 'Invite members')).toHaveCount(0);
    await pressOn(ada, nameless.getByRole('link', { name: 'Update Name' }));
    await expect(ada).toHaveURL('/app/profile');
    await expectFocusIn(main(ada));
    await typeInto(ada, field(ada, 'First Name'), 'Ada');
    await ada.keyboard.press('Tab');
    await ada.keyboard.type('Byron');
    await ada.keyboard.press('Enter');
    await pressOn(ada, main(ada).getByRole('link', { name: /^Harbour Rowers/ }));
  });

  const invite = await test.step('she copies, replaces and deletes the invite link', async () => {
    await pressOn(ada, button(ada, 'Invite members'));
    const url = field(ada, 'Invite link');
    await expect(url).toBeVisible();
    await expectFocusIn(dialog(ada, 'Invite members'));
    await confirmDialog(ada, 'Delete link', 'Delete this link?', 'Delete');
    await expect(button(ada, 'Create invite link')).toBeVisible();
    await expectFocusIn(dialog(ada, 'Invite members'));
    await pressOn(ada, button(ada, 'Create invite link'));
    const first = await url.inputValue();
    await confirmDialog(ada, 'Replace link', 'Replace this link?', 'Replace');
    await expect(url).not.toHaveValue(first);
    await expect(button(ada, 'Replace link')).toBeFocused();
    await pressOn(ada, button(ada, 'Copy: Invite link'));
    await expectToast(ada, 'Link copied to clipboard', 'The invite link has been copied to your clipboard.');
    await expect(ada.getByText('Copied!', { exact: true })).toBeVisible();
    await expect(url).toHaveValue(await copied(ada));
    await ada.keyboard.press('Escape');
    await expect(button(ada, 'Invite members')).toBeFocused();
    return copied(ada);
  });

  await test.step('she creates an event', async () => {
    await pressOn(ada, link(ada, 'New event'));
    await pressOn(ada, button(ada, 'Create Event'));
    await expect(field(ada, 'Title')).toBeFocused();
    await ada.keyboard.type('Tuesday row');
    const opener = button(ada, 'Pick date and time').first();
    const picker = dialog(ada, 'Pick date and time');
    await pressOn(ada, opener);
    await expect(picker.getByRole('button', { name: /^Today/ })).toBeFocused();
    await ada.keyboard.press('ArrowDown');
    await ada.keyboard.press('Enter');
    await ada.keyboard.press('Escape');
    await expect(opener).toBeFocused();
    await typeInto(ada, field(ada, 'Start'), '06/08/2027 07:30 PM');
    await tabTo(ada, ada.getByRole('spinbutton', { name: 'Duration' }));
    await typeInto(ada, field(ada, 'Location'), 'Pier 3');
    await pressOn(ada, ada.locator('summary'));
    await tabTo(ada, field(ada, 'Sign-up closes'));
    await ada.keyboard.press('Enter');
    await expect(ada).toHaveURL(`${club}#new-event`);
    await expect(card(ada, 'Tuesday row')).toContainText('Tue 8 Jun');
  });

  await test.step('Bob opens the link, logs in and comes back to it', async () => {
    await bob.goto(invite);
    await expect(bob.getByText('You have been invited to join Harbour Rowers')).toBeVisible();
    await pressOn(bob, button(bob, 'Accept Invite'));
    await expect(bob.getByText('Login to join Harbour Rowers')).toBeVisible();
    const stored = () =>
      bob.evaluate(() => ({ path: localStorage['returnUrl'], club: localStorage['clubSlug'] }));
    expect(await stored()).toEqual({ path: new URL(invite).pathname, club: club.split('/').at(-1) });
    await logIn(bob, freshAddress('bob'));
    await expect(bob).toHaveURL(invite);
    expect(await stored()).toMatchObject({ path: undefined });
  });

  await test.step('he enters his name and joins', async () => {
    const accept = button(bob, 'Accept Invite');
    for (const ask of [async () => {}, () => pressOn(bob, accept)]) {
      await ask();
      await expect(field(bob, 'First Name')).toBeFocused();
      await bob.keyboard.press('Escape');
    }
    await expect(accept).toBeFocused();
    await bob.keyboard.press('Enter');
    await expect(field(bob, 'First Name')).toBeFocused();
    await bob.keyboard.type('Bob');
    await bob.keyboard.press('Tab');
    await bob.keyboard.type('Stone');
    await bob.keyboard.press('Enter');
    await expect(bob).toHaveURL(club);
    await expect(bob.getByText('Bob Stone (you)')).toBeVisible();
    await expect(button(bob, 'Invite members')).toHaveCount(0);
    await expectFocusIn(main(bob));
  });

  const event = await test.step('he finds the event and attends', async () => {
    const opener = bob.getByRole('banner').getByRole('button', { name: 'Search' });
    await pressOn(bob, opener);
    await expect(bob.getByRole('searchbox')).toBeFocused();
    await bob.keyboard.press('Escape');
    await expect(opener).toBeFocused();
    await bob.keyboard.press('ControlOrMeta+j');
    await expect(bob.getByRole('searchbox')).toBeFocused();
    await bob.keyboard.type('tuesday');
    await expect(dialog(bob, 'Search').getByRole('link')).toHaveCount(1);
    await bob.keyboard.press('ArrowDown');
    await expect(dialog(bob, 'Search').getByRole('link', { name: /^Tuesday row/ })).toBeFocused();
    await bob.keyboard.press('Enter');
    await expect(bob.getByRole('heading', { name: 'Tuesday row', level: 1 })).toBeVisible();
    await expect(dialog(bob, 'Search')).toBeHidden();
    await pressOn(bob, button(bob, 'Attend Event'));
    await expect(attendees(bob)).toHaveCount(2);
    await expect(button(bob, 'Attending')).toBeFocused();
    return new URL(bob.url()).pathname;
  });

  await test.step('he changes his mind', async () => {
    const unattending = question(bob, 'Stop attending?');
    // A press within a second after the last one shows a toast instead.
    await expect(async () => {
      await bob.keyboard.press('Enter');
      await expect(unattending).toBeVisible({ timeout: 500 });
    }).toPass();
    await expect(unattending.getByRole('button', { name: 'Keep attending' })).toBeFocused();
    await bob.keyboard.press('Escape');
    await expect(unattending).toBeHidden();
    await expect(button(bob, 'Attending')).toBeFocused();
    const menu = button(bob, 'Add to calendar');
    await pressOn(bob, menu);
    await expect(bob.getByRole('menuitem', { name: 'Google Calendar' })).toBeFocused();
    await bob.keyboard.press('End');
    await bob.keyboard.press('Enter');
    await expect(dialog(bob, 'My Calendar')).toBeVisible();
    for (let presses = 0; presses < 12; presses++) {
      await bob.keyboard.press('Tab');
      await expect(bob.getByRole('dialog').locator(':focus')).toHaveCount(1);
    }
    await bob.keyboard.press('Escape');
    await expect(menu).toBeFocused();
    await pressOn(bob, button(bob, 'Attending'));
    await pressOn(bob, unattending.getByRole('button', { name: 'Unattend' }));
    await expect(attendees(bob)).toHaveCount(1);
    await expect(async () => {
      await expect(button(bob, 'Attend Event')).toBeFocused();
      await bob.keyboard.press('Enter');
      await expect(attendees(bob)).toHaveCount(2, { timeout: 500 });
    }).toPass();
  });

  const feeds = await test.step('both subscribe to the feeds', async () => {
    await bob.goto('/app');
    await ada.goto(club);
    return [await subscribe(bob, 'My Calendar'), await subscribe(ada, 'Club Calendar')];
  });
  const times = { start: '2027-06-08T18:30:00.000Z', end: '2027-06-08T19:30:00.000Z' };
  const first = { summary: 'Tuesday row', status: 'CONFIRMED', transparency: 'OPAQUE', ...times };
  // The sequence number also counts the reader's own changes of attendance, so the feeds start from different numbers.
  const starts = new Map<string, number>();
  for (const feed of feeds) starts.set(feed, (await readFeed(feed))[0]?.sequence ?? 0);
  const expectEntry = async (entry: object, changes: number) => {
    for (const [feed, start] of starts)
      expect(await readFeed(feed)).toEqual([{ ...entry, sequence: start + changes }]);
  };
  await expectEntry(first, 0);

  await test.step('a renamed event changes in the feeds', async () => {
    await ada.goto(event);
    await pressOn(ada, link(ada, 'Edit'));
    await typeInto(ada, field(ada, 'Title'), 'Tuesday row and picnic');
    await ada.keyboard.press('Enter');
    await expect(ada).toHaveURL(event);
    await expect(ada.getByRole('heading', { level: 1 })).toHaveText('Tuesday row and picnic');
    await expectFocusIn(main(ada));
  });
  const second = { ...first, summary: 'Tuesday row and picnic' };
  await expectEntry(second, 1);

  await test.step('a cancelled event is cancelled in the feeds', async () => {
    await confirmDialog(ada, 'Cancel Event', 'Cancel this event?', 'Cancel Event');
    await expect(ada).toHaveURL(club);
    await expectFocusIn(main(ada));
  });
  const summary = 'Cancelled: Tuesday row and picnic';
  await expectEntry({ ...second, summary, status: 'CANCELLED', transparency: 'TRANSPARENT' }, 2);
});
