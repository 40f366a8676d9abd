import { eventPath } from '#e2e/event-page.ts';
import { expect, test, type Person } from '#e2e/people.ts';

const at = ({ page }: Person, slug: string) => page.goto(`/app/clubs/${slug}`);
const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name });
const part = ({ page }: Person, name: string | RegExp) => page.getByRole('region', { name });

test('club page: shows banner, header, events and the newest update [CLUB-01 CLUB-02 CLUB-03 CLUB-06 CLUB-07 UPDATENEW-07 GEN-04 GEN-06 GEN-08]', async ({
  ada,
  bob,
  rowers,
  run,
}) => {
  const { page } = bob;
  for (const content of ['The boat leaks.', 'The boat is mended.'])
    await ada.api.updates.publish({ club: rowers.id, content });
  await at(bob, rowers.slug);
  await expect(page).toHaveTitle('Muster - Harbour Rowers');
  await expect(page.locator('meta[property="og:description"]')).toHaveAttribute(
    'content',
    "Harbour Rowers's club on Muster!",
  );
  const header = page.getByRole('main').locator('header');
  expect((await header.locator('svg, img').first().boundingBox())?.width).toBeGreaterThan(600);
  await expect(header.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers');
  await expect(part(bob, 'Latest update')).toContainText('The boat is mended.');
  await expect(part(bob, 'Latest update')).not.toContainText('The boat leaks.');
  await expect(part(bob, 'Upcoming').getByRole('link', { name: run.name })).toBeVisible();
  await button(bob, 'Club Calendar').click();
  await expect(page.getByRole('dialog')).toContainText('Harbour Rowers');

  for (const path of ['/app', '/app/new-club', '/app/profile', '/privacy-policy']) {
    await page.goto(path);
    await expect(page).toHaveTitle(/^Muster( - |$)/);
    await expect(page.getByRole('banner').getByRole('link').first()).toHaveText('Muster');
    await expect(page.locator('body')).not.toContainText(/\{product\}|<product name>/);
  }
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('events and members: can be collapsed, and are shown again on a wide screen [CLUB-08 CLUB-09]', async ({
    ada,
    rowers,
    run,
  }) => {
    await at(ada, rowers.slug);
    const link = ada.page.getByRole('link', { name: run.name });
    const row = part(ada, /^Members/).getByRole('listitem');
    for (const [title, content] of [
      [/^Events/, link],
      [/^Members/, row],
    ] as const) {
      const fold = part(ada, title).getByRole('button', { name: title });
      await expect(fold).toHaveAttribute('aria-expanded', 'true');
      await expect(content).toBeVisible();
      await fold.click();
      await expect(fold).toHaveAttribute('aria-expanded', 'false');
      await expect(content).toBeHidden();
      await fold.press('Enter');
      await expect(content).toBeVisible();
      await fold.click();
    }
    await ada.page.setViewportSize({ width: 1280, height: 800 });
    await expect(row).toBeVisible();
    await expect(link).toBeVisible();
    await expect(part(ada, /^Members/).getByRole('button', { name: /^Members/ })).toBeHidden();
  });
});

async function expectFree({ page }: Person, path: string): Promise<void> {
  await expect(page).toHaveURL(path);
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeAttached();
  await expect(page.getByRole('main')).not.toContainText(
    /\b(pay|payment|price|fee|card number|checkout|upgrade)\b/i,
  );
}

test('attending: involves no request for money [GEN-01 GEN-05]', async ({ ada, eve, rowers, run }) => {
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  const requested: string[] = [];
  for (const { page } of [ada, eve])
    page.on('request', (sent) => /payment|oauth/.test(sent.url()) && requested.push(sent.url()));
  const invite = `/app/club/${rowers.slug}/${invite_link}`;
  for (const [person, path] of [
    [ada, '/app/new-club'],
    [ada, `/app/${rowers.slug}/new-event`],
    [eve, invite],
  ] as const) {
    await person.page.goto(path);
    await expectFree(person, path);
  }
  await button(eve, 'Accept Invite').click();
  await expectFree(eve, `/app/clubs/${rowers.slug}`);
  await eve.page.getByRole('link', { name: run.name }).click();
  await expectFree(eve, eventPath(run));
  await button(eve, 'Attend Event').click();
  await expect(button(eve, 'Attending')).toBeVisible();
  expect(requested).toEqual([]);
});
