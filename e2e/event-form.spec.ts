import type { Page } from '@playwright/test';
import { button, card, clubPath, eventPath } from '#e2e/event-page.ts';
import { withoutLive } from '#e2e/bell.ts';
import { expect, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const form = (page: Page) => ({
  title: field(page, 'Title'),
  location: field(page, 'Location'),
  start: field(page, 'Start'),
  closes: field(page, 'Sign-up closes'),
  duration: page.getByRole('spinbutton', { name: 'Duration' }),
  unit: page.getByRole('combobox', { name: 'Unit' }),
  create: button(page, 'Create Event'),
});
const newEventPath = ({ slug }: { slug: string }) => `/app/${slug}/new-event`;
const editPath = ({ slug }: { slug: string }) => `/app/events/edit/${slug}`;
const faults = {
  missing: ['Missing fields', 'Please complete all required fields'],
  wrong: ['Form errors', 'Please complete all required fields and ensure the start date is in the future'],
  late: ['Start date error', 'The start date must be in the future'],
} as const;
const steps = (from: number, to: number, step: number) =>
  Array.from({ length: (to - from) / step + 1 }, (_, place) => from + place * step);
const london = { timezoneId: 'Europe/London' };

/** Counts the create requests of the page. */
function creations(page: Page) {
  const seen = { calls: 0 };
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/events')) seen.calls += 1;
  });
  return seen;
}

