import ICAL from 'ical.js';
import type { Locator, Page } from '@playwright/test';
import { button, clubPath, eventPath } from '#e2e/event-page.ts';
import { expect, origin, test, type Person } from '#e2e/people.ts';

const permissions = ['clipboard-read', 'clipboard-write'];

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

async function openCalendar(page: Page, name: 'My Calendar' | 'Club Calendar'): Promise<Locator> {
  await button(page, name).click();
  await expect(dialog(page, name)).toBeVisible();
  return dialog(page, name);
}

/** The three calendar links; their order depends on the device. */
const calendarLinks = (within: Locator) => ({
  apple: within.getByRole('link', { name: 'Apple Calendar or Outlook' }),
  microsoft: within.getByRole('link', { name: 'Microsoft 365' }),
  google: within.getByRole('link', { name: 'Google Calendar' }),
});

/** The feed address in the link for Apple and Outlook. */
async function addressIn(within: Locator): Promise<string> {
  const { apple } = calendarLinks(within);
  await expect(apple).toHaveAttribute('href', /^webcal:\/\//);
  return ((await apple.getAttribute('href')) ?? '').replace(/^webcal:/, 'http:');
}

/** Fetches a feed like a calendar app, without credentials. */
async function summaries(address: string): Promise<string[]> {
  const answer = await fetch(address);
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const calendar = new ICAL.Component(ICAL.parse(await answer.text()) as unknown[]);
  return calendar.getAllSubcomponents('vevent').map((entry) => new ICAL.Event(entry).summary);
}

/** Expects that all three links contain the same feed, named `name` in Microsoft's calendar. */
async function expectSameFeed(within: Locator, name: string | RegExp): Promise<string> {
  const address = await addressIn(within);
  const { microsoft, google } = calendarLinks(within);
  const added = new URL((await microsoft.getAttribute('href')) ?? '');
  expect(added.origin + added.pathname).toBe('https://outlook.office.com/calendar/0/addfromweb');
  expect(added.searchParams.get('url')).toBe(address);
  expect(added.searchParams.get('name')).toMatch(name);
  await expect(google).toHaveAttribute(
    'href',
    'https://calendar.google.com/calendar/u/0/r/settings/addbyurl',
  );
  for (const link of [microsoft, google]) await expect(link).toHaveAttribute('target', '_blank');
  return address;
}

/** Ada's club with two events, and Bob's with one. Bob attends one event of each. */
async function bobsWeek(ada: Person, bob: Person, { club, event }: Pick<Fixtures, 'club' | 'event'>) {
  const rowers = await club([ada, bob], 'Harbour Rowers');
  const row = await event(rowers, ada, { name: 'Row' });
  await event(rowers, ada, { name: 'Swim' });
  await bob.api.attendance.attend({ event: row.slug });
  await event(await club([bob], 'Chess Club'), bob, { name: 'Blitz', startsIn: 48 });
  return rowers;
}
type Fixtures = Parameters<Parameters<typeof test>[2]>[0];

test('My Calendar: contains the attended events of all clubs, for every calendar app [CAL-02 CAL-03 CAL-04 CAL-05 CAL-06 CAL-07]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  await bobsWeek(ada, bob, { club, event });
  await bob.page.goto('/app');
  const address = await expectSameFeed(await openCalendar(bob.page, 'My Calendar'), /^My .+ events$/);
  expect((await summaries(address)).sort()).toEqual(['Blitz', 'Row']);
});

test('Club Calendar: contains all events of the club, with a separate link per member [CAL-01 CAL-03 CAL-04 CAL-05 CAL-06 CAL-07]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await bobsWeek(ada, bob, { club, event });
  const addresses = [];
  for (const { page } of [ada, bob]) {
    await page.goto(clubPath(rowers));
    const address = await expectSameFeed(await openCalendar(page, 'Club Calendar'), 'Harbour Rowers');
    expect((await summaries(address)).sort()).toEqual(['Row', 'Swim']);
    addresses.push(address);
  }
  expect(addresses[0]).not.toBe(addresses[1]);
});

test('invite dialog: offers the club calendar [CAL-04 CAL-05 CAL-06 CAL-07]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  await event(rowers, ada, { name: 'Row' });
  await ada.page.goto(clubPath(rowers));
  await button(ada.page, 'Invite members').click();
  const invite = dialog(ada.page, 'Invite members');
  await invite.getByText('Club Calendar').click();
  expect(await summaries(await expectSameFeed(invite, 'Harbour Rowers'))).toEqual(['Row']);
});

test('Google: copies the address and opens the page to paste it into [CAL-06]', async ({ person, club }) => {
  const ada = await person('Ada', { permissions });
  const { page, context } = ada;
  await club([ada]);
  await context.route('https://calendar.google.com/**', (route) => route.fulfill({ body: 'Google' }));
  await page.goto('/app');
  const calendar = await openCalendar(page, 'My Calendar');
  const opened = context.waitForEvent('page');
  await calendarLinks(calendar).google.click();
  await expect(await opened).toHaveURL(/^https:\/\/calendar\.google\.com\/.*addbyurl$/);
  await page.bringToFront();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await addressIn(calendar));
});

test('replaced link: serves cancellations, or 404 when it leaked, and the dialog shows the new link', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const rowers = await club([ada]);
  await event(rowers, ada, { name: 'Row' });
  for (const [path, name] of [
    ['/app', 'My Calendar'],
    [clubPath(rowers), 'Club Calendar'],
  ] as const) {
    await page.goto(path);
    const calendar = await openCalendar(page, name);
    const asking = page.getByRole('alertdialog', { name: 'Replace this link?' });
    const leaked = asking.getByRole('checkbox', { name: 'It leaked' });
    /** Replaces the link and returns the old address. */
    const replace = async (leaks: boolean) => {
      const before = await addressIn(calendar);
      await button(page, 'Replace link').click();
      await expect(leaked).not.toBeChecked();
      if (leaks) await leaked.check();
      await asking.getByRole('button', { name: 'Replace link' }).click();
      await expect(calendar.getByRole('textbox', { name: 'Copy link' })).not.toHaveValue(before);
      await expect(asking).toBeHidden();
      return before;
    };
    const given = await replace(false);
    expect(await summaries(given)).toEqual(['Cancelled']);
    const stolen = await replace(true);
    expect([(await fetch(stolen)).status, (await fetch(given)).status]).toEqual([404, 404]);
    expect(await summaries(await addressIn(calendar))).toEqual(['Row']);
  }
});

test('one event: can be added as a file or by subscribing to all events [CAL-07]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const row = await event(await club([ada]), ada, { name: 'Row' });
  await page.goto(eventPath(row));
  const choose = async (item: string) => {
    await button(page, 'Add to calendar').click();
    return page.getByRole('menuitem', { name: item });
  };
  const google = new URL((await (await choose('Google Calendar')).getAttribute('href')) ?? '');
  expect(google.searchParams.get('text')).toBe('Row');
  expect(google.searchParams.get('details')).toContain(origin() + eventPath(row));
  await page.keyboard.press('Escape');
  const downloading = page.waitForEvent('download');
  await (await choose('Download (.ics)')).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe(`${row.slug}.ics`);
  const text = await (await file.createReadStream()).toArray();
  expect(Buffer.concat(text as Buffer[]).toString()).toContain('SUMMARY:Row\r\n');
  await (await choose('My Calendar')).click();
  await expect(dialog(page, 'My Calendar')).toBeVisible();
  await expectSameFeed(dialog(page, 'My Calendar'), /^My .+ events$/);
});
