import type { Locator, Page } from '@playwright/test';
import { attendees, button, card, clubPath, eventPath } from '#e2e/event-page.ts';
import { withoutLive } from '#e2e/bell.ts';
import { expect, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

/** Opens the confirmation. Clicks are ignored right after the last response, hence the retry. */
async function askToUnattend(page: Page): Promise<Locator> {
  const dialog = page.getByRole('alertdialog', { name: 'Stop attending?' });
  await expect(async () => {
    await button(page, 'Attending').click();
    await expect(dialog).toBeVisible({ timeout: 500 });
  }).toPass();
  return dialog;
}

/** Holds and counts the calls to a path. */
async function hold(page: Page, address: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const held = { calls: 0, release };
  await page.route(address, async (route) => {
    held.calls += 1;
    await released;
    await route.continue();
  });
  return held;
}

test.describe('attending', () => {
  test('starts with a click and ends after a confirmation [EVENT-29 EVENT-30 EVENT-31 EVENT-39 API-30 API-31]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const row = await event(await club([ada, bob]), ada);
    const { page } = bob;
    const answer = (operation: string) => page.waitForResponse(`**/api/v1/events/*/${operation}`);
    await page.goto(eventPath(row));
    const attended = answer('attend');
    await button(page, 'Attend Event').click();
    expect((await attended).status()).toBe(200);
    expect((await (await attended).json()).data).toEqual({ my_role: 'attendee', user_count: 2 });
    await expect(button(page, 'Attending')).toBeVisible();
    await expect(attendees(page)).toHaveCount(2);
    await expect(button(page, 'Cancel Event')).toHaveCount(0);
    await expect(bob.api.events.cancel({ event: row.slug })).rejects.toMatchObject({ status: 403 });

    await (await askToUnattend(page)).getByRole('button', { name: 'Keep attending' }).click();
    await expect(button(page, 'Attending')).toBeVisible();
    const unattended = answer('unattend');
    await (await askToUnattend(page)).getByRole('button', { name: 'Unattend' }).click();
    expect((await unattended).status()).toBe(200);
    expect((await (await unattended).json()).data).toEqual({ my_role: null, user_count: 1 });
    await expect(button(page, 'Attend Event')).toBeVisible();
    await expect(attendees(page)).toHaveCount(1);
  });

  test('is closed for everyone after the cut-off [EVENT-28]', async ({ person, club, event }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const row = await event(await club([ada, bob]), ada, { entryUntilIn: -1 });
    for (const { page } of [ada, bob]) {
      await page.goto(eventPath(row));
      await expect(button(page, 'Event Over')).toBeDisabled();
      await expect(page.getByRole('button', { name: /Attend|Cancel Event/ })).toHaveCount(0);
    }
  });

  test('sends one request for two quick clicks [EVENT-37 TOAST-23]', async ({ person, club, event }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const row = await event(await club([ada, bob]), ada);
    const { page } = bob;
    await page.goto(eventPath(row));
    const attend = await hold(page, '**/api/v1/events/*/attend');
    const unattend = await hold(page, '**/api/v1/events/*/unattend');
    await button(page, 'Attend Event').dblclick();
    await expectToast(page, 'Slow Down', 'You are performing this action too quickly');
    expect(attend.calls).toBe(1);
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    await page
      .getByRole('region', { name: /^Notifications/ })
      .getByRole('button', { name: 'Close' })
      .click();
    attend.release();

    await (await askToUnattend(page)).getByRole('button', { name: 'Unattend' }).click();
    await button(page, 'Attend Event').click();
    await expectToast(page, 'Slow Down', 'You are performing this action too quickly');
    expect([attend.calls, unattend.calls]).toEqual([1, 1]);
    unattend.release();
    await expect.poll(async () => (await bob.api.events.get({ event: row.slug })).user_count).toBe(1);
  });

  test('fails with the reason when the event was cancelled meanwhile [TOAST-21]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const row = await event(await club([ada, bob]), ada);
    await bob.page.goto(eventPath(row));
    await expect(button(bob.page, 'Attend Event')).toBeVisible();
    await ada.api.events.cancel({ event: row.slug });
    await button(bob.page, 'Attend Event').click();
    await expectToast(bob.page, 'Error', 'An error occurred while trying to attend event');
    await expect(bob.page.getByText('This event has been cancelled')).toBeVisible();
    await expect(attendees(bob.page)).toHaveCount(1);
  });

  test('fails at once when offline and reverts the optimistic update [TOAST-21]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const row = await event(await club([ada, bob]), ada);
    await bob.page.goto(eventPath(row));
    await expect(button(bob.page, 'Attend Event')).toBeVisible();
    await bob.context.setOffline(true);
    await button(bob.page, 'Attend Event').click();
    await expectToast(bob.page, 'Error', 'An error occurred while trying to attend event');
    await expect(button(bob.page, 'Attend Event')).toBeVisible();
    await expect(attendees(bob.page)).toHaveCount(1);
  });

  test('cannot be ended by someone who was ejected meanwhile [TOAST-22]', async ({ person, club, event }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    const row = await event(rowers, ada);
    await bob.api.attendance.attend({ event: row.slug });
    await withoutLive(bob.page);
    await bob.page.goto(eventPath(row));
    const dialog = await askToUnattend(bob.page);
    await ada.api.members.eject({ club: rowers.id, member: bob.id });
    await dialog.getByRole('button', { name: 'Unattend' }).click();
    await expectToast(bob.page, 'Error', 'An error occurred while trying to unattend event');
    await expect(button(bob.page, 'Attending')).toHaveCount(0);
    await expect(button(bob.page, 'Attend Event')).toHaveCount(0);
  });
});

