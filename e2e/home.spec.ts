import { withoutSsr } from '#e2e/answer.ts';
import { expect, test, type Person } from '#e2e/people.ts';

const cards = ({ page }: Person) =>
  page.getByRole('region', { name: 'Events Attending' }).getByRole('heading', { level: 3 });

test('home: offers one action without a club [HOME-01 HOME-02 HOME-03 HOME-04]', async ({ person }) => {
  const { page } = await person('Ada');
  await page.goto('/app');
  await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
  await expect(page.getByText('You must be invited to join a club.')).toBeVisible();
  await expect(page.getByText('Events Attending')).toHaveCount(0);
  await page.getByRole('link', { name: 'Create Club' }).click();
  await expect(page).toHaveURL('/app/new-club');
});

test('home: welcomes the user and shows the clubs [HOME-05 HOME-06 HOME-08 HOME-09 HOME-10 HOME-14 HOME-15 API-09 DATA-22]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const clubs = [await club([ada], 'Chess Club'), await club([ada], 'Rowing Club')];
  await page.goto('/app');
  await expect(page.getByRole('heading', { name: 'Welcome, Ada' })).toBeVisible();
  await expect(page.getByText('Join or create a club to get started!')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Events Attending' })).toBeVisible();

  const column = page.getByRole('region', { name: 'Clubs' });
  for (const { slug, club_name } of clubs) {
    await expect(column.getByRole('link', { name: club_name })).toHaveAttribute('href', `/app/clubs/${slug}`);
  }
  await expect(column.getByRole('article').or(column.getByRole('listitem'))).toHaveCount(2);
  await expect(column.locator('a[href="/app/new-club"]')).toBeVisible();

  const calendar = page.getByRole('button', { name: 'My Calendar' });
  await calendar.hover();
  await expect(page.getByRole('tooltip', { name: 'Add events to you calendar' })).toBeVisible();
});

test('home: welcomes by email address without a first name [HOME-07]', async ({ person, club }) => {
  const nameless = await person('');
  await club([nameless]);
  await nameless.page.goto('/app');
  await expect(nameless.page.getByRole('heading', { name: `Welcome, ${nameless.email}` })).toBeVisible();
});

test('attended events: are sorted by start, ascending or descending [HOME-11 HOME-12 HOME-13 API-11]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const bob = await person('Bob');
  const rowers = await club([ada, bob]);
  const names = ['In three days', 'Tomorrow', 'In a week'];
  for (const [index, startsIn] of [72, 24, 168].entries()) {
    const { slug } = await event(rowers, ada, { name: names[index] ?? '', startsIn });
    await bob.api.attendance.attend({ event: slug });
  }
  await event(rowers, ada, { name: 'Without Bob' });
  await bob.page.goto('/app');
  await expect(cards(bob)).toHaveText(['Tomorrow', 'In three days', 'In a week']);
  await bob.page.getByText('Furthest').click();
  await expect(cards(bob)).toHaveText(['In a week', 'In three days', 'Tomorrow']);
  await bob.page.getByText('Soonest').click();
  await expect(cards(bob)).toHaveText(['Tomorrow', 'In three days', 'In a week']);
});

test('home: shows a server problem when the user does not load [HOME-16 HOME-17 HOME-18 HOME-19 HOME-20 HOME-21]', async ({
  person,
}) => {
  const { page, context } = await person('Ada');
  await withoutSsr(context);
  await context.route('**/api/v1/users', (route) => route.abort('connectionrefused'));
  await page.goto('/app');
  await expect(page.getByRole('heading', { name: 'Server Error' })).toBeVisible();
  await expect(page.getByText("We're experiencing some technical difficulties")).toBeVisible();
  for (const tip of [/refresh/i, /clear.*cache/i, /try again later/i]) {
    await expect(page.getByRole('listitem').filter({ hasText: tip })).toBeVisible();
  }
  await expect(page.getByRole('link', { name: 'Go Home' })).toHaveAttribute('href', '/');
  await context.unroute('**/api/v1/users');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByText('Join or create a club to get started!')).toBeVisible();
});

test('home: leads to the upcoming events of the user’s clubs [API-12]', async ({ person, club, event }) => {
  const ada = await person('Ada');
  const bob = await person('Bob');
  const rowers = await club([ada, bob]);
  const { slug } = await event(rowers, ada, { name: 'For everybody' });
  const going = await event(rowers, ada, { name: 'Bob goes' });
  await bob.api.attendance.attend({ event: going.slug });
  await bob.page.goto('/app');
  const comingUp = bob.page.getByRole('region', { name: 'Coming up in your clubs' });
  await expect(comingUp.getByRole('heading', { level: 3 })).toHaveText(['For everybody']);
  await expect(comingUp.getByRole('link', { name: 'For everybody' })).toHaveAttribute(
    'href',
    `/app/events/${slug}`,
  );
});

for (const [list, id] of [
  ['users/events', 'API-13'],
  ['users/clubs/events', 'API-14'],
] as const) {
  test(`home: a 500 of ${list} counts as an empty list [${id}]`, async ({ person, club, event }) => {
    const ada = await person('Ada');
    const bob = await person('Bob');
    const rowers = await club([ada, bob]);
    await event(rowers, ada);
    const viewer = id === 'API-13' ? ada : bob;
    await viewer.page.goto('/app');
    await expect(viewer.page.getByText('Tuesday run')).toBeVisible();
    const json = { data: null, status: 500, error: 'broken' };
    await withoutSsr(viewer.context);
    await viewer.context.route(`**/api/v1/${list}`, (route) => route.fulfill({ status: 500, json }));
    await viewer.page.reload();
    await expect(viewer.page.getByRole('heading', { name: 'Events Attending' })).toBeVisible();
    await expect(viewer.page.getByText('Tuesday run')).toHaveCount(0);
  });
}
