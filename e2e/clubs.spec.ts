import type { Club } from '#features/clubs/contract.ts';
import { alter } from '#e2e/answer.ts';
import { expect, test, type Person } from '#e2e/people.ts';

const phone = { width: 390, height: 844 };

const at = ({ page }: Person, slug: string) => page.goto(`/app/clubs/${slug}`);
const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name });
const part = ({ page }: Person, name: string | RegExp) => page.getByRole('region', { name });

/** The actions of an admin on the club page. */
const adminControls = ({ page }: Person) => [
  page.getByRole('link', { name: 'Edit', exact: true }),
  page.getByRole('button', { name: 'Invite members' }),
  page.getByRole('link', { name: 'Manage members' }),
  page.getByRole('link', { name: 'New event' }),
  page.getByRole('link', { name: 'Create update' }),
];

test('club page: shows all details [CLUB-01 CLUB-02 CLUB-03 CLUB-04 CLUB-05 CLUB-07 CLUB-13 CLUB-14 CLUB-15 CLUB-16 CLUB-17 CLUB-20 CLUB-35 UPDATENEW-07 SEO-01 API-15 GEN-04 GEN-06]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada', { last_name: 'Byron' });
  const bob = await person('Bob', { timezoneId: 'UTC' });
  const rowers = await club([ada, bob, await person('')], 'Harbour Rowers');
  await ada.api.clubs.update({
    club: rowers.id,
    club_description: 'Every Tuesday, whatever the weather.',
    location_name: 'Old Harbour',
    meta: { website: 'harbour-rowers.org' },
  });
  for (const content of ['The boat leaks.', 'The boat is mended.'])
    await ada.api.updates.publish({ club: rowers.id, content });
  await event(rowers, ada, { name: 'Tuesday row' });
  const { page } = bob;
  await at(bob, rowers.slug);
  await expect(page).toHaveTitle('Muster - Harbour Rowers');

  const header = page.getByRole('main').locator('header');
  const picture = await header.locator('svg, img').first().boundingBox();
  expect(picture?.width).toBeGreaterThan(600);
  await expect(header.locator('[data-initials=HR]')).toBeVisible();
  await expect(header.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers');
  await expect(header.getByText('Every Tuesday, whatever the weather.')).toBeVisible();
  await expect(header.getByText('Old Harbour')).toBeVisible();
  await expect(header.getByRole('link', { name: 'harbour-rowers.org' })).toBeVisible();
  const { created_at } = await bob.api.clubs.get({ club: rowers.id });
  const month = new Date(created_at).toLocaleDateString('en-US', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  await expect(header.getByText(`Joined ${month}`)).toBeVisible();

  await expect(part(bob, 'Latest update')).toContainText('The boat is mended.');
  await expect(part(bob, 'Latest update')).not.toContainText('The boat leaks.');
  await expect(part(bob, /^Events/).getByRole('link', { name: 'Tuesday row' })).toBeVisible();
  const members = part(bob, /^Members/).getByRole('listitem');
  await expect(members).toHaveText([/Ada Byron/, /Bob \(you\)/, /New User/]);
  await button(bob, 'Club Calendar').click();
  await expect(page.getByRole('dialog')).toContainText('Harbour Rowers');
});

test('club page: shows admin actions to admins only, according to the list of members [CLUB-22 CLUB-31 CLUB-32 CLUB-33 CLUB-34 ROLE-02]', async ({
  person,
  club,
  event,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  const { slug } = rowers;
  await event(rowers, ada);
  await at(ada, slug);
  for (const control of adminControls(ada)) await expect(control).toBeVisible();
  const [edit, , manage] = adminControls(ada);
  await expect(edit ?? ada.page.locator('a')).toHaveAttribute('href', `/app/clubs/${slug}/edit`);
  await expect(manage ?? ada.page.locator('a')).toHaveAttribute('href', `/app/clubs/${slug}/members`);

  for (const role of [0, 100] as const) {
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role });
    await at(bob, slug);
    await expect(button(bob, 'Leave club')).toBeVisible();
    for (const control of adminControls(bob)) await expect(control).toHaveCount(0);
  }
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
  await bob.page.reload();
  for (const control of adminControls(bob)) await expect(control).toBeVisible();

  // The cached list of the user's own clubs still says admin.
  await alter<Club>(bob, `/clubs/${slug}`, ({ members }) => {
    for (const member of members) if (member.id === bob.id) member.club_role = 0;
  });
  await bob.page.reload();
  await expect(button(bob, 'Leave club')).toBeVisible();
  for (const control of adminControls(bob)) await expect(control).toHaveCount(0);
});