// The server returns 200 with data or an error; a proxy may return anything.
for (const [what, answer] of [
  ['202', { status: 202, json: { data: { my_role: 'attendee', user_count: 2 }, status: 202, error: null } }],
  ['204', { status: 204 }],
  ['200 without data', { status: 200, json: { data: null, status: 200, error: null } }],
] as const) {
  test(`response ${what}: counts as a failure to attend, unattend or cancel [API-30 API-31 API-34 TOAST-21 TOAST-22 TOAST-25]`, async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const row = await event(await club([ada, bob]), ada);
    for (const { page } of [ada, bob]) {
      await page.route(/\/(attend|unattend|cancel)$/, (route) => route.fulfill(answer));
      await page.goto(eventPath(row));
    }
    await button(bob.page, 'Attend Event').click();
    await expectToast(bob.page, 'Error', 'An error occurred while trying to attend event');
    await expect(button(bob.page, 'Attend Event')).toBeVisible();

    await bob.api.attendance.attend({ event: row.slug });
    await bob.page.reload();
    await (await askToUnattend(bob.page)).getByRole('button', { name: 'Unattend' }).click();
    await expectToast(bob.page, 'Error', 'An error occurred while trying to unattend event');
    await expect(button(bob.page, 'Attending')).toBeVisible();

    await button(ada.page, 'Cancel Event').click();
    await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Event' }).click();
    await expectToast(ada.page, 'Error', 'error cancelling event.');
    await expect(ada.page).toHaveURL(eventPath(row));
  });
}

test.describe('the host', () => {
  test('cancels for good after a confirmation and is shown on the club page [EVENT-32 EVENT-33 EVENT-34 EVENT-35 EVENT-36 EVENT-38 TOAST-24 API-34]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const row = await event(rowers, ada);
    const { page } = ada;
    await page.goto(eventPath(row));
    await expect(button(page, 'Attending')).toHaveCount(0);
    await expect(ada.api.attendance.unattend({ event: row.slug })).rejects.toMatchObject({ status: 400 });
    await button(page, 'Cancel Event').click();
    const dialog = page.getByRole('alertdialog', { name: 'Cancel this event?' });
    await expect(dialog).toContainText('This cannot be undone.');
    await dialog.getByRole('button', { name: 'Keep event' }).click();
    expect((await ada.api.events.get({ event: row.slug })).deleted_at).toBeNull();

    await button(page, 'Cancel Event').click();
    const cancelled = page.waitForResponse(`**/api/v1/events/*/cancel`);
    await dialog.getByRole('button', { name: 'Cancel Event' }).click();
    expect((await cancelled).request().method()).toBe('DELETE');
    expect((await cancelled).status()).toBe(200);
    expect((await (await cancelled).json()).data).toMatchObject({ slug: row.slug });
    await expectToast(page, 'Event cancelled', 'you have cancelled the event.');
    await expect(page).toHaveURL(clubPath(rowers));
    await expect(card(page, 'Tuesday run')).toContainText('CANCELLED');

    await page.goto(eventPath(row));
    await expect(page.getByText('This event has been cancelled')).toBeVisible();
    await expect(page.getByRole('button', { name: /attend|cancel|restore/i })).toHaveCount(0);
    const after = { event: row.slug };
    await expect(ada.api.attendance.attend(after)).rejects.toMatchObject({ status: 409 });
    await expect(ada.api.events.edit({ ...after, club: rowers.id, name: 'On again' })).rejects.toMatchObject({
      status: 409,
    });
  });

  test('sees that cancelling failed and nothing changed [TOAST-25]', async ({ person, club, event }) => {
    const ada = await person('Ada');
    const row = await event(await club([ada]), ada);
    const { page, context } = ada;
    await page.goto(eventPath(row));
    await button(page, 'Cancel Event').click();
    await context.setOffline(true);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Event' }).click();
    await expectToast(page, 'Error', 'error cancelling event.');
    await expect(page).toHaveURL(eventPath(row));
    await expect(button(page, 'Cancel Event')).toBeEnabled();
    await expect(page.getByText('CANCELLED')).toHaveCount(0);
  });

  test('cannot cancel after being ejected meanwhile [TOAST-25 EVENT-39]', async ({ person, club, event }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
    const row = await event(rowers, bob);
    await withoutLive(bob.page);
    await bob.page.goto(eventPath(row));
    await button(bob.page, 'Cancel Event').click();
    await ada.api.members.eject({ club: rowers.id, member: bob.id });
    await bob.page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Event' }).click();
    await expectToast(bob.page, 'Error', 'error cancelling event.');
    await expect(button(bob.page, 'Cancel Event')).toHaveCount(0);

    // After rejoining, the former host is a plain member.
    const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
    await bob.api.invites.join({ invite: invite_link });
    await bob.api.attendance.attend({ event: row.slug });
    await expect(bob.api.events.cancel({ event: row.slug })).rejects.toMatchObject({ status: 403 });
    expect((await ada.api.events.get({ event: row.slug })).deleted_at).toBeNull();
  });
});
