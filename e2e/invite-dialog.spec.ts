import { expect, origin, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

test('invite dialog: lets admins create, copy, replace and delete the link [INVITEDLG-01 INVITEDLG-02 INVITEDLG-06 INVITEDLG-07 INVITEDLG-08 TOAST-14]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada', { permissions: ['clipboard-read', 'clipboard-write'] });
  const bob = await person('Bob');
  const rowers = await club([ada, bob]);
  const { id } = await ada.api.invites.ofClub({ club: rowers.id });
  await ada.api.invites.remove({ invite: id });
  const path = `/app/clubs/${rowers.slug}`;
  const { page } = ada;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const answer = (name: string) =>
    page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();

  await page.goto(path);
  await button('Invite members').click();
  const field = page.getByRole('dialog').getByRole('textbox', { name: 'Invite link' });
  const expectCurrent = async () => {
    const { invite_link } = await ada.api.invites.ofClub({ club: rowers.id });
    await expect(field).toHaveValue(`${origin()}/app/club/${rowers.slug}/${invite_link}`);
    return invite_link;
  };
  await button('Create invite link').click();
  await expect(field).toHaveJSProperty('readOnly', true);
  const first = await expectCurrent();
  await button('Copy: Invite link').click();
  await expectToast(page, 'Link copied to clipboard', 'The invite link has been copied to your clipboard.');
  await expect(field).toHaveValue(await page.evaluate(() => navigator.clipboard.readText()));

  await button('Regenerate link').click();
  await answer('Cancel');
  expect(await expectCurrent()).toBe(first);
  await button('Regenerate link').click();
  await answer('Regenerate');
  await expect(field).not.toHaveValue(new RegExp(`${first}$`));
  const second = await expectCurrent();
  await expect(ada.api.invites.get({ invite: first })).rejects.toMatchObject({ status: 404 });
  await button('Delete link').click();
  await answer('Delete');
  await expect(button('Create invite link')).toBeVisible();
  await expect(ada.api.invites.get({ invite: second })).rejects.toMatchObject({ status: 404 });

  await bob.page.goto(path);
  await expect(bob.page.getByRole('heading', { level: 1 })).toHaveText('Harbour Rowers');
  await expect(bob.page.getByRole('button', { name: 'Invite members' })).toHaveCount(0);
});