test.describe('a new event', () => {
  test('is created by an admin, and the form is removed from the history [EVENTNEW-01 EVENTNEW-04 EVENTNEW-10 EVENTNEW-28 API-28]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada', london);
    const rowers = await club([ada]);
    const { page } = ada;
    await page.goto('/app');
    await page.getByRole('link', { name: rowers.club_name }).click();
    await page.getByRole('link', { name: 'New event' }).click();
    await expect(page).toHaveURL(newEventPath(rowers));
    await expect(page.getByRole('heading', { name: 'New event', level: 1 })).toBeVisible();
    const { title, location, start, closes, duration, unit, create } = form(page);
    await title.fill('Night row');
    await location.fill('Pier 9');
    await field(page, 'Description').fill('By the light of the moon');
    await field(page, 'Details').fill('Bring a lamp.');
    await start.fill('06/08/2027 07:30 PM');
    await closes.fill('06/07/2027 12:00 PM');
    await duration.fill('90');
    await expect(unit.getByRole('option')).toHaveText(['minutes', 'hours', 'days']);
    await unit.selectOption('minutes');
    await expect(page.getByText('Ends Tuesday 8 June 2027, 9:00 pm (1 h 30 min)')).toBeVisible();
    const created = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await create.click();
    const answer = await created;
    expect(new URL(answer.url()).pathname).toBe(`/api/v1/clubs/${rowers.id}/events`);
    expect(answer.ok()).toBe(true);
    expect(answer.request().postDataJSON()).toEqual({
      clubId: rowers.id,
      slug: 'night-row',
      name: 'Night row',
      location_name: 'Pier 9',
      description: 'By the light of the moon',
      details: 'Bring a lamp.',
      start_time: '2027-06-08T18:30:00.000Z',
      end_time: '2027-06-08T20:00:00.000Z',
      entry_until_time: '2027-06-07T11:00:00.000Z',
      time_zone: 'Europe/London',
    });
    const { data } = (await answer.json()) as { data: { slug: string } };
    expect(data.slug).toMatch(/^night-row-[a-z2-7]{10}$/);
    await expect(page).toHaveURL(`${clubPath(rowers)}#new-event`);
    await expect(card(page, 'Night row').getByRole('link')).toHaveAttribute('href', eventPath(data));
    await page.goBack();
    await expect(page).toHaveURL(clubPath(rowers));
    await page.goBack();
    await expect(page).toHaveURL('/app');
  });

  test('has two paths to one screen, for admins of the club only [EVENTNEW-01 EVENTNEW-02 EVENTNEW-03]', async ({
    person,
    club,
  }) => {
    const [ada, bob, eve] = [await person('Ada'), await person('Bob'), await person('Eve')];
    const rowers = await club([ada, bob]);
    await club([eve], 'Chess Club');
    for (const path of [newEventPath(rowers), `${clubPath(rowers)}/new-event`]) {
      await ada.page.goto(path);
      await expect(form(ada.page).create).toBeVisible();
      await bob.page.goto(path);
      await expect(bob.page.getByText('Only club admins can create events')).toBeVisible();
      await expect(form(bob.page).create).toHaveCount(0);
      await eve.page.goto(path);
      await expect(eve.page).toHaveURL('/app');
      await expectToast(eve.page, 'Error', 'Club not found');
    }
  });

  test('goes one step back with Back [EVENTNEW-05]', async ({ person, club }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const { page } = ada;
    await page.goto(clubPath(rowers));
    await page.getByRole('link', { name: 'New event' }).click();
    await expect(page).toHaveURL(newEventPath(rowers));
    await button(page, 'Back').click();
    await expect(page).toHaveURL(clubPath(rowers));
    await page.goForward();
    await expect(page).toHaveURL(newEventPath(rowers));
  });

  test('defaults to one hour from now, with sign-up closing at the start even when that moves [EVENTNEW-06 EVENTNEW-07 EVENTNEW-08 EVENTNEW-09 EVENTNEW-11 EVENTNEW-25]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada', london);
    const rowers = await club([ada]);
    const { page } = ada;
    await page.clock.setFixedTime('2027-06-08T18:27:40Z');
    await page.goto(newEventPath(rowers));
    const { start, closes, duration, unit } = form(page);
    await expect(start).toHaveValue('06/08/2027 07:30 PM');
    await expect(start).toHaveAttribute('placeholder', 'MM/dd/yyyy hh:mm aa');
    await expect(closes).toHaveValue('06/08/2027 07:30 PM');
    await expect(duration).toHaveValue('1');
    await expect(unit).toHaveValue('hours');
    await expect(page.getByText('Ends today, 8:30 pm (1 h)')).toBeVisible();
    await closes.fill('06/08/2027 07:00 PM');
    await start.fill('06/09/2027 06:05 AM');
    await expect(closes).toHaveValue('06/09/2027 06:05 AM');
    await expect(page.getByText('Ends tomorrow, 7:05 am (1 h)')).toBeVisible();
    await unit.selectOption('days');
    await expect(page.getByText('Ends Thursday 10 June 2027, 6:05 am (1 day)')).toBeVisible();
  });

  test('takes a duration of 0 or more [EVENTNEW-12 EVENTNEW-13]', async ({ person, club }) => {
    const ada = await person('Ada');
    const { page } = ada;
    await page.goto(newEventPath(await club([ada])));
    const { duration } = form(page);
    await duration.fill('-3');
    await expect(duration).toHaveValue('0');
    await expect(button(page, 'Less')).toBeDisabled();
    await duration.press('ArrowDown');
    await expect(duration).toHaveValue('0');
    await button(page, 'More').click();
    await expect(duration).toHaveValue('1');
    await duration.fill('two');
    await expect(duration).toHaveValue('0');
    await expect(page.getByText('(0 min)')).toBeVisible();
  });

  test('offers pickers for day and time [EVENTNEW-25 EVENTNEW-26 EVENTNEW-27]', async ({ person, club }) => {
    const ada = await person('Ada', london);
    const { page } = ada;
    await page.clock.setFixedTime('2027-06-08T18:27:40Z');
    await page.goto(newEventPath(await club([ada])));
    await button(page, 'Pick date and time').first().click();
    const picker = page.getByRole('dialog', { name: 'Pick date and time' });
    const options = (name: string) => picker.getByRole('combobox', { name }).getByRole('option');
    await expect(options('Hour')).toHaveText(steps(1, 12, 1).map(String));
    await expect(options('Minute')).toHaveText(steps(0, 55, 5).map((each) => String(each).padStart(2, '0')));
    await expect(options('AM or PM')).toHaveText(['AM', 'PM']);
    await picker.getByRole('button', { name: 'Saturday 12 June 2027' }).click();
    await picker.getByRole('combobox', { name: 'Hour' }).selectOption('9');
    await picker.getByRole('combobox', { name: 'Minute' }).selectOption('45');
    await picker.getByRole('combobox', { name: 'AM or PM' }).selectOption('AM');
    await expect(form(page).start).toHaveValue('06/12/2027 09:45 AM');
    await page.keyboard.press('Escape');
    await expect(picker).toBeHidden();
  });

  test('names missing fields and sends nothing [EVENTNEW-15 EVENTNEW-16 EVENTNEW-17 EVENTNEW-21 EVENTNEW-22 EVENTNEW-23 EVENTNEW-24]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada');
    const { page } = ada;
    await page.goto(newEventPath(await club([ada])));
    const { title, location, start, create } = form(page);
    const seen = creations(page);
    const [past, ahead] = ['01/01/2020 10:00 AM', '01/01/2099 10:00 AM'];
    await expect(title).toHaveJSProperty('required', true);
    await expect(location).toHaveJSProperty('required', true);
    for (const [name, place, begins, fault] of [
      ['', '', ahead, 'missing'],
      ['Row', '', past, 'wrong'],
      ['Row', '', ahead, 'missing'],
      ['', 'Pier', past, 'wrong'],
      ['', 'Pier', ahead, 'missing'],
      ['Row', 'Pier', past, 'late'],
      ['', '', past, 'wrong'],
      ['Row', 'Pier', 'next week', 'late'],
    ] as const) {
      await title.fill(name);
      await location.fill(place);
      await start.fill(begins);
      await create.click();
      const [heading, text] = faults[fault];
      await expectToast(page, heading, text);
    }
    await expect(page).toHaveURL(/\/new-event$/);
    expect(seen.calls).toBe(0);
  });

  test('rejects a start that has just passed [EVENTNEW-17 EVENTNEW-22]', async ({ person, club }) => {
    const ada = await person('Ada', london);
    const { page } = ada;
    await page.clock.setFixedTime('2027-06-08T18:27:40Z');
    await page.goto(newEventPath(await club([ada])));
    const { title, location, start, create } = form(page);
    const seen = creations(page);
    await title.fill('Row');
    await location.fill('Pier');
    await start.fill('06/08/2027 07:27 PM');
    await create.click();
    await expectToast(page, 'Start date error', 'The start date must be in the future');
    expect(seen.calls).toBe(0);
    await start.fill('06/08/2027 07:28 PM');
    await create.click();
    await expect(page).toHaveURL(/#new-event$/);
    expect(seen.calls).toBe(1);
  });

  test('needs no description, details or duration, and shows Creating meanwhile [EVENTNEW-14 EVENTNEW-18 EVENTNEW-19 EVENTNEW-20]', async ({
    person,
    club,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const { page } = ada;
    await page.goto(newEventPath(rowers));
    const { title, location, duration, create } = form(page);
    const seen = creations(page);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/api/v1/clubs/${rowers.id}/events`, async (route) => {
      await released;
      await route.continue();
    });
    await title.fill('Row');
    await location.fill('Pier');
    await duration.fill('0');
    await create.click();
    await expect(page.getByRole('button', { name: 'Creating' })).toBeVisible();
    await page.keyboard.press('Enter');
    release();
    await expect(page).toHaveURL(`${clubPath(rowers)}#new-event`);
    expect(seen.calls).toBe(1);
    const [row] = (await ada.api.clubs.get({ club: rowers.id })).events;
    expect(row).toMatchObject({ name: 'Row', description: '', end_time: row?.start_time });
  });

  test('shows an error and keeps the input when the server rejects it [TOAST-20]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    const rank = (role: 0 | 200) => ada.api.members.changeRole({ club: rowers.id, member: bob.id, role });
    await rank(200);
    const { page } = bob;
    await withoutLive(page);
    await page.goto(newEventPath(rowers));
    const { title, location, create } = form(page);
    await title.fill('Row');
    await location.fill('Pier');
    await rank(0);
    await create.click();
    await expectToast(page, 'Error creating event', 'Please try again or contact support');
    await expect(title).toHaveValue('Row');
    await rank(200);
    await create.click();
    await expect(page).toHaveURL(`${clubPath(rowers)}#new-event`);
  });
});

