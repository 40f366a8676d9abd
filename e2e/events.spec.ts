import { withoutSsr } from '#e2e/answer.ts';
import type { Locator, Page } from '@playwright/test';
import { attendees, button, card, clubPath, eventPath, fact } from '#e2e/event-page.ts';
import { expect, origin, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const edit = ({ page }: Person) => page.getByRole('link', { name: 'Edit' });
const when = (page: Page) => fact(page, 'Date and time');
const struck = (text: Locator) => expect(text).toHaveCSS('text-decoration-line', 'line-through');

const shared = (page: Page) => page.evaluate(() => (window as { shared?: ShareData }).shared);
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const share = (page: Page, outcome: 'taken' | 'refused') =>
  page.addInitScript((how) => {
    navigator.share = async (data) => {
      (window as { shared?: ShareData }).shared = data ?? {};
      if (how === 'refused') throw new DOMException('No app takes it', 'NotAllowedError');
    };
  }, outcome);

test.describe('event page', () => {
  test('shows name, place, host and attendees [EVENT-01 EVENT-06 EVENT-07 EVENT-08 EVENT-09 EVENT-10 SEO-05 API-29]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    const words = { name: 'Night row', location_name: 'Pier 9', details: 'Bring a lamp.' };
    const row = await event(rowers, ada, words);
    await bob.api.attendance.attend({ event: row.slug });
    const { page } = bob;
    await withoutSsr(bob.context);
    const loaded = page.waitForResponse(`**/api/v1/events/${row.slug}`);
    await page.goto(eventPath(row));
    const answer = await loaded;
    expect(answer.request().method()).toBe('GET');
    expect((await answer.json()).data).toMatchObject(words);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Night row');
    await expect(page).toHaveTitle(/Night row/);
    await expect(fact(page, 'Host')).toContainText('Ada');
    await expect(fact(page, 'Location')).toContainText('Pier 9');
    await expect(page.getByRole('region', { name: 'Details' })).toContainText('Bring a lamp.');
    await expect(attendees(page)).toHaveCount(2);
    await expect(attendees(page).filter({ hasText: 'Ada' })).toContainText('Organiser');
    await expect(attendees(page).filter({ hasText: 'Bob' })).not.toContainText('Organiser');
  });

  test('leads home without a slug and when it does not load [EVENT-02 EVENT-03]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada');
    await club([ada]);
    for (const path of ['/app/events', '/app/events/', '/app/events/no-such-event']) {
      await ada.page.goto(path);
      await expect(ada.page).toHaveURL('/app');
      await expect(ada.page.getByRole('heading', { name: 'Welcome, Ada' })).toBeVisible();
    }
  });

  test('accepts any 2xx, as does saving a club [API-04]', async ({ person, club, event }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const row = await event(rowers, ada);
    await withoutSsr(ada.context);
    for (const [address, status] of [
      [`**/api/v1/events/${row.slug}`, 203],
      ['**/api/v1/clubs/*', 202],
    ] as const) {
      await ada.page.route(address, async (route) => {
        await route.fulfill({ response: await route.fetch(), status });
      });
    }
    await ada.page.goto(eventPath(row));
    await expect(ada.page.getByRole('heading', { level: 1 })).toHaveText('Tuesday run');
    await ada.page.goto(`${clubPath(rowers)}/edit`);
    await ada.page.getByLabel(/Name/).first().fill('Pier Rowers');
    const saved = ada.page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await ada.page.getByRole('button', { name: /Update|Save/ }).click();
    expect((await saved).status()).toBe(202);
    await expect(ada.page).toHaveURL(clubPath(rowers));
    await expect(ada.page.getByRole('heading', { level: 1 })).toHaveText('Pier Rowers');
  });

  test('links the events that the viewer attends at the same time [EVENT-04 EVENT-05 EVENT-26]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    const run = await event(rowers, ada, { name: 'Long run', startsIn: 24, lasts: 3 });
    const swim = await event(rowers, ada, { name: 'Swim', startsIn: 25 });
    await bob.api.attendance.attend({ event: run.slug });
    const { page } = bob;
    await page.goto(clubPath(rowers));
    await expect(card(page, 'Swim')).toContainText('Conflicting Event');
    await expect(card(page, 'Long run')).not.toContainText('Conflicting Event');
    await card(page, 'Swim').getByRole('link').click();
    await expect(page).toHaveURL(eventPath(swim));
    await expect(page.getByText('You attend this at the same time:')).toBeVisible();
    await page.getByRole('link', { name: 'Long run' }).click();
    await expect(page).toHaveURL(eventPath(run));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Long run');
    await expect(page.getByText('at the same time')).toHaveCount(0);
  });

  test('links the edit form for admins only [EVENT-11]', async ({ person, club, event }) => {
    const [ada, bob, eve] = [await person('Ada'), await person('Bob'), await person('Eve')];
    const rowers = await club([ada, bob]);
    const row = await event(rowers, ada);
    for (const { page } of [ada, bob, eve]) {
      await page.goto(eventPath(row));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    }
    await expect(edit(ada)).toHaveAttribute('href', `/app/events/edit/${row.slug}`);
    await expect(edit(bob)).toHaveCount(0);
    await expect(edit(eve)).toHaveCount(0);
  });

  test('shows day and time in the time zone of the viewer and in British format [EVENT-19 EVENT-20 CONST-10]', async ({
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
      ['2027-06-07T09:00:00Z', 'Tomorrow'],
      ['2027-06-08T09:00:00Z', 'Today'],
    ] as const) {
      await ada.page.clock.setFixedTime(today);
      await ada.page.goto(eventPath(row));
      await expect(when(ada.page).getByRole('time')).toHaveText(day);
      await expect(when(ada.page)).toContainText('7:30 pm – 9:00 pm (1 h 30 min)');
    }
    await expect(when(ada.page)).not.toContainText('At the event:');
    await bob.page.goto(eventPath(row));
    await expect(when(bob.page)).toContainText('2:30 pm – 4:00 pm');
    await expect(when(bob.page)).toContainText('7:30 pm – 9:00 pm (BST)');
    await bob.page.goto(clubPath(rowers));
    await expect(card(bob.page, 'Evening row')).toContainText('Tue 8 Jun');
  });

  test('hides people and details from outsiders', async ({ person, club, event }) => {
    const [ada, eve] = [await person('Ada'), await person('Eve')];
    const row = await event(await club([ada]), ada, { details: 'Bring a lamp.' });
    await eve.page.goto(eventPath(row));
    await expect(eve.page.getByText('This is a preview')).toBeVisible();
    await expect(eve.page.getByText('1 going')).toBeVisible();
    await expect(eve.page.getByText('Ada')).toHaveCount(0);
    await expect(eve.page.getByText('Bring a lamp.')).toHaveCount(0);
    await expect(button(eve.page, 'Attend Event')).toHaveCount(0);
  });
});

