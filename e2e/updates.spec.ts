import type { Update } from '#features/updates/contract.ts';
import { alter } from '#e2e/answer.ts';
import { withoutLive } from '#e2e/bell.ts';
import { expect, test, type Person } from '#e2e/people.ts';
import { closeToast, expectToast } from '#e2e/toast.ts';

const content = ({ page }: Person) => page.getByRole('textbox', { name: 'Content' });
const publishButton = ({ page }: Person) => page.getByRole('button', { name: 'Publish' });
const createLink = ({ page }: Person) => page.getByRole('main').getByRole('link', { name: 'Create update' });

test('publishing: an admin publishes an update, and all members can read it [UPDATENEW-01 UPDATENEW-02 UPDATENEW-03 UPDATENEW-05 UPDATENEW-07 UPDATES-11 TOAST-38 API-40 DATA-16 CLUB-04 GEN-06]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada', { last_name: 'Byron' }), await person('Bob')];
  const { page } = ada;
  const { id, slug } = await club([ada, bob]);
  await ada.api.updates.publish({ club: id, content: 'The boat leaks.' });
  await page.goto(`/app/clubs/${slug}`);
  await createLink(ada).click();
  await expect(page).toHaveURL(`/app/clubs/${slug}/new-update`);
  await expect(page).toHaveTitle('Muster - Club update');
  await expect(page.getByRole('heading', { name: 'Club update', level: 1 })).toBeVisible();
  await expect(
    page.getByText('Draft an update to your club. The most recent one will be published on the club page.'),
  ).toBeVisible();

  await content(ada).fill('The boat is mended.\nCome and see!');
  const answer = page.waitForResponse((got) => got.url().endsWith(`/api/v1/updates/${slug}`));
  await publishButton(ada).click();
  expect((await answer).status()).toBe(201);
  expect((await answer).request().method()).toBe('POST');
  expect((await answer).request().postDataJSON()).toEqual({
    clubId: id,
    content: 'The boat is mended.\nCome and see!',
  });
  await expectToast(ada.page, 'Update published!', 'Your club members will see this update.');
  await expect(page).toHaveURL(`/app/clubs/${slug}#new-update`);
  await expect(page.locator('#new-update')).toContainText('The boat is mended.');

  await bob.page.goto(`/app/clubs/${slug}`);
  const latest = bob.page.getByRole('region', { name: 'Latest update' });
  await expect(latest.getByRole('article')).toHaveText(
    /Posted by Ada Byron\s*The boat is mended\.\nCome and see!$/,
  );
  await expect(createLink(bob)).toHaveCount(0);
  await latest.getByRole('link', { name: 'All updates' }).click();
  await expect(bob.page.getByRole('article')).toHaveText([/The boat is mended\./, /The boat leaks\./]);
  await bob.page.goto(`/app/clubs/${slug}/updates#new-update`);
  await expect(bob.page.locator('#new-update')).toContainText('The boat is mended.');
});

test('updates page: groups updates by day, each with time, author and text [UPDATES-01 UPDATES-02 UPDATES-03 UPDATES-04 UPDATES-05 UPDATES-06 UPDATES-07 UPDATES-08 API-41 CONST-10]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { last_name: 'Byron', timezoneId: 'Europe/London' });
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
  const answer = ada.page.waitForResponse((got) => got.url().endsWith(`/api/v1/updates/${slug}`));
  await ada.page.goto(`/app/clubs/${slug}/updates`);
  expect((await answer).status()).toBe(200);
  await expect(ada.page).toHaveTitle('Muster - Harbour Rowers updates');
  await expect(ada.page.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers updates');
  await expect(ada.page.getByRole('heading', { level: 2 })).toHaveText([
    '6 Jul 2026',
    '5 Jul 2026',
    '31 Dec 2025',
  ]);
  for (const [day, texts] of [
    ['6 Jul 2026', [/^12:05 am\W+Posted by Ada Byron\s*Mended$/]],
    [
      '5 Jul 2026',
      [/^11:30 pm\W+Posted by Ada Byron\s*Leaking$/, /^8:00 am\W+Posted by Ada Byron\s*Winter$/],
    ],
    ['31 Dec 2025', [/^12:00 pm\W+System\s*Founded$/]],
  ] as const)
    await expect(ada.page.getByRole('region', { name: day }).getByRole('article')).toHaveText([...texts]);
});

