import type { Page } from '@playwright/test';
import { button, card, clubPath, eventPath } from '#e2e/event-page.ts';
import { countFriction } from '#e2e/friction.ts';
import { expect, test } from '#e2e/people.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';
import { expectToast } from '#e2e/toast.ts';

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const newEventPath = ({ slug }: { slug: string }) => `/app/${slug}/new-event`;
const editPath = (slug: string) => `/app/events/edit/${slug}`;

test.describe('in London', () => {
  test.use({ timezoneId: 'Europe/London' });

  test('new event: is created by an admin, and the form is removed from the history [EVENTNEW-01 EVENTNEW-04 EVENTNEW-05 EVENTNEW-28 API-28]', async ({
    ada,
    rowers,
  }) => {
    const { page } = ada;
    await page.goto('/app');
    await page.getByRole('link', { name: rowers.club_name }).click();
    await page.getByRole('link', { name: 'New event' }).click();
    await expect(page).toHaveURL(newEventPath(rowers));
    // Until the form is loaded, the page of the club stays visible, whose button leads further back.
    await expect(page.getByRole('heading', { name: 'New event', level: 1 })).toBeVisible();
    await button(page, 'Back').click();
    await expect(page).toHaveURL(clubPath(rowers));
    await page.goForward();
    await button(page, 'More text').click();
    for (const [name, text] of [
      ['Title', 'Night row'],
      ['Location', 'Pier 9'],
      ['Description', 'By the light of the moon'],
      ['Details', 'Bring a lamp.'],
      ['Start', 'Tue 8 June 2027 19:30'],
    ] as const)
      await field(page, name).fill(text);
    await page.locator('summary').click();
    await field(page, 'Sign-up closes').fill('06/07/2027 12:00 PM');
    await page.getByRole('spinbutton', { name: 'Duration' }).fill('90');
    await page.getByRole('combobox', { name: 'Unit' }).selectOption('minutes');
    await expect(page.getByText('Tuesday 8 June 2027, 7:30 pm – 9:00 pm (London time)')).toBeVisible();
    const created = page.waitForResponse((response) => response.request().method() === 'POST');
    await button(page, 'Create Event').click();
    const response = await created;
    expect(response.request().postDataJSON()).toEqual({
      ...emptyEventFields,
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
    const { data } = (await response.json()) as { data: { slug: string } };
    await expect(page).toHaveURL(`${clubPath(rowers)}#new-event`);
    await expect(card(page, 'Night row').getByRole('link')).toHaveAttribute('href', eventPath(data));
    for (const path of [clubPath(rowers), '/app']) {
      await page.goBack();
      await expect(page).toHaveURL(path);
    }
  });
});

test(
  'new event: reusing the time of the last event takes 4 taps and 2 fields on a phone [UX-16]',
  { tag: '@friction' },
  async ({ ada, rowers, event }) => {
    const { page, api } = ada;
    await page.setViewportSize({ width: 390, height: 844 });
    await event(rowers, ada, { startsIn: -1 / 60, lasts: 0 });
    const friction = await countFriction(page);
    await page.goto(clubPath(rowers));
    await page.getByRole('link', { name: 'New event' }).click();
    await field(page, 'Title').fill('Next row');
    await page.getByRole('button', { name: 'as last time' }).click();
    await field(page, 'Location').fill('Pier 3');
    for (const name of ['Title', 'Start', 'Location'])
      await expect(field(page, name)).toBeInViewport({ ratio: 1 });
    await button(page, 'Create Event').click();
    await expect(card(page, 'Next row')).toBeVisible();
    await friction.report('an event at the time of the last one', { taps: 4, fields: 2, screens: 3 });
    const { events } = await api.events.ofClub({ club: rowers.id });
    expect(Date.parse(events[0]?.start_time ?? '')).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
  },
);

test('new event: two paths lead to the same screen, for admins of the club only [EVENTNEW-01 EVENTNEW-02 EVENTNEW-03]', async ({
  ada,
  bob,
  eve,
  rowers,
}) => {
  for (const path of [newEventPath(rowers), `${clubPath(rowers)}/new-event`]) {
    await ada.page.goto(path);
    await expect(ada.page.getByRole('heading', { name: 'New event', level: 1 })).toBeVisible();
    await expect(button(ada.page, 'Create Event')).toBeVisible();
    await bob.page.goto(path);
    await expect(bob.page.getByText("You can't create events in this club")).toBeVisible();
    await eve.page.goto(path);
    await expect(eve.page).toHaveURL('/app');
    await expectToast(eve.page, 'Error', 'Club not found');
  }
});

test('edit event: saves the changes of an admin and shows them on the page [EVENTEDIT-01 EVENTEDIT-07 EVENTEDIT-09 EVENTEDIT-11 API-35]', async ({
  ada,
  run,
}) => {
  const { page } = ada;
  await page.goto(editPath(run.id));
  await expect(field(page, 'Title')).toHaveValue('Tuesday run');
  await page.goto(eventPath(run));
  await page.getByRole('link', { name: 'Edit' }).click();
  await expect(page).toHaveURL(editPath(run.slug));
  await expect(page.getByRole('heading', { name: 'Edit event', level: 1 })).toBeVisible();
  await field(page, 'Title').fill('Wednesday run');
  await field(page, 'Details').fill('Bring a lamp.');
  const saved = page.waitForRequest((request) => request.method() === 'PUT');
  await button(page, 'Update Event').click();
  expect((await saved).postDataJSON()).toEqual({ name: 'Wednesday run', details: 'Bring a lamp.' });
  await expectToast(page, 'Success', 'You have updated this event');
  await expect(page).toHaveURL(eventPath(run));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Wednesday run');
  await expect(page.getByText('Bring a lamp.')).toBeVisible();
});