test.describe('back from an event', () => {
  test('goes one step back in the history [EVENT-15]', async ({ person, club, event }) => {
    const ada = await person('Ada');
    await event(await club([ada]), ada);
    await ada.page.goto('/app');
    await card(ada.page, 'Tuesday run').getByRole('link').click();
    await expect(ada.page).toHaveURL(/\/app\/events\//);
    await button(ada.page, 'Back').click();
    await expect(ada.page).toHaveURL('/app');
    await ada.page.goForward();
    await expect(ada.page).toHaveURL(/\/app\/events\//);
  });

  test('leads to the club, or home for an outsider, when the page was opened by a link [EVENT-13 EVENT-14]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, eve] = [await person('Ada'), await person('Eve')];
    const rowers = await club([ada]);
    const row = await event(rowers, ada);
    for (const [{ page }, there] of [
      [ada, clubPath(rowers)],
      [eve, '/app'],
    ] as const) {
      await page.goto(eventPath(row));
      await button(page, 'Back').click();
      await expect(page).toHaveURL(there);
    }
  });

  test('skips the form after an edit [EVENT-12]', async ({ person, club, event }) => {
    const ada = await person('Ada');
    const row = await event(await club([ada]), ada);
    const { page } = ada;
    await page.goto('/app');
    await card(page, 'Tuesday run').getByRole('link').click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Wednesday run');
    await button(page, 'Update Event').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Wednesday run');
    await expect(page).toHaveURL(eventPath(row));
    await button(page, 'Back').click();
    await expect(page).toHaveURL('/app');
  });
});

test.describe('sharing an event', () => {
  const permissions = ['clipboard-read', 'clipboard-write'];

  test('uses the share dialog of the device if it has one [EVENT-16 EVENT-17]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const row = await event(await club([ada]), ada);
    await share(ada.page, 'taken');
    await ada.page.goto(eventPath(row));
    await button(ada.page, 'Share').click();
    expect(await shared(ada.page)).toEqual({
      title: 'Check out this event!',
      text: 'Tuesday run',
      url: origin() + eventPath(row),
    });
  });

  test('copies the link when the share dialog fails [EVENT-18 TOAST-32]', async ({ person, club, event }) => {
    const ada = await person('Ada', { permissions });
    const row = await event(await club([ada]), ada);
    await share(ada.page, 'refused');
    await ada.page.goto(eventPath(row));
    await button(ada.page, 'Share').click();
    await expectToast(ada.page, 'Link copied to clipboard!', 'You can now share it with your friends.');
    expect(await shared(ada.page)).toBeDefined();
    expect(await copied(ada.page)).toBe(origin() + eventPath(row));
  });

  test('copies the link when the device has no share dialog [EVENT-16 TOAST-32]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada', { permissions });
    const row = await event(await club([ada]), ada);
    await ada.page.goto(eventPath(row));
    await button(ada.page, 'Share').click();
    await expectToast(ada.page, 'Link copied to clipboard!', 'You can now share it with your friends.');
    expect(await copied(ada.page)).toBe(origin() + eventPath(row));
  });
});

