import { expect, origin, test } from '#e2e/people.ts';

test('landing page: is complete and in order without scripts [LAND-02 LAND-03 LAND-04 LAND-05 LAND-06 LAND-14 LAND-15 LAND-16 LAND-17]', async ({
  browser,
}) => {
  const context = await browser.newContext({ baseURL: origin(), javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/');
  const line = page.getByRole('heading', { level: 1 }).locator('+ p');
  await expect(line).toHaveText('Start planning events with just your email and club name.');
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
  // The replies beside the picture of an email cover none of its buttons.
  for (const [language, button, replies] of [
    ['en', "Can't go", '14 going'],
    ['de', 'Absagen', '14 Zusagen'],
  ] as const) {
    await page.goto(`/?lang=${language}`);
    for (const width of [360, 390, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const [above, below] = [
        await page.getByText(button, { exact: true }).first().boundingBox(),
        await page.getByText(replies).first().boundingBox(),
      ];
      expect(above?.height).toBeGreaterThan(40);
      expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? Infinity) + (above?.height ?? 0));
    }
  }
  await context.close();
});

test('landing page: leads visitors to the login, the privacy policy and the maker [LAND-01 LAND-07 LAND-08 LAND-09 LAND-11 LAND-12 LAND-13 LAND-18 LAND-19 LAND-20 PRIV-01 ROUTE-01 ROUTE-03]', async ({
  visitor,
}) => {
  const { page } = await visitor();
  await page.goto('/');
  await expect(page).toHaveTitle('Muster');
  const logo = page.getByRole('banner').getByRole('link', { name: 'Muster' });
  await expect(logo).toHaveAttribute('href', '/');
  // Throws when the picture cannot be loaded.
  await logo.locator('img').evaluate((picture: HTMLImageElement) => picture.decode());
  await page.getByRole('link', { name: 'Learn more' }).click();
  await expect(page).toHaveURL('/#features');
  await expect(page.getByRole('heading', { name: 'Why Muster?' })).toBeInViewport();
  await expect(page.getByRole('link', { name: 'Create Your Club' })).toHaveAttribute('href', '/');
  for (const name of ['Get started', 'Sign up | Log in', 'Create Your Club']) {
    await page.getByRole('link', { name }).click();
    await expect(page).toHaveURL('/login');
    await page.goBack();
  }
  const footer = page.getByRole('contentinfo');
  await expect(footer).toContainText('made by Pier Street Consulting, a consulting company');
  const maker = footer.getByRole('link', { name: 'Pier Street Consulting' });
  await expect(maker).toHaveAttribute('href', 'https://maker.test/');
  await footer.getByRole('link', { name: 'Privacy policy' }).click();
  await expect(page).toHaveURL('/privacy-policy');
  await expect(page.getByRole('heading', { name: 'Privacy policy' })).toBeVisible();
  const support = page.getByRole('article').getByRole('link', { name: 'support@muster.test' });
  await expect(support).toHaveAttribute('href', 'mailto:support@muster.test');

  await page.evaluate(() => localStorage.setItem('authData', '{broken'));
  await page.goto('/');
  await expect(page.getByRole('link', { name: 'Get started' })).toBeVisible();
  await expect(page).toHaveURL(`${origin()}/`);
});

test('landing page: redirects logged-in users to the app; on other public pages, the header links to the app [LAND-10 LAND-21]', async ({
  person,
}) => {
  const { page } = await person('Ada');
  await page.goto('/');
  await expect(page).toHaveURL('/app');
  await page.goto('/privacy-policy');
  await page.getByRole('banner').getByRole('link', { name: 'Muster' }).click();
  await expect(page).toHaveURL('/app');
  await page.goto('/privacy-policy');
  const app = page.getByRole('banner').getByRole('link', { name: 'App', exact: true });
  await expect(app).toHaveAttribute('href', '/app');
  await app.click();
  await expect(page).toHaveURL('/app');
});
