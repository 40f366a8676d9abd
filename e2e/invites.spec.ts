import { expect, test, type Person, type Visitor } from '#e2e/people.ts';
import { closeToast, expectToast } from '#e2e/toast.ts';

const button = ({ page }: Visitor, name: string) => page.getByRole('button', { name, exact: true });
const field = ({ page }: Visitor, name: string) => page.getByRole('textbox', { name });

/** Creates the invite link of a club and returns the path of its page. */
async function pathOfInvite(admin: Person, { id, slug }: { id: string; slug: string }): Promise<string> {
  const { invite_link } = await admin.api.invites.create({ club_id: id });
  return `/app/club/${slug}/${invite_link}`;
}

const clubsOf = async ({ api }: Person) => (await api.users.me({})).clubs.map(({ slug }) => slug);

test('invite page: is public, can be declined, and leads members to their club [INVITE-01 INVITE-02 INVITE-03 INVITE-04 INVITE-05 INVITE-06 INVITE-08 INVITE-15]', async ({
  person,
  visitor,
  club,
}) => {
  const [ada, bob, anybody] = [await person('Ada'), await person('Bob'), await visitor()];
  const chess = await club([ada], 'Chess & Cake');
  const path = await pathOfInvite(ada, chess);
  // Home redirects visitors without a session.
  for (const [who, home] of [
    [anybody, '/'],
    [bob, '/app'],
  ] as const) {
    await who.page.goto(path);
    await expect(who.page).toHaveTitle('Muster - Club Invitation');
    await expect(who.page.getByRole('heading', { name: 'Club Invitation' })).toBeVisible();
    await expect(who.page.getByText('You have been invited to join Chess & Cake')).toBeVisible();
    await expect(button(who, 'Accept Invite')).toBeVisible();
    await button(who, 'Decline Invite').click();
    await expect(who.page).toHaveURL(home);
  }
  expect(await clubsOf(bob)).toEqual([]);
  await ada.page.goto(path);
  await expect(ada.page).toHaveURL(`/app/clubs/${chess.slug}`);
});

test('invite page: is the same for a missing, replaced and deleted link [INVITE-07 INVITEDLG-06 INVITEDLG-07]', async ({
  person,
  visitor,
  club,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  const replaced = await pathOfInvite(ada, rowers);
  const deleted = await pathOfInvite(ada, rowers);
  await ada.api.invites.remove({ invite: (await ada.api.invites.ofClub({ club: rowers.id })).id });
  const { page } = await visitor();
  for (const path of [replaced, deleted, `/app/club/${rowers.slug}/unknown`]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'Invite not found' })).toBeVisible();
    await expect(page.getByText('Harbour Rowers')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Accept Invite' })).toHaveCount(0);
  }
});

test('joining: takes one click for a user with a name, and can be retried when it failed [INVITE-09 INVITE-13 INVITE-14 TOAST-13]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada]);
  const { page } = bob;
  let loads = 0;
  page.on('load', () => loads++);
  await page.goto(await pathOfInvite(ada, rowers));
  await expect(button(bob, 'Accept Invite')).toBeVisible();
  await bob.context.setOffline(true);
  await button(bob, 'Accept Invite').click();
  await expectToast(page, 'Failed to join club', 'Failed to join club, please try again later.');
  await bob.context.setOffline(false);
  await button(bob, 'Accept Invite').click();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
  const members = page.getByRole('region', { name: /^Members/ }).getByRole('listitem');
  await expect(members).toHaveText([/Ada/, /Bob \(you\)/]);
  await page.getByRole('banner').getByRole('link', { name: 'Muster' }).click();
  await expect(page.getByRole('link', { name: 'Harbour Rowers' })).toBeVisible();
  expect(loads).toBe(1);
});

test('joining: fails when the link was replaced meanwhile, and the page shows it [TOAST-13]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada]);
  await bob.page.goto(await pathOfInvite(ada, rowers));
  await expect(button(bob, 'Accept Invite')).toBeVisible();
  await ada.api.invites.create({ club_id: rowers.id });
  await button(bob, 'Accept Invite').click();
  await expectToast(bob.page, 'Failed to join club', 'Failed to join club, please try again later.');
  await expect(bob.page.getByRole('heading', { name: 'Invite not found' })).toBeVisible();
  expect(await clubsOf(bob)).toEqual([]);
});

test('joining: asks a user without a name for first and last name [INVITE-10 INVITE-11 INVITE-12]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('')];
  const rowers = await club([ada]);
  await bob.page.goto(await pathOfInvite(ada, rowers));
  await button(bob, 'Accept Invite').click();
  await expect(bob.page.getByRole('dialog', { name: 'What is your name?' })).toBeVisible();
  for (const [first, last] of [
    ['', ''],
    ['Bob', ''],
    ['  ', 'Stone'],
  ] as const) {
    await field(bob, 'First Name').fill(first);
    await field(bob, 'Last Name').fill(last);
    await button(bob, 'Join club').click();
    await expectToast(bob.page, 'Please enter your name', 'Please enter your first and last name.');
    await closeToast(bob.page);
  }
  expect(await clubsOf(bob)).toEqual([]);

  await field(bob, 'First Name').fill('Bob');
  await button(bob, 'Join club').click();
  await expect(bob.page).toHaveURL(`/app/clubs/${rowers.slug}`);
  await expect(bob.page.getByText('Bob Stone (you)')).toBeVisible();
});
