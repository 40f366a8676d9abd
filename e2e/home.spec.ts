import { withoutSsr } from '#e2e/answer.ts';
import { expect, test } from '#e2e/people.ts';

test('home: shows a server problem when the user does not load, and one action without a club [HOME-01 HOME-02 HOME-03 HOME-04 HOME-16 HOME-17 HOME-18 HOME-19 HOME-20 HOME-21 CHROME-03]', async ({
  person,
}) => {
  const { page, context } = await person('Ada');
  await withoutSsr(context);
  await context.route('**/api/v1/users', (route) => route.abort('connectionrefused'));
  await page.goto('/app');
  await expect(page.getByRole('heading', { name: 'Server Error' })).toBeVisible();
  await expect(page.getByText("We're experiencing some technical difficulties")).toBeVisible();
  await expect(page.getByRole('listitem')).toContainText([/refresh/i, /clear.*cache/i, /try again later/i]);
  await expect(page.getByRole('link', { name: 'Go Home' })).toHaveAttribute('href', '/');
  await context.unroute('**/api/v1/users');
  await page.getByRole('button', { name: 'Try Again' }).click();

  await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
  await expect(page.getByText('You must be invited to join a club.')).toBeVisible();
  await expect(page.getByText('Events Attending')).toHaveCount(0);
  // The search is only for users with a club.
  await expect(page.getByRole('banner').getByRole('button', { name: 'User menu' })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('button', { name: 'Search' })).toHaveCount(0);
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.getByRole('link', { name: 'Create Club' }).click();
  await expect(page).toHaveURL('/app/new-club');
});

test('home: shows the clubs and the attended and upcoming events, in order [HOME-05 HOME-06 HOME-07 HOME-08 HOME-09 HOME-10 HOME-11 HOME-12 HOME-13 HOME-14 HOME-15 API-11 API-12 API-13 API-14]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const { page } = bob;
  const clubs = [await club([ada, bob], 'Chess Club'), await club([bob], 'Rowing Club')] as const;
  for (const [name, startsIn] of Object.entries({ Third: 72, First: 24, Last: 168 })) {
    const { slug } = await event(clubs[0], ada, { name, startsIn });
    await bob.api.attendance.attend({ event: slug });
  }
  const open = await event(clubs[0], ada, { name: 'For everybody' });
  await page.goto('/app');
  await expect(page.getByRole('heading', { name: 'Welcome, Bob' })).toBeVisible();
  await expect(page.getByText('Join or create a club to get started!')).toHaveCount(0);

  const column = page.getByRole('region', { name: 'Clubs' });
  for (const { slug, club_name } of clubs)
    await expect(column.getByRole('link', { name: club_name })).toHaveAttribute('href', `/app/clubs/${slug}`);
  await expect(column.getByRole('link', { name: /Club/ })).toHaveCount(2);
  await expect(column.locator('a[href="/app/new-club"]')).toBeVisible();
  await page.getByRole('button', { name: 'My Calendar' }).hover();
  await expect(page.getByRole('tooltip', { name: 'Add events to you calendar' })).toBeVisible();

  const attended = page.getByRole('region', { name: 'Events Attending' }).getByRole('heading', { level: 3 });
  await expect(attended).toHaveText(['First', 'Third', 'Last']);
  await page.getByText('Furthest').click();
  await expect(attended).toHaveText(['Last', 'Third', 'First']);
  await page.getByText('Soonest').click();
  await expect(attended).toHaveText(['First', 'Third', 'Last']);
  const comingUp = page.getByRole('region', { name: 'Coming up in your clubs' }).getByRole('link');
  await expect(comingUp).toHaveText(['For everybody']);
  await expect(comingUp).toHaveAttribute('href', `/app/events/${open.slug}`);

  await bob.api.users.update({ first_name: '' });
  await withoutSsr(bob.context);
  for (const [list, events] of [
    ['users/events', attended],
    ['users/clubs/events', comingUp],
  ] as const) {
    const json = { data: null, status: 500, error: 'broken' };
    await page.route(`**/api/v1/${list}`, (route) => route.fulfill({ status: 500, json }));
    await page.reload();
    await expect(page.getByRole('heading', { name: `Welcome, ${bob.email}` })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Events Attending' })).toBeVisible();
    await expect(events).toHaveCount(0);
  }
});
