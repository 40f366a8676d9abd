import { expect, test, type Person, type Visitor } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const accept = ({ page }: Visitor) => page.getByRole('button', { name: 'Accept Invite' });

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
    await expect(accept(who)).toBeVisible();
    await who.page.getByRole('button', { name: 'Decline Invite' }).click();
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
  const { page, context } = await visitor();
  for (const path of [replaced, deleted, `/app/club/${rowers.slug}/unknown`]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'Invite not found' })).toBeVisible();
    await expect(page.getByText('Harbour Rowers')).toHaveCount(0);
    await expect(accept({ page, context })).toHaveCount(0);
  }
});

test('joining: takes one click for a user with a name, and can be retried when it failed, also because the link was replaced [INVITE-09 INVITE-13 INVITE-14 TOAST-13]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada]);
  const { page, context } = bob;
  const failure = ['Failed to join club', 'Failed to join club, please try again later.'] as const;
  await page.goto(await pathOfInvite(ada, rowers));
  await expect(accept(bob)).toBeVisible();
  const path = await pathOfInvite(ada, rowers);
  await accept(bob).click();
  await expectToast(page, ...failure);
  await expect(page.getByRole('heading', { name: 'Invite not found' })).toBeVisible();
  expect(await clubsOf(bob)).toEqual([]);

  await page.goto(path);
  await expect(accept(bob)).toBeVisible();
  let loads = 0;
  page.on('load', () => loads++);
  await context.setOffline(true);
  await accept(bob).click();
  await expectToast(page, ...failure);
  await context.setOffline(false);
  await accept(bob).click();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
  const members = page.getByRole('region', { name: /^Members/ }).getByRole('listitem');
  await expect(members).toHaveText([/Ada/, /Bob \(you\)/]);
  await page.getByRole('banner').getByRole('link', { name: 'Muster' }).click();
  await expect(page.getByRole('link', { name: 'Harbour Rowers' })).toBeVisible();
  expect(loads).toBe(0);
});
