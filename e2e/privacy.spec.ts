import type { BrowserContext } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, origin, test, type Visitor } from '#e2e/people.ts';

const part = ({ page }: Visitor, name: string) =>
  page
    .getByRole('article')
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });

test('the policy stands at its address, for anybody, with all its parts [PRIV-01 PRIV-02 PRIV-03 PRIV-04 PRIV-06 PRIV-07 PRIV-08 PRIV-09 PRIV-10 PRIV-11]', async ({
  visitor,
}) => {
  const reader = await visitor();
  await reader.page.goto('/privacy-policy');
  await expect(reader.page.getByRole('heading', { level: 1 })).toHaveText('Privacy policy');
  await expect(reader.page.getByRole('heading', { level: 2 })).toHaveText([
    'Our privacy promise',
    'Your information',
    'How we use data',
    'Legal basis',
    'Requesting your information',
    'How we protect data',
    'How you can help',
    'Further information',
    'Changes',
    'Contact',
  ]);
  for (const heading of await reader.page.getByRole('heading', { level: 2 }).allTextContents())
    expect((await part(reader, heading).innerText()).length).toBeGreaterThan(heading.length + 40);
  await expect(part(reader, 'Contact').getByRole('link')).toHaveAttribute(
    'href',
    'mailto:support@muster.test',
  );
  await expectAccessible(reader.page);
});

test('the policy says what is collected, why, for how long and by whom [PRIV-05 PRIV-12 PRIV-13 PRIV-14 PRIV-16 PRIV-18 PRIV-20]', async ({
  visitor,
}) => {
  const reader = await visitor();
  await reader.page.goto('/privacy-policy');
  await expect(part(reader, 'Legal basis')).toContainText('The legal basis is your consent');
  const information = part(reader, 'Your information');
  await expect(information).toContainText('At sign-up and soon after we collect:');
  await expect(information.getByRole('listitem')).toContainText([
    'your e-mail address',
    'your name',
    'club information',
  ]);
  await expect(part(reader, 'How we use data')).toContainText('Data is kept while your account is active.');
  await expect(part(reader, 'Requesting your information')).toContainText(
    'When an account is deleted, its data is deleted permanently',
  );
  await expect(part(reader, 'Our privacy promise')).toContainText('We use no analytics.');
  await expect(part(reader, 'Our privacy promise')).toContainText('We use no cookies.');
  await expect(reader.page.getByRole('article')).toContainText(
    'is a project of Pier Street Consulting, a consulting company.',
  );
});

test('what the policy promises is where it says [PRIV-06]', async ({ person }) => {
  const ada = await person('Ada');
  await ada.page.goto('/privacy-policy');
  await part(ada, 'Requesting your information').getByRole('link', { name: 'My Account' }).click();
  await expect(ada.page).toHaveURL('/app/profile');
  for (const name of ['Download my data', 'Delete account', 'Log out everywhere'])
    await expect(ada.page.getByRole('button', { name })).toBeVisible();
});

/** Listens to all that a browser asks for, and to what the answers set. */
function listen(context: BrowserContext) {
  const heard = { requests: [] as string[], cookies: [] as string[] };
  context.on('request', (request) => heard.requests.push(request.url()));
  context.on('response', async (response) => {
    const cookie = await response.headerValue('set-cookie').catch(() => null);
    if (cookie !== null) heard.cookies.push(`${response.url()}: ${cookie}`);
  });
  context.on('page', (page) => page.on('websocket', (socket) => heard.requests.push(socket.url())));
  return heard;
}

test('on no page is a cookie set, or anything asked of another origin [PRIV-17 PRIV-19]', async ({
  visitor,
  person,
  club,
  event,
}) => {
  test.setTimeout(120_000);
  const [reader, ada] = [await visitor(), await person('Ada')];
  const chess = await club([ada], 'Chess Club');
  const { slug } = await event(chess, ada);
  const { invite_link } = await ada.api.invites.create({ club_id: chess.id });
  const invite = `/app/club/${chess.slug}/${invite_link}`;
  const inside = ['edit', 'members', 'updates', 'new-update', 'new-event'].map(
    (page) => `/app/clubs/${chess.slug}/${page}`,
  );
  const pages: [Visitor, string[]][] = [
    [
      reader,
      [
        '/',
        '/login',
        '/privacy-policy',
        '/confirm?email=a@example.org&code=x',
        '/thankyou',
        '/no-such-page',
        invite,
      ],
    ],
    [
      ada,
      [
        '/app',
        '/app/new-club',
        '/app/profile',
        '/app/notifications',
        '/app/settings/notifications',
        '/app/feedback',
        `/app/clubs/${chess.slug}`,
        ...inside,
        `/app/events/${slug}`,
        `/app/events/edit/${slug}`,
        '/app/no-such-page',
      ],
    ],
  ];
  const own = new URL(origin());
  for (const [{ page, context }, addresses] of pages) {
    const heard = listen(context);
    page.on('websocket', (socket) => heard.requests.push(socket.url()));
    for (const address of addresses) {
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await page.waitForLoadState('load');
      expect({ address, cookie: await page.evaluate(() => document.cookie) }).toEqual({
        address,
        cookie: '',
      });
    }
    expect(heard.requests.length).toBeGreaterThan(addresses.length);
    const foreign = heard.requests.filter(
      (url) => !['blob:', 'data:'].includes(new URL(url).protocol) && new URL(url).host !== own.host,
    );
    expect(foreign).toEqual([]);
    expect(
      heard.requests.filter((url) => /analytics|gtag|telemetry|tracking|beacon/i.test(new URL(url).pathname)),
    ).toEqual([]);
    expect(heard.cookies).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    const kept = await page.evaluate(() => Object.keys(localStorage));
    expect(kept.filter((key) => !['authData', 'returnUrl', 'clubSlug'].includes(key))).toEqual([]);
  }
  expect(await ada.page.evaluate(() => Object.keys(localStorage))).toContain('authData');
});
