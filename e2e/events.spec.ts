import type { Page } from '@playwright/test';
import { setServerTime } from '#e2e/answer.ts';
import { attendees, button, card, clubPath, eventPath, fact } from '#e2e/event-page.ts';
import { expect, origin, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const when = (page: Page) => fact(page, 'Date and time');

test('event page: shows day and time in the time zone of the viewer and in British format [EVENT-01 EVENT-19 EVENT-20 CONST-10]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { timezoneId: 'Europe/London' });
  const bob = await person('Bob', { timezoneId: 'America/New_York' });
  const rowers = await club([ada, bob]);
  const row = await ada.api.events.create({
    club: rowers.id,
    name: 'Evening row',
    location_name: 'Pier 3',
    start_time: '2027-06-08T18:30:00.000Z',
    end_time: '2027-06-08T20:00:00.000Z',
    time_zone: 'Europe/London',
  });
  for (const [today, day] of [
    ['2027-06-01T09:00:00Z', 'Tuesday 8 June 2027'],
    ['2027-06-08T09:00:00Z', 'Today'],
  ] as const) {
    await setServerTime(ada.context, today);
    await ada.page.goto(eventPath(row));
    await expect(when(ada.page).getByRole('time')).toHaveText(day);
    await expect(when(ada.page)).toContainText('7:30 pm – 9:00 pm (1 h 30 min)');
  }
  await expect(when(ada.page)).not.toContainText('in London');
  await expect(attendees(ada.page)).toHaveCount(1);
  await bob.page.goto(eventPath(row));
  await expect(when(bob.page)).toContainText('2:30 pm – 4:00 pm');
  await expect(when(bob.page)).toContainText('(7:30 pm – 9:00 pm in London)');
  await bob.page.goto(clubPath(rowers));
  await expect(card(bob.page, 'Evening row')).toContainText('Tue 8 Jun');
});

test('event page: redirects home if the path has no slug or the event does not load, and says why [EVENT-02 EVENT-03 UX-35]', async ({
  ada,
}) => {
  for (const path of ['/app/events', '/app/events/', '/app/events/no-such-event']) {
    await ada.page.goto(path);
    await expect(ada.page).toHaveURL('/app');
    await expect(ada.page.getByText('Join or create a club to get started!')).toBeVisible();
  }
  const notice = ada.page.getByText('We could not find that event, or you are not in its club.');
  await expect(notice).toBeVisible();
  await ada.page.getByRole('link', { name: 'Create Club' }).click();
  await expect(ada.page).toHaveURL('/app/new-club');
  await ada.page.goBack();
  await expect(ada.page).toHaveURL('/app');
  await expect(notice).toHaveCount(0);
});

test('back from an event: goes one step back, and skips the form after an edit [EVENT-12 EVENT-15]', async ({
  ada,
  run,
}) => {
  const { page } = ada;
  await page.goto('/app');
  await card(page, run.name).getByRole('link').click();
  await expect(page).toHaveURL(eventPath(run));
  await button(page, 'Back').click();
  await expect(page).toHaveURL('/app');
  await page.goForward();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Title').fill('Wednesday run');
  await button(page, 'Update Event').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Wednesday run');
  await expect(page).toHaveURL(eventPath(run));
  await button(page, 'Back').click();
  await expect(page).toHaveURL('/app');
});

test('back from an event: leads to the club, or home for an outsider, when the page was opened by a link [EVENT-13 EVENT-14]', async ({
  ada,
  eve,
  rowers,
  run,
}) => {
  for (const [{ page }, there] of [
    [ada, clubPath(rowers)],
    [eve, '/app'],
  ] as const) {
    await page.goto(eventPath(run));
    await button(page, 'Back').click();
    await expect(page).toHaveURL(there);
  }
});

test.describe('sharing an event', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('copies the link when the device has no share dialog [EVENT-16 TOAST-32]', async ({ ada, run }) => {
    await ada.page.goto(eventPath(run));
    await button(ada.page, 'Share').click();
    await expectToast(ada.page, 'Link copied to clipboard!', 'You can now share it with your friends.');
    const copied = await ada.page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(origin() + eventPath(run));
  });
});