test.describe('editing an event', () => {
  test('saves the changes of an admin and shows them on the page [EVENTEDIT-01 EVENTEDIT-02 EVENTEDIT-03 EVENTEDIT-04 EVENTEDIT-05 EVENTEDIT-07 EVENTEDIT-09 EVENTEDIT-11 TOAST-34 API-35]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const row = await event(rowers, ada, { description: 'At noon', details: 'Bring water.' });
    const { page } = ada;
    await page.goto(eventPath(row));
    await page.getByRole('link', { name: 'Edit' }).click();
    await expect(page).toHaveURL(editPath(row));
    await expect(page.getByRole('heading', { name: 'Edit event', level: 1 })).toBeVisible();
    for (const [name, value] of [
      ['Title', 'Tuesday run'],
      ['Description', 'At noon'],
      ['Details', 'Bring water.'],
      ['Location', 'Pier 3'],
    ] as const) {
      await expect(field(page, name)).toHaveValue(value);
      await expect(field(page, name)).toHaveJSProperty('required', true);
    }
    await expect(field(page, 'Details')).toHaveJSProperty('tagName', 'TEXTAREA');
    await field(page, 'Title').fill('Wednesday run');
    await field(page, 'Details').fill('Bring a lamp.');
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await button(page, 'Update Event').click();
    const answer = await saved;
    expect(new URL(answer.url()).pathname).toMatch(/^\/api\/v1\/events\/[\w-]+\/edit\/[\w-]+$/);
    expect(answer.request().postDataJSON()).toEqual({ name: 'Wednesday run', details: 'Bring a lamp.' });
    expect(answer.ok()).toBe(true);
    await expectToast(page, 'Success', 'You have updated this event');
    await expect(page).toHaveURL(eventPath(row));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Wednesday run');
    await expect(page.getByText('Bring a lamp.')).toBeVisible();
  });

  test('allows empty fields and sends only changed ones [EVENTEDIT-08 EVENTEDIT-09]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const row = await event(await club([ada]), ada, { description: 'At noon', details: 'Bring water.' });
    const { page } = ada;
    const save = async () => {
      const sent = page.waitForRequest((request) => request.method() === 'PUT');
      await button(page, 'Update Event').click();
      return (await sent).postDataJSON() as unknown;
    };
    await page.goto(editPath(row));
    for (const name of ['Description', 'Details', 'Location']) await field(page, name).fill('');
    expect(await save()).toEqual({ description: '', details: '', location_name: '' });
    await expect(page).toHaveURL(eventPath(row));
    await page.goto(editPath(row));
    await field(page, 'Title').fill('Wednesday run');
    await field(page, 'Title').fill('Tuesday run');
    expect(await save()).toEqual({});
    await expectToast(page, 'Success', 'You have updated this event');
    await page.goto(editPath(row));
    await field(page, 'Title').fill('');
    expect(await save()).toEqual({ name: '' });
    await expectToast(page, 'Error', 'There was an error updating this event');
    await expect(page).toHaveURL(editPath(row));
  });

  test('goes back to the page of the event [EVENTEDIT-06]', async ({ person, club, event }) => {
    const ada = await person('Ada');
    const row = await event(await club([ada]), ada);
    await ada.page.goto(editPath(row));
    await button(ada.page, 'Back').click();
    await expect(ada.page).toHaveURL(eventPath(row));
  });

  test('works by id as well, and for admins only [EVENTEDIT-01 EVENTEDIT-10]', async ({
    person,
    club,
    event,
  }) => {
    const [ada, bob, eve] = [await person('Ada'), await person('Bob'), await person('Eve')];
    const row = await event(await club([ada, bob]), ada);
    await ada.page.goto(editPath({ slug: row.id }));
    await expect(field(ada.page, 'Title')).toHaveValue('Tuesday run');
    for (const { page } of [bob, eve]) {
      await page.goto(editPath(row));
      await expect(page.getByText('Only club admins can edit events')).toBeVisible();
      await expect(page.getByRole('textbox')).toHaveCount(0);
      await expect(button(page, 'Update Event')).toHaveCount(0);
    }
  });

  test('redirects to the slug in the response [EVENTEDIT-12]', async ({ person, club, event }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const [row, other] = [await event(rowers, ada), await event(rowers, ada, { name: 'Swim' })];
    const { page } = ada;
    await page.route(`**/api/v1/events/${row.slug}/edit/*`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, status: 202, json: { data: other.slug, status: 202, error: null } });
    });
    await page.goto(editPath(row));
    await field(page, 'Title').fill('Wednesday run');
    await button(page, 'Update Event').click();
    await expect(page).toHaveURL(eventPath(other));
  });

  test('changes nothing when the event was cancelled meanwhile [TOAST-33]', async ({
    person,
    club,
    event,
  }) => {
    const ada = await person('Ada');
    const row = await event(await club([ada]), ada);
    const { page } = ada;
    await page.goto(editPath(row));
    await field(page, 'Title').fill('Wednesday run');
    await ada.api.events.cancel({ event: row.slug });
    await button(page, 'Update Event').click();
    await expectToast(page, 'Error', 'There was an error updating this event');
    await expect(page).toHaveURL(editPath(row));
    await expect(field(page, 'Title')).toHaveValue('Wednesday run');
    await page.goto(editPath(row));
    await expect(page.getByText('This event has been cancelled')).toBeVisible();
    await expect(page.getByRole('textbox')).toHaveCount(0);
  });
});