test.describe('event card', () => {
  test('shows whether sign-up is still open [EVENT-21 EVENT-22 EVENT-23 EVENT-27]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const description = `${'a'.repeat(69)}b${'c'.repeat(30)}`;
    await event(rowers, ada, { name: 'Far', startsIn: 96, entryUntilIn: 49, description });
    await event(rowers, ada, { name: 'Near', startsIn: 96, entryUntilIn: 47 });
    await event(rowers, ada, { name: 'Shut', startsIn: 96, entryUntilIn: -1 });
    const { page } = ada;
    await page.goto(clubPath(rowers));
    await expect(card(page, 'Far').getByText('Open', { exact: true })).toBeVisible();
    await expect(card(page, 'Near').getByText('Closes Soon', { exact: true })).toBeVisible();
    await expect(card(page, 'Shut').getByText('Closed', { exact: true })).toBeVisible();
    await expect(card(page, 'Far').getByText(/^a+b…$/)).toHaveText(`${description.slice(0, 70)}…`);
  });

  test('is listed under Upcoming, In Progress or Previous [CLUB-10 CLUB-11 CLUB-12]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    await event(rowers, ada, { name: 'Later', startsIn: 1 });
    await event(rowers, ada, { name: 'Now', startsIn: -0.05, lasts: 1 });
    await event(rowers, ada, { name: 'Before', startsIn: -0.05, lasts: 0.02 });
    await ada.page.goto(clubPath(rowers));
    for (const [group, name] of [
      ['Upcoming', 'Later'],
      ['In Progress', 'Now'],
      ['Previous', 'Before'],
    ] as const) {
      const region = ada.page.getByRole('region', { name: group, exact: true });
      await expect(region.getByRole('article').getByRole('heading')).toHaveText([name]);
    }
  });

  test('is struck through for a cancelled event, as is its page [EVENT-24 EVENT-25]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const words = { name: 'Night row', description: 'By the light of the moon', details: 'Bring a lamp.' };
    const row = await event(rowers, ada, words);
    await event(rowers, ada, { name: 'Day row' });
    await ada.api.events.cancel({ event: row.slug });
    const { page } = ada;
    await page.goto(clubPath(rowers));
    await expect(card(page, 'Night row').getByText('CANCELLED', { exact: true })).toBeVisible();
    await expect(card(page, 'Day row').getByText('CANCELLED')).toHaveCount(0);
    await struck(card(page, 'Night row').getByRole('heading'));
    await struck(card(page, 'Night row').getByText(words.description));
    await page.goto(eventPath(row));
    await expect(page.getByText('CANCELLED', { exact: true })).toBeVisible();
    await struck(page.getByRole('heading', { level: 1 }));
    await struck(page.getByText(words.description));
    await struck(page.getByText(words.details));
  });
});
