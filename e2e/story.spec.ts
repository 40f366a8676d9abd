import ICAL from 'ical.js';
import { codeIn, expect, freshAddress, emailTo, test, type Visitor } from '#e2e/people.ts';

async function logIn({ page }: Visitor, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Enter your code?' });
  await expect(dialog).toBeVisible();
  await dialog.getByRole('textbox').fill(codeIn(await emailTo(email)));
  await dialog.getByRole('button', { name: 'Confirm Code' }).click();
}

interface FeedEvent {
  summary: string;
  start: string;
  end: string;
  sequence: number;
  status: string;
  transparency: string;
}

async function readFeed(address: string): Promise<FeedEvent[]> {
  const answer = await fetch(address.replace(/^webcal:/, 'http:'));
  expect(answer.headers.get('content-type')).toContain('text/calendar');
  const calendar = new ICAL.Component(ICAL.parse(await answer.text()) as unknown[]);
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

/** The feed address that the dialog shows. */
async function feedAddress({ page }: Visitor, button: string): Promise<string> {
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  const address = await dialog.getByRole('link', { name: /Apple/ }).getAttribute('href');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  return address ?? '';
}

test('full story: from an email address to a club in the calendars of its members [GEN-02 GEN-03 LOGIN-01 LOGIN-05 LOGIN-28 LOGIN-31 DATA-01 DATA-02 INVITE-16 CAL-01 CAL-02 CAL-03]', async ({
  visitor,
}) => {
  const clock = { timezoneId: 'Europe/London' };
  const ada = await visitor(clock);
  const bob = await visitor(clock);

  await test.step('Ada logs in with an emailed code', async () => {
    await ada.page.goto('/');
    await ada.page.getByRole('link', { name: 'Get started' }).click();
    await logIn(ada, freshAddress('ada'));
    await expect(ada.page.getByText('Join or create a club to get started!')).toBeVisible();
  });

  await test.step('she creates a club', async () => {
    await ada.page.getByRole('link', { name: 'Create Club' }).click();
    await ada.page.getByLabel('Club Name').fill('Harbour Rowers');
    await ada.page.getByRole('button', { name: 'Create Club' }).click();
    await expect(ada.page).toHaveURL(/\/app\/clubs\/[\w-]+#new-club$/);
    await expect(ada.page.getByRole('heading', { name: 'Harbour Rowers', level: 1 })).toBeVisible();
  });
  const clubPage = new URL(ada.page.url()).pathname;

  await test.step('she enters her name and invites by link', async () => {
    await ada.page
      .getByRole('button', { name: /invite/i })
      .first()
      .click();
    await ada.page.getByRole('link', { name: 'Update Name' }).click();
    await ada.page.getByLabel('First Name').fill('Ada');
    await ada.page.getByLabel('Last Name').fill('Byron');
    await ada.page.getByRole('button', { name: 'Save Changes' }).click();
    await expect(ada.page).toHaveURL('/app');
    await ada.page.goto(clubPage);
  });
  const invite = await test.step('the dialog shows the link', async () => {
    await ada.page
      .getByRole('button', { name: /invite/i })
      .first()
      .click();
    const dialog = ada.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create invite link' }).click();
    const link = dialog.getByRole('textbox', { name: /invite link/i });
    await expect(link).toHaveValue(/\/app\/club\//);
    const address = await link.inputValue();
    await ada.page.keyboard.press('Escape');
    return address;
  });

  await test.step('she creates an event', async () => {
    await ada.page.getByRole('link', { name: 'New event' }).first().click();
    await ada.page.getByLabel('Title').fill('Tuesday row');
    await ada.page.getByLabel('Location').fill('Pier 3');
    await ada.page.getByRole('textbox', { name: 'Start', exact: true }).fill('06/08/2027 07:30 PM');
    await ada.page.getByRole('button', { name: 'Create Event' }).click();
    await expect(ada.page).toHaveURL(new RegExp(`${clubPage}#new-event$`));
  });

  await test.step('Bob opens the link, logs in and comes back to it', async () => {
    await bob.page.goto(invite);
    await expect(bob.page.getByText('You have been invited to join Harbour Rowers')).toBeVisible();
    await bob.page.getByRole('button', { name: 'Accept Invite' }).click();
    await expect(bob.page.getByText('Login to join Harbour Rowers')).toBeVisible();
    const stored = () =>
      bob.page.evaluate(() => ({ path: localStorage['returnUrl'], club: localStorage['clubSlug'] }));
    const slug = clubPage.split('/').at(-1);
    expect(await stored()).toEqual({ path: new URL(invite).pathname, club: slug });
    await logIn(bob, freshAddress('bob'));
    await expect(bob.page).toHaveURL(invite);
    expect(await stored()).toMatchObject({ path: undefined });
  });

  await test.step('he enters his name and joins', async () => {
    await bob.page.getByRole('button', { name: 'Accept Invite' }).click();
    await bob.page.getByLabel('First Name').fill('Bob');
    await bob.page.getByLabel('Last Name').fill('Stone');
    await bob.page.getByRole('dialog').getByRole('button', { name: /join/i }).click();
    await expect(bob.page).toHaveURL(new RegExp(`${clubPage}$`));
  });

  await test.step('he attends the event', async () => {
    await bob.page.getByRole('link', { name: /Tuesday row/ }).click();
    await bob.page.getByRole('button', { name: 'Attend Event' }).click();
    await expect(bob.page.getByRole('button', { name: 'Attending' })).toBeVisible();
  });
  const eventPage = new URL(bob.page.url()).pathname;

  const feeds = await test.step('both subscribe to the feeds', async () => {
    await bob.page.goto('/app');
    const personal = await feedAddress(bob, 'My Calendar');
    await ada.page.goto(clubPage);
    return { personal, club: await feedAddress(ada, 'Club Calendar') };
  });

  const times = {
    start: '2027-06-08T18:30:00.000Z',
    end: '2027-06-08T19:30:00.000Z',
    transparency: 'OPAQUE',
  };
  const first = { summary: 'Tuesday row', status: 'CONFIRMED', ...times };
  // A reader's attendance changes count in the sequence, so the feeds start from different numbers.
  const starts = new Map<string, number>();
  for (const feed of Object.values(feeds)) {
    const entries = await readFeed(feed);
    starts.set(feed, entries[0]?.sequence ?? 0);
    expect(entries).toEqual([{ ...first, sequence: starts.get(feed) }]);
  }
  const expectEntry = async (entry: object, changes: number) => {
    for (const [feed, start] of starts)
      expect(await readFeed(feed)).toEqual([{ ...entry, sequence: start + changes }]);
  };

  await test.step('a renamed event changes in the feeds', async () => {
    await ada.page.goto(eventPage);
    await ada.page.getByRole('link', { name: 'Edit' }).click();
    await ada.page.getByLabel('Title').fill('Tuesday row and picnic');
    await ada.page.getByRole('button', { name: 'Update Event' }).click();
    await expect(ada.page.getByRole('heading', { name: 'Tuesday row and picnic', level: 1 })).toBeVisible();
  });
  const second = { ...first, summary: 'Tuesday row and picnic' };
  await expectEntry(second, 1);

  await test.step('a cancelled event is cancelled in the feeds', async () => {
    await ada.page.getByRole('button', { name: 'Cancel Event' }).click();
    await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Cancel event' }).click();
    await expect(ada.page).toHaveURL(new RegExp(`${clubPage}$`));
  });
  const third = {
    ...second,
    summary: 'Cancelled: Tuesday row and picnic',
    status: 'CANCELLED',
    transparency: 'TRANSPARENT',
  };
  await expectEntry(third, 2);
});
