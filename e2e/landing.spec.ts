import { expectAccessible } from '#e2e/axe.ts';
import { expect, origin, test } from '#e2e/people.ts';

test('landing page: is shown without a session [LAND-01 LAND-02 LAND-03 LAND-06 ROUTE-01]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/');
  await expect(page).toHaveURL(`${origin()}/`);
  await expect(page).toHaveTitle('Muster');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Organise your Club');
  const line = page.getByRole('heading', { level: 1 }).locator('+ p');
  await expect(line).toHaveText('Start planning events with just your email and club name.');
  await expect(
    page.getByRole('heading', { level: 2, name: 'Create a club and invite your members' }),
  ).toBeVisible();
});

test('landing page: is complete and in order without scripts [LAND-14 LAND-17]', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: origin(), javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Organise your Club' })).toBeVisible();
  const order = await page
    .locator('header, h1, h2, footer')
    .evaluateAll((parts) =>
      parts.map((part) => (/^H\d$/.test(part.tagName) ? part.textContent : part.tagName)),
    );
  expect(order).toEqual([
    'HEADER',
    'Organise your Club',
    'Why Muster?',
    'Create a club and invite your members',
    'FOOTER',
  ]);
  await context.close();
});

test('landing page: shows two reasons with pictures [LAND-04 LAND-05 LAND-15 LAND-16]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/');
  const why = page.getByRole('region', { name: 'Why Muster?' });
  await expect(why.getByRole('heading', { level: 3 })).toHaveText([
    'Events are easy, and free',
    'In the calendar you already use',
  ]);
  await expect(why.getByText('Every club has a calendar of its events')).toBeVisible();
  const pictures = why.getByRole('img');
  await expect(pictures).toHaveCount(2);
  for (const picture of await pictures.all()) {
    await picture.scrollIntoViewIfNeeded();
    expect((await picture.boundingBox())?.width).toBeGreaterThan(200);
  }
});

test('landing page: links onwards [LAND-09 LAND-11 LAND-12 LAND-13]', async ({ visitor }) => {
  const { page } = await visitor();
  await page.goto('/');
  await expect(page.getByRole('banner').getByRole('link', { name: 'Muster' })).toHaveAttribute('href', '/');
  await page.getByRole('link', { name: 'Learn more' }).click();
  await expect(page).toHaveURL('/#features');
  await expect(page.getByRole('heading', { name: 'Why Muster?' })).toBeInViewport();
  await page.getByRole('link', { name: 'Get started' }).click();
  await expect(page).toHaveURL('/login');
  await page.goBack();
  await page.getByRole('banner').getByRole('link', { name: 'Sign up | Log in' }).click();
  await expect(page).toHaveURL('/login');
});

test('landing page: the banner links to / and to the login [LAND-07 LAND-08]', async ({ visitor }) => {
  const { page } = await visitor();
  await page.goto('/');
  const create = page.getByRole('link', { name: 'Create Your Club' });
  await expect(create).toHaveAttribute('href', '/');
  await create.click();
  await expect(page).toHaveURL('/login');
});

test('landing page: the footer links the privacy policy and the maker [LAND-18 LAND-19 LAND-20]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/');
  const footer = page.getByRole('contentinfo');
  await expect(footer).toContainText('made by Pier Street Consulting, a consulting company');
  const maker = footer.getByRole('link', { name: 'Pier Street Consulting' });
  await expect(maker).toHaveAttribute('href', 'https://maker.test/');
  await footer.getByRole('link', { name: 'Privacy policy' }).click();
  await expect(page).toHaveURL('/privacy-policy');
  await expect(page.getByRole('heading', { name: 'Privacy policy' })).toBeVisible();
});

test('landing page: redirects logged-in users to the app, which the header links elsewhere [LAND-10 LAND-21]', async ({
  person,
}) => {
  const { page } = await person('Ada');
  await page.goto('/');
  await expect(page).toHaveURL('/app');
  await page.goto('/privacy-policy');
  const app = page.getByRole('banner').getByRole('link', { name: 'App' });
  await expect(app).toHaveAttribute('href', '/app');
  await app.click();
  await expect(page).toHaveURL('/app');
});

test('landing page: stored data without a session does not redirect', async ({ visitor }) => {
  const { page } = await visitor();
  await page.goto('/privacy-policy');
  await page.evaluate(() => localStorage.setItem('authData', '{broken'));
  await page.goto('/');
  await expect(page.getByRole('link', { name: 'Get started' })).toBeVisible();
  await expect(page).toHaveURL(`${origin()}/`);
});

test('landing page: is accessible', async ({ visitor }) => {
  const { page } = await visitor();
  await page.goto('/');
  await expectAccessible(page);
});