test('updates page: shows the system as the author while the author has no name [UPDATES-07]', async ({
  person,
  club,
}) => {
  const nameless = await person('');
  const { id, slug } = await club([nameless]);
  await nameless.api.updates.publish({ club: id, content: 'The boat is mended.' });
  const { page } = nameless;
  for (const path of [`/app/clubs/${slug}`, `/app/clubs/${slug}/updates`]) {
    await page.goto(path);
    await expect(page.getByRole('article').filter({ hasText: 'The boat is mended.' })).toHaveText(
      /[ap]m\W+System\s*The boat is mended\.$/,
    );
  }
  await nameless.api.users.update({ first_name: 'Ada' });
  await page.goto(`/app/clubs/${slug}/updates`);
  await expect(page.getByRole('article')).toContainText('Posted by Ada');
});

test('updates page: shows an empty state, with a link to publish for admins [UPDATES-09 UPDATES-10]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const { slug } = await club([ada, bob]);
  for (const { page } of [ada, bob]) {
    await page.goto(`/app/clubs/${slug}/updates`);
    await expect(page.getByText('No club updates to display...')).toBeVisible();
  }
  await expect(createLink(bob)).toHaveCount(0);
  await createLink(ada).click();
  await expect(ada.page).toHaveURL(`/app/clubs/${slug}/new-update`);
});

test('publishing: is for admins only [UPDATENEW-06]', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const { id, slug } = await club([ada, bob]);
  for (const role of [0, 100] as const) {
    await ada.api.members.changeRole({ club: id, member: bob.id, role });
    await bob.page.goto(`/app/clubs/${slug}/new-update`);
    await expect(content(bob)).toBeDisabled();
    await expect(publishButton(bob)).toBeDisabled();
  }
  await ada.page.goto(`/app/clubs/${slug}/new-update`);
  await expect(publishButton(ada)).toBeEnabled();
});

test('publishing: is refused after a demotion meanwhile [TOAST-39 UPDATENEW-06]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const { id, slug } = await club([ada, bob]);
  await ada.api.members.changeRole({ club: id, member: bob.id, role: 200 });
  await withoutLive(bob.page);
  await bob.page.goto(`/app/clubs/${slug}/new-update`);
  await content(bob).fill('Hear me!');
  await ada.api.members.changeRole({ club: id, member: bob.id, role: 0 });
  await publishButton(bob).click();
  await expectToast(bob.page, 'Only admins can publish updates.', "You shouldn't even be here!");
  await expect(publishButton(bob)).toBeDisabled();
  await expect(content(bob)).toHaveValue('Hear me!');
  expect(await ada.api.updates.ofClub({ club: id })).toEqual([]);
});

test('publishing: a failed update shows an error and stays in the box [TOAST-37]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { id, slug } = await club([ada]);
  await ada.page.goto(`/app/clubs/${slug}/new-update`);
  await publishButton(ada).click();
  await expectToast(ada.page, 'Error publishing update', 'Please try again.');
  await expect(publishButton(ada)).toBeEnabled();
  await closeToast(ada.page);

  await content(ada).fill('The boat is mended.');
  await ada.context.setOffline(true);
  await publishButton(ada).click();
  await expectToast(ada.page, 'Error publishing update', 'Please try again.');
  await expect(content(ada)).toHaveValue('The boat is mended.');
  await ada.context.setOffline(false);
  await publishButton(ada).click();
  await expect(ada.page).toHaveURL(`/app/clubs/${slug}#new-update`);
  expect(await ada.api.updates.ofClub({ club: id })).toHaveLength(1);
});

test('publishing: leads back to the previous page, or to the club without one [UPDATENEW-04]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { slug } = await club([ada]);
  const back = ada.page.getByRole('button', { name: 'Back', exact: true });
  for (const path of ['new-update', 'updates']) {
    await ada.page.goto(`/app/clubs/${slug}/${path}`);
    await back.click();
    await expect(ada.page).toHaveURL(`/app/clubs/${slug}`);
  }
  await ada.page.goto(`/app/clubs/${slug}/updates`);
  await createLink(ada).click();
  await expect(ada.page).toHaveURL(`/app/clubs/${slug}/new-update`);
  await back.click();
  await expect(ada.page).toHaveURL(`/app/clubs/${slug}/updates`);
});
