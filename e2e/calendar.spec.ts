import ICAL from 'ical.js';
import type { Locator, Page } from '@playwright/test';
import { button, clubPath, eventPath } from '#e2e/event-page.ts';
import { expect, origin, test } from '#e2e/people.ts';

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

async function openDialog(page: Page, name: string): Promise<Locator> {
  await button(page, name).click();
  await expect(dialog(page, name)).toBeVisible();
  return dialog(page, name);
}

/** Expects that all three links offer the same feed, and returns its address. */
async function feedIn(within: Locator): Promise<string> {
  const apple = within.getByRole('link', { name: 'Apple Calendar or Outlook' });
  await expect(apple).toHaveAttribute('href', /^webcal:\/\//);
  const address = ((await apple.getAttribute('href')) ?? '').replace(/^webcal:/, 'http:');
  const microsoft = await within.getByRole('link', { name: 'Microsoft 365' }).getAttribute('href');
  expect(new URL(microsoft ?? '').searchParams.get('url')).toBe(address);
  await expect(within.getByRole('link', { name: 'Google Calendar' })).toBeVisible();
  return address;
}

/** Fetches a feed like a calendar app, without credentials. */
async function summaries(address: string): Promise<string[]> {
  const response = await fetch(address);
  expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const calendar = new ICAL.Component(ICAL.parse(await response.text()) as unknown[]);
  return calendar.getAllSubcomponents('vevent').map((entry) => new ICAL.Event(entry).summary);
}

test('calendar feeds: a personal feed has the attended events of all clubs; a club feed has all events of the club, at a separate link for each member [CAL-01 CAL-02 CAL-03 CAL-07]', async ({
  ada,
  bob,
  rowers,
  run,
  club,
  event,
}) => {
  await event(rowers, ada, { name: 'Swim' });
  await bob.api.answers.attend({ event: run.slug });
  await event(await club([bob], 'Chess Club'), bob, { name: 'Blitz', startsIn: 48 });
  await bob.page.goto('/app');
  const personal = await feedIn(await openDialog(bob.page, 'My Calendar'));
  expect((await summaries(personal)).sort()).toEqual(['Blitz', run.name]);

  const addresses = new Set<string>();
  for (const { page } of [ada, bob]) {
    await page.goto(clubPath(rowers));
    const address = await feedIn(await openDialog(page, 'Club Calendar'));
    expect((await summaries(address)).sort()).toEqual(['Swim', run.name]);
    addresses.add(address);
  }
  expect(addresses.size).toBe(2);

  await ada.page.reload();
  const invite = await openDialog(ada.page, 'Invite members');
  await invite.getByText('Club Calendar').click();
  expect(addresses).toContain(await feedIn(invite));
});

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('Google: copies the feed address and opens the page where it is to be pasted [CAL-06]', async ({
    ada,
    rowers,
  }) => {
    const { page, context } = ada;
    await context.route('https://calendar.google.com/**', (route) => route.fulfill({ body: 'Google' }));
    await page.goto(clubPath(rowers));
    const calendar = await openDialog(page, 'Club Calendar');
    const opened = context.waitForEvent('page');
    await calendar.getByRole('link', { name: 'Google Calendar' }).click();
    await expect(await opened).toHaveURL(/^https:\/\/calendar\.google\.com\/.*addbyurl$/);
    await page.bringToFront();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await feedIn(calendar));
  });
});

test('one event: can be added by a link to Google, as a file, or by subscribing to all events [CAL-07]', async ({
  ada: { page },
  run,
}) => {
  await page.goto(eventPath(run));
  const choose = async (item: string) => {
    await button(page, 'Add to calendar').click();
    return page.getByRole('menuitem', { name: item });
  };
  const google = new URL((await (await choose('Google Calendar')).getAttribute('href')) ?? '');
  expect(google.searchParams.get('text')).toBe(run.name);
  expect(google.searchParams.get('details')).toContain(origin() + eventPath(run));
  await page.keyboard.press('Escape');
  const downloading = page.waitForEvent('download');
  await (await choose('Download (.ics)')).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe(`${run.slug}.ics`);
  const text = await (await file.createReadStream()).toArray();
  expect(Buffer.concat(text as Buffer[]).toString()).toContain(`SUMMARY:${run.name}\r\n`);
  await (await choose('My Calendar')).click();
  await feedIn(dialog(page, 'My Calendar'));
});
