import type { Locator, Page } from '@playwright/test';
import { attendees, button, card, clubPath, eventPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('an event is planned with the keyboard alone', async ({ person, club }) => {
  const ada = await person('Ada', { timezoneId: 'Europe/London' });
  const rowers = await club([ada]);
  const { page } = ada;
  const { keyboard } = page;
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  await page.clock.setFixedTime('2027-06-08T08:00:00Z');
  await page.goto(clubPath(rowers));
  await tabTo(page, page.getByRole('link', { name: 'New event' }));
  await keyboard.press('Enter');
  await tabTo(page, button(page, 'Create Event'));
  await keyboard.press('Enter');
  await expect(field('Title')).toBeFocused();
  await keyboard.type('Night row');
  await keyboard.press('Tab');
  await expect(field('Location')).toBeFocused();
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
  await expect(field('Start')).toHaveValue('06/15/2027 07:05 PM');

  await tabTo(page, page.getByRole('spinbutton', { name: 'Duration' }));
  await keyboard.press('ArrowUp');
  await expect(page.getByText('Ends Tuesday 15 June 2027, 9:05 pm (2 h)')).toBeVisible();
  await tabTo(page, field('Sign-up closes'));
  await keyboard.press('Enter');
  await expect(page).toHaveURL(`${clubPath(rowers)}#new-event`);
  await expect(card(page, 'Night row')).toContainText('Tue 15 Jun');
});

test('an event is attended with the keyboard alone, and each dialog gives the focus back', async ({
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

  const question = page.getByRole('alertdialog', { name: 'Stop attending?' });
  await expect(async () => {
    await keyboard.press('Enter');
    await expect(question).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(question.getByRole('button', { name: 'Keep attending' })).toBeFocused();
  await keyboard.press('Escape');
  await expect(question).toBeHidden();
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
  await tabTo(page, question.getByRole('button', { name: 'Unattend' }));
  await keyboard.press('Enter');
  await expect(attendees(page)).toHaveCount(1);
  await expect(button(page, 'Attend Event')).toBeFocused();
});
