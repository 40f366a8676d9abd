import sharp from 'sharp';
import type { Update } from '#features/updates/contract.ts';
import { alter } from '#e2e/answer.ts';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, test, type Person } from '#e2e/people.ts';
import { closeToast, expectToast } from '#e2e/toast.ts';

const content = ({ page }: Person) => page.getByRole('textbox', { name: 'Content' });
const publishButton = ({ page }: Person) => page.getByRole('button', { name: 'Publish' });
const createLink = ({ page }: Person) => page.getByRole('main').getByRole('link', { name: 'Create update' });

test('publishing: an admin publishes an update, and all members can read it [UPDATENEW-01 UPDATENEW-02 UPDATENEW-03 UPDATENEW-04 UPDATENEW-05 UPDATENEW-07 UPDATES-09 UPDATES-10 UPDATES-11 TOAST-37 TOAST-38 CLUB-04]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada', { last_name: 'Byron' }), await person('Bob')];
  const { page } = ada;
  const { slug } = await club([ada, bob]);
  const path = `/app/clubs/${slug}`;
  const back = () => page.getByRole('button', { name: 'Back', exact: true }).click();
  for (const each of [ada, bob]) {
    await each.page.goto(`${path}/updates`);
    await expect(each.page.getByText('No club updates to display...')).toBeVisible();
    await expect(createLink(each)).toHaveCount(each === ada ? 1 : 0);
  }
  await createLink(ada).click();
  await expect(page).toHaveURL(`${path}/new-update`);
  // Until the form is loaded, the list of updates stays visible, whose button leads further back.
  await expect(content(ada)).toBeVisible();
  await back();
  await expect(page).toHaveURL(`${path}/updates`);
  await page.goto(`${path}/new-update`);
  await back();
  await expect(page).toHaveURL(path);

  await createLink(ada).click();
  await expect(page).toHaveTitle('Muster - Club update');
  await expect(page.getByRole('heading', { name: 'Club update', level: 1 })).toBeVisible();
  await expect(
    page.getByText('Draft an update to your club. The most recent one will be published on the club page.'),
  ).toBeVisible();
  const failure = ['Error publishing update', 'Please try again.'] as const;
  await publishButton(ada).click();
  await expectToast(page, ...failure);
  await closeToast(page);
  await content(ada).fill('The boat is mended.\nCome and see!');
  await ada.context.setOffline(true);
  await publishButton(ada).click();
  await expectToast(page, ...failure);
  await expect(content(ada)).toHaveValue('The boat is mended.\nCome and see!');
  await ada.context.setOffline(false);
  await publishButton(ada).click();
  await expectToast(page, 'Update published!', 'Your club members will see this update.');
  await expect(page).toHaveURL(`${path}#new-update`);
  await expect(page.locator('#new-update')).toContainText('The boat is mended.');

  await bob.page.goto(path);
  const latest = bob.page.getByRole('region', { name: 'Latest update' });
  await expect(latest.getByRole('article')).toHaveText(
    /Posted by Ada Byron\s*The boat is mended\.\nCome and see!$/,
  );
  await expect(createLink(bob)).toHaveCount(0);
  await latest.getByRole('link', { name: 'All updates' }).click();
  await expect(bob.page.getByRole('article')).toHaveText([/The boat is mended\./]);
  await bob.page.goto(`${path}/updates#new-update`);
  await expect(bob.page.locator('#new-update')).toContainText('The boat is mended.');
});

test("updates page: groups updates by day in the viewer's time zone, each with time, author and text [UPDATES-01 UPDATES-02 UPDATES-03 UPDATES-04 UPDATES-05 UPDATES-06 UPDATES-07 UPDATES-08]", async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { last_name: 'Byron', timezoneId: 'Europe/London' });
  const { page } = ada;
  const { id, slug } = await club([ada]);
  for (const text of ['Founded', 'Winter', 'Leaking', 'Mended'])
    await ada.api.updates.publish({ club: id, content: text });
  await alter<Update[]>(ada, `/updates/${slug}`, (updates) => {
    for (const [index, created_at] of [
      '2026-07-05T23:05:00.000Z',
      '2026-07-05T22:30:00.000Z',
      '2026-07-05T07:00:00.000Z',
      '2025-12-31T12:00:00.000Z',
    ].entries())
      Object.assign(updates[index] ?? {}, { created_at });
    Object.assign(updates[3] ?? {}, { creator_first_name: null, creator_last_name: null });
  });
  await page.goto(`/app/clubs/${slug}/updates`);
  await expect(page).toHaveTitle('Muster - Harbour Rowers updates');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers updates');
  const days = {
    '6 Jul 2026': [/^12:05 am\W+Posted by Ada Byron\s*Mended$/],
    '5 Jul 2026': [/^11:30 pm\W+Posted by Ada Byron\s*Leaking$/, /^8:00 am\W+Posted by Ada Byron\s*Winter$/],
    '31 Dec 2025': [/^12:00 pm\W+System\s*Founded$/],
  };
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(Object.keys(days));
  for (const [name, updates] of Object.entries(days))
    await expect(page.getByRole('region', { name }).getByRole('article')).toHaveText(updates);
});

test('pictures of an update: are uploaded while the update is written, and open large for all members [UX-30]', async ({
  ada,
  bob,
  rowers,
}) => {
  const { page } = ada;
  const picture = sharp({ create: { width: 3000, height: 1500, channels: 3, background: '#456' } });
  await page.goto(`/app/clubs/${rowers.slug}/new-update`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add pictures' }).click();
  const buffer = await picture.png().toBuffer();
  await (await chooser).setFiles({ name: 'pier.png', mimeType: 'image/png', buffer });
  await content(ada).fill('The pier at dawn');
  await expect(page.getByRole('img', { name: 'Picture 1' })).toBeVisible();
  await publishButton(ada).click();
  await bob.page.goto(`/app/clubs/${rowers.slug}/updates`);
  await bob.page.getByRole('button', { name: 'Open picture 1 of 1' }).click();
  const image = bob.page.getByRole('dialog').getByRole('img');
  await expect.poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBeGreaterThan(0);
  await expectAccessible(bob.page);
});
