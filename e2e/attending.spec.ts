import type { Locator, Page } from '@playwright/test';
import { attendees, button, card, clubPath, eventPath } from '#e2e/event-page.ts';
import { withoutLive } from '#e2e/bell.ts';
import { expect, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const struck = (text: Locator) => expect(text).toHaveCSS('text-decoration-line', 'line-through');

/** Opens the confirmation. Clicks are ignored for a second after a response, hence the retry. */
async function askToUnattend(page: Page): Promise<Locator> {
  const dialog = page.getByRole('alertdialog', { name: 'Stop attending?' });
  await expect(async () => {
    // The first click also loads the dialog, so the dialog may open only after this attempt.
    if (!(await dialog.isVisible())) await button(page, 'Attending').click({ timeout: 1000 });
    await expect(dialog).toBeVisible({ timeout: 500 });
  }).toPass();
  return dialog;
}

test('attending: two quick clicks send one request, and unattending needs a confirmation [EVENT-31 EVENT-37 TOAST-23]', async ({
  bob,
  run,
}) => {
  const { page } = bob;
  let calls = 0;
  await page.route('**/api/v1/events/*/attend', async (route) => {
    calls += 1;
    await expectToast(page, 'Slow Down', 'You are performing this action too quickly');
    await route.continue();
  });
  await page.goto(eventPath(run));
  await button(page, 'Attend Event').dblclick();
  await expect(attendees(page)).toHaveCount(2);
  await expect(page.getByRole('alertdialog')).toHaveCount(0);

  await (await askToUnattend(page)).getByRole('button', { name: 'Keep attending' }).click();
  await expect(button(page, 'Attending')).toBeVisible();
  const unattended = page.waitForResponse('**/api/v1/events/*/unattend');
  await (await askToUnattend(page)).getByRole('button', { name: 'Unattend' }).click();
  expect((await unattended).ok()).toBe(true);
  await expect(button(page, 'Attend Event')).toBeVisible();
  await expect(attendees(page)).toHaveCount(1);
  expect(calls).toBe(1);
  expect((await bob.api.events.get({ event: run.slug })).user_count).toBe(1);
});

test('attending: fails if the event has been cancelled since the page was loaded [TOAST-21]', async ({
  ada,
  bob,
  run,
}) => {
  await withoutLive(bob.page);
  await bob.page.goto(eventPath(run));
  await expect(button(bob.page, 'Attend Event')).toBeVisible();
  await ada.api.events.cancel({ event: run.slug });
  await button(bob.page, 'Attend Event').click();
  await expectToast(bob.page, 'Error', 'An error occurred while trying to attend event');
  await expect(bob.page.getByText('This event has been cancelled')).toBeVisible();
  await expect(attendees(bob.page)).toHaveCount(1);
});

test('attending: cannot be ended by a member who has just been ejected [TOAST-22]', async ({
  ada,
  bob,
  rowers,
  run,
}) => {
  await bob.api.answers.attend({ event: run.slug });
  await withoutLive(bob.page);
  await bob.page.goto(eventPath(run));
  const dialog = await askToUnattend(bob.page);
  await ada.api.members.eject({ club: rowers.id, member: bob.id });
  await dialog.getByRole('button', { name: 'Unattend' }).click();
  await expectToast(bob.page, 'Error', 'An error occurred while trying to unattend event');
  await expect(bob.page.getByRole('button', { name: /Attend/ })).toHaveCount(0);
});

test('cancelling an event: leads the host to the club page, where the event is struck through, as it is on its own page [EVENT-24 EVENT-25 EVENT-34 EVENT-35 EVENT-36]', async ({
  ada,
  rowers,
  event,
}) => {
  const { page } = ada;
  const words = { description: 'By the light of the moon', details: 'Bring a lamp.' };
  const row = await event(rowers, ada, { name: 'Night row', ...words });
  await event(rowers, ada, { name: 'Day row' });
  await page.goto(eventPath(row));
  await button(page, 'Cancel Event').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Event' }).click();
  await expectToast(page, 'Event cancelled', 'you have cancelled the event.');
  await expect(page).toHaveURL(clubPath(rowers));
  await expect(card(page, 'Night row')).toContainText('CANCELLED');
  await expect(card(page, 'Day row')).not.toContainText('CANCELLED');
  await struck(card(page, 'Night row').getByRole('heading'));

  await page.goto(eventPath(row));
  await expect(page.getByText('This event has been cancelled')).toBeVisible();
  await struck(page.getByRole('heading', { level: 1 }));
  for (const text of Object.values(words)) await struck(page.getByText(text));
  await expect(page.getByRole('button', { name: /attend|cancel|restore/i })).toHaveCount(0);
});