test('members: admins have a labelled crown [CLUB-36]', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const { slug } = await club([ada, bob]);
  for (const [viewer, words] of [
    [ada, 'You are an admin of this club'],
    [bob, 'Admin'],
  ] as const) {
    await at(viewer, slug);
    const members = part(viewer, /^Members/).getByRole('listitem');
    await expect(members.filter({ hasText: 'Bob' }).getByRole('img')).toHaveCount(0);
    const crown = members.filter({ hasText: 'Ada' }).getByRole('img', { name: words, exact: true });
    await crown.hover();
    await expect(viewer.page.getByRole('tooltip', { name: words, exact: true })).toBeVisible();
  }
  await ada.page.goto('/app');
  await expect(ada.page.getByText('You are an admin of this club')).toBeAttached();
});

test('events: are grouped into upcoming, in progress and previous, nearest first [CLUB-06 CLUB-10 CLUB-11 CLUB-12]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  for (const [name, startsIn] of [
    ['First', 2],
    ['Second', 5],
    ['Third', 24],
    ['Fifth', 100],
    ['Fourth', 50],
  ] as const)
    await event(rowers, ada, { name, startsIn, lasts: 1 });
  const namesIn = (group: string) => ada.page.getByRole('region', { name: group }).locator('h3 + *, li h3');
  await ada.page.clock.install({ time: Date.now() + 24.5 * 3_600_000 });
  await at(ada, rowers.slug);
  await expect(namesIn('Upcoming').getByRole('link')).toHaveText(['Fourth', 'Fifth']);
  await expect(namesIn('In Progress').getByRole('link')).toHaveText(['Third']);
  await expect(namesIn('Previous').getByRole('link')).toHaveText(['Second', 'First']);

  await test.step('and change group while the page is open', async () => {
    await ada.page.clock.fastForward(3_600_000);
    await expect(ada.page.getByRole('region', { name: 'In Progress' })).toHaveCount(0);
    await expect(namesIn('Previous').getByRole('link')).toHaveText(['Third', 'Second', 'First']);
  });
});

test('events and members: collapse on a phone but not on a desktop [CLUB-08 CLUB-09]', async ({
  person,
  club,
  event,
}) => {
  const ada = await person('Ada', { viewport: phone });
  const rowers = await club([ada]);
  await event(rowers, ada, { name: 'Tuesday row' });
  await at(ada, rowers.slug);
  const row = part(ada, /^Members/).getByRole('listitem');
  for (const [title, content] of [
    [/^Events/, ada.page.getByRole('link', { name: 'Tuesday row' })],
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
  await expect(ada.page.getByRole('link', { name: 'Tuesday row' })).toBeVisible();
  await expect(part(ada, /^Members/).getByRole('button', { name: /^Members/ })).toBeHidden();
});

async function expectFree({ page }: Person): Promise<void> {
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeAttached();
  await expect(page.getByRole('main')).not.toContainText(
    /\b(pay|payment|price|fee|card number|checkout|upgrade)\b/i,
  );
}

test('attending: involves no request for money [GEN-01 GEN-04 GEN-05]', async ({ person, club, event }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada]);
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  const asked: string[] = [];
  for (const { page } of [ada, bob])
    page.on('request', (sent) => /payment|oauth/.test(sent.url()) && asked.push(sent.url()));
  for (const path of ['/app/new-club', `/app/${rowers.slug}/new-event`]) {
    await ada.page.goto(path);
    await expectFree(ada);
  }
  await event(rowers, ada, { name: 'Tuesday row' });
  await bob.page.goto(`/app/club/${rowers.slug}/${invite_link}`);
  await expectFree(bob);
  await button(bob, 'Accept Invite').click();
  await expect(bob.page).toHaveURL(`/app/clubs/${rowers.slug}`);
  await expectFree(bob);
  await bob.page.getByRole('link', { name: 'Tuesday row' }).click();
  await expectFree(bob);
  await button(bob, 'Attend Event').click();
  await expect(button(bob, 'Attending')).toBeVisible();
  expect(asked).toEqual([]);
});

test('link previews: default to the product name, which is the same everywhere [GEN-08]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { slug } = await club([ada], 'Chess Club');
  await at(ada, slug);
  const { page } = ada;
  await expect(page).toHaveTitle('Muster - Chess Club');
  await expect(page.locator('meta[property="og:description"]')).toHaveAttribute(
    'content',
    "Chess Club's club on Muster!",
  );
  await expect(page.getByRole('banner').getByRole('link').first()).toHaveText('Muster');
  for (const path of ['/app', '/app/new-club', '/app/profile', '/privacy-policy']) {
    await page.goto(path);
    await expect(page).toHaveTitle(/^Muster( - |$)/);
    await expect(page.locator('body')).not.toContainText(/\{product\}|<product name>/);
  }
});
