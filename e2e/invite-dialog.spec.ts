import { withoutLive } from '#e2e/bell.ts';
import { expect, origin, test, type Person } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const button = ({ page }: Person, name: string) => page.getByRole('button', { name, exact: true });
const dialogOf = ({ page }: Person) => page.getByRole('dialog', { name: 'Invite members' });
const link = (admin: Person) => dialogOf(admin).getByRole('textbox', { name: 'Invite link' });
const sure = ({ page }: Person, label: string) =>
  page.getByRole('alertdialog').getByRole('button', { name: label, exact: true });

async function openDialog(admin: Person, { slug }: { slug: string }) {
  await admin.page.goto(`/app/clubs/${slug}`);
  await button(admin, 'Invite members').click();
  await expect(dialogOf(admin)).toBeVisible();
}

test('invite dialog: creates, replaces and deletes the link [INVITEDLG-01 INVITEDLG-02 INVITEDLG-06 INVITEDLG-07 INVITEDLG-08 API-23 API-24 API-27]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  const asked = ada.page.waitForRequest((sent) => sent.url().endsWith(`/invite-links/club/${rowers.slug}`));
  await openDialog(ada, rowers);
  expect((await asked).method()).toBe('GET');
  const request = ada.page.waitForRequest((sent) => sent.method() === 'POST');
  await button(ada, 'Create invite link').click();
  expect((await request).postDataJSON()).toEqual({ club_id: rowers.id });
  await expect(link(ada)).toBeVisible();
  const first = await ada.api.invites.ofClub({ club: rowers.id });
  await expect(link(ada)).toHaveValue(`${origin()}/app/club/${rowers.slug}/${first.invite_link}`);
  await expect(link(ada)).toHaveJSProperty('readOnly', true);

  await button(ada, 'Regenerate link').click();
  await sure(ada, 'Cancel').click();
  await expect(link(ada)).toHaveValue(new RegExp(`${first.invite_link}$`));
  await button(ada, 'Regenerate link').click();
  await sure(ada, 'Regenerate').click();
  await expect(link(ada)).not.toHaveValue(new RegExp(`${first.invite_link}$`));
  const second = await ada.api.invites.ofClub({ club: rowers.id });
  await expect(link(ada)).toHaveValue(`${origin()}/app/club/${rowers.slug}/${second.invite_link}`);
  await expect(ada.api.invites.get({ invite: first.invite_link })).rejects.toMatchObject({ status: 404 });

  await button(ada, 'Delete link').click();
  const removal = ada.page.waitForRequest((sent) => sent.method() === 'DELETE');
  await sure(ada, 'Delete').click();
  expect((await removal).url()).toMatch(new RegExp(`/api/v1/invite-links/${second.id}$`));
  await expect(button(ada, 'Create invite link')).toBeVisible();
  await expect(ada.api.invites.get({ invite: second.invite_link })).rejects.toMatchObject({ status: 404 });
});

test('invite dialog: copies the link and confirms it for two seconds [INVITEDLG-02 INVITEDLG-12 TOAST-14]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { permissions: ['clipboard-read', 'clipboard-write'] });
  const rowers = await club([ada]);
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  await ada.page.clock.install();
  await openDialog(ada, rowers);
  await expect(link(ada)).toBeVisible();
  await ada.page.clock.pauseAt(Date.now() + minute);
  await button(ada, 'Copy: Invite link').click();
  const flag = ada.page.getByText('Copied!', { exact: true });
  await expect(flag).toBeVisible();
  await expectToast(
    ada.page,
    'Link copied to clipboard',
    'The invite link has been copied to your clipboard.',
  );
  expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${origin()}/app/club/${rowers.slug}/${invite_link}`,
  );
  await ada.page.clock.runFor(1_900);
  await expect(flag).toBeVisible();
  await ada.page.clock.runFor(200);
  await expect(flag).toHaveCount(0);
});

test('invite dialog: counts down to the expiry of the link [INVITEDLG-03 INVITEDLG-04 INVITEDLG-05]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const rowers = await club([ada]);
  const { expires_at, invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  const end = Date.parse(expires_at);
  expect(end - Date.now()).toBeGreaterThan(7 * day - minute);
  await ada.page.clock.install({ time: end - (2 * day + 3 * hour + 4 * minute + 30_000) });
  await openDialog(ada, rowers);
  await expect(dialogOf(ada)).toContainText('Expires in 2d 3h 4m');
  await ada.page.clock.fastForward(2 * day + 2 * minute);
  await expect(dialogOf(ada)).toContainText('Expires in 0d 3h 2m');
  await expect(ada.page.getByText('Link expired')).toHaveCount(0);
  await ada.page.clock.fastForward(4 * hour);
  await expect(dialogOf(ada).getByText('Link expired')).toBeVisible();
  await expect(link(ada)).toHaveCount(0);
  await button(ada, 'Regenerate link').click();
  await expect
    .poll(async () => (await ada.api.invites.ofClub({ club: rowers.id })).invite_link)
    .not.toBe(invite_link);
});

test('invite dialog: requires the name of the admin first [INVITEDLG-09 INVITEDLG-10 INVITEDLG-11]', async ({
  person,
  club,
}) => {
  const nameless = await person('');
  const rowers = await club([nameless]);
  for (const path of ['', '/members']) {
    await nameless.page.goto(`/app/clubs/${rowers.slug}${path}`);
    await button(nameless, 'Invite members').click();
    await expect(nameless.page.getByRole('dialog', { name: 'Update your name' })).toContainText(
      'Before inviting members to your club, please update your name so that others will know who you are.',
    );
    await expect(dialogOf(nameless)).toHaveCount(0);
  }
  await nameless.page.getByText('Update Name', { exact: true }).click();
  await expect(nameless.page).toHaveURL('/app/profile');
});

test('invite dialog: shows an error when no link can be created [TOAST-11]', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await ada.api.invites.remove({ invite: (await ada.api.invites.ofClub({ club: rowers.id })).id });
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
  await withoutLive(bob.page);
  await openDialog(bob, rowers);
  await expect(button(bob, 'Create invite link')).toBeVisible();
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 0 });
  await button(bob, 'Create invite link').click();
  await expectToast(
    bob.page,
    'Failed to create invite link',
    'Failed to create invite link, please try again later.',
  );
});

test('invite dialog: shows an error and the current link when it cannot be deleted [TOAST-12]', async ({
  person,
  club,
}) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
  await openDialog(ada, rowers);
  await expect(link(ada)).toBeVisible();
  const { invite_link } = await bob.api.invites.create({ club_id: rowers.id });
  await button(ada, 'Delete link').click();
  await sure(ada, 'Delete').click();
  await expectToast(
    ada.page,
    'Failed to delete invite link',
    'Failed to delete invite link, please try again later.',
  );
  await expect(link(ada)).toHaveValue(new RegExp(`${invite_link}$`));
});

test('invite dialog: is for admins only [INVITEDLG-01]', async ({ person, club }) => {
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const rowers = await club([ada, bob]);
  await bob.page.goto(`/app/clubs/${rowers.slug}`);
  await expect(bob.page.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers');
  await expect(button(bob, 'Invite members')).toHaveCount(0);
});
