import { codeIn, expect, freshAddress, emailTo, test, type Person, type Visitor } from '#e2e/people.ts';
import { closeToast, expectToast } from '#e2e/toast.ts';

const button = ({ page }: Visitor, name: string) => page.getByRole('button', { name, exact: true });
const field = ({ page }: Visitor, name: string) => page.getByRole('textbox', { name });

/** Creates the invite link of a club and returns the path of its page. */
async function pathOfInvite(admin: Person, { id, slug }: { id: string; slug: string }): Promise<string> {
  const { invite_link } = await admin.api.invites.create({ club_id: id });
  return `/app/club/${slug}/${invite_link}`;
}

const clubsOf = async ({ api }: Person) => (await api.users.me({})).clubs.map(({ slug }) => slug);

test.describe('invite page', () => {
  test('is public and can be declined [INVITE-01 INVITE-02 INVITE-03 INVITE-04 INVITE-05 INVITE-06 INVITE-08 API-25]', async ({
    person,
    visitor,
    club,
  }) => {
    const [ada, bob, anybody] = [await person('Ada'), await person('Bob'), await visitor()];
    const path = await pathOfInvite(ada, await club([ada], 'Chess & Cake'));
    for (const { page } of [anybody, bob]) {
      const answer = page.waitForResponse((got) => got.url().includes('/api/v1/invite-links/'));
      await page.goto(path);
      const { data } = (await (await answer).json()) as { data: object };
      expect(data).toEqual({ id: expect.any(String), club_name: 'Chess & Cake' });
      await expect(page).toHaveTitle('Muster - Club Invitation');
      await expect(page.getByRole('heading', { name: 'Club Invitation' })).toBeVisible();
      await expect(page.getByText('You have been invited to join Chess & Cake')).toBeVisible();
      await expect(page.getByRole('button', { name: 'Accept Invite' })).toBeVisible();
    }
    await button(bob, 'Decline Invite').click();
    await expect(bob.page).toHaveURL('/app');
    expect(await clubsOf(bob)).toEqual([]);
    // Home redirects visitors without a session.
    await button(anybody, 'Decline Invite').click();
    await expect(anybody.page).toHaveURL('/');
  });

  test('is the same for a missing, replaced and deleted link [INVITE-07 INVITEDLG-06 INVITEDLG-07]', async ({
    person,
    visitor,
    club,
  }) => {
    const ada = await person('Ada');
    const rowers = await club([ada]);
    const replaced = await pathOfInvite(ada, rowers);
    const { id, invite_link } = await ada.api.invites.create({ club_id: rowers.id });
    await ada.api.invites.remove({ invite: id });
    const { page } = await visitor();
    for (const path of [
      replaced,
      `/app/club/${rowers.slug}/${invite_link}`,
      `/app/club/${rowers.slug}/unknown`,
    ]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { name: 'Invite not found' })).toBeVisible();
      await expect(page.getByText('Harbour Rowers')).toHaveCount(0);
      await expect(page.getByRole('button', { name: 'Accept Invite' })).toHaveCount(0);
    }
  });

  test('redirects members to their club [INVITE-15]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada, bob]);
    const path = await pathOfInvite(ada, rowers);
    for (const { page } of [ada, bob]) {
      await page.goto(path);
      await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
    }
  });
});

test.describe('joining', () => {
  test('takes one click for a user with a name [INVITE-09 INVITE-13 INVITE-14 API-26]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada]);
    const path = await pathOfInvite(ada, rowers);
    const { page } = bob;
    let loads = 0;
    page.on('load', () => loads++);
    await page.goto(path);
    const request = page.waitForRequest((sent) => sent.method() === 'POST');
    await button(bob, 'Accept Invite').click();
    expect((await request).url()).toMatch(new RegExp(`/api/v1/invite-links/join/${path.split('/').at(-1)}$`));
    await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
    await expect(page.getByRole('region', { name: /^Members/ }).getByRole('listitem')).toHaveText([
      /Ada/,
      /Bob \(you\)/,
    ]);
    await page.getByRole('banner').getByRole('link', { name: 'Muster' }).click();
    await expect(page.getByRole('link', { name: 'Harbour Rowers' })).toBeVisible();
    expect(loads).toBe(1);
    expect(await clubsOf(bob)).toEqual([rowers.slug]);
  });

  test('asks a user without a name for first and last name [INVITE-10 INVITE-11 INVITE-12 API-26]', async ({
    person,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await person('')];
    const rowers = await club([ada]);
    await bob.page.goto(await pathOfInvite(ada, rowers));
    await button(bob, 'Accept Invite').click();
    const prompt = bob.page.getByRole('dialog', { name: 'What is your name?' });
    await expect(prompt).toBeVisible();
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
    await field(bob, 'Last Name').fill('Stone');
    const request = bob.page.waitForRequest((sent) => sent.method() === 'POST');
    await button(bob, 'Join club').click();
    expect((await request).postDataJSON()).toEqual({ first_name: 'Bob', last_name: 'Stone' });
    await expect(bob.page).toHaveURL(`/app/clubs/${rowers.slug}`);
    await expect(bob.page.getByText('Bob Stone (you)')).toBeVisible();
  });

  test('leads a visitor through the login and back to the invite [INVITE-16]', async ({
    person,
    visitor,
    club,
  }) => {
    const [ada, bob] = [await person('Ada'), await visitor()];
    const rowers = await club([ada]);
    const path = await pathOfInvite(ada, rowers);
    await bob.page.goto(path);
    await button(bob, 'Accept Invite').click();
    await expect(bob.page).toHaveURL('/login');
    const email = freshAddress('bob');
    await field(bob, 'Email').fill(email);
    await button(bob, 'Login').click();
    await bob.page
      .getByRole('dialog')
      .getByRole('textbox')
      .fill(codeIn(await emailTo(email)));
    await button(bob, 'Confirm Code').click();
    await expect(bob.page).toHaveURL(path);
    await expect(bob.page.getByText('You have been invited to join Harbour Rowers')).toBeVisible();
    await button(bob, 'Accept Invite').click();
    await expect(bob.page.getByRole('dialog', { name: 'What is your name?' })).toBeVisible();
  });

  test('fails when the link expired meanwhile, and the page shows it [TOAST-13]', async ({
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

  test('fails when offline and can be retried [TOAST-13]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('Bob')];
    const rowers = await club([ada]);
    await bob.page.goto(await pathOfInvite(ada, rowers));
    await expect(button(bob, 'Accept Invite')).toBeVisible();
    await bob.context.setOffline(true);
    await button(bob, 'Accept Invite').click();
    await expectToast(bob.page, 'Failed to join club', 'Failed to join club, please try again later.');
    await bob.context.setOffline(false);
    await button(bob, 'Accept Invite').click();
    await expect(bob.page).toHaveURL(`/app/clubs/${rowers.slug}`);
  });

  test('works by keyboard alone [INVITE-10]', async ({ person, club }) => {
    const [ada, bob] = [await person('Ada'), await person('')];
    const rowers = await club([ada]);
    await bob.page.goto(await pathOfInvite(ada, rowers));
    const { keyboard } = bob.page;
    await expect(button(bob, 'Accept Invite')).toBeVisible();
    const tabToAccept = async () => {
      for (let steps = 0; steps < 20; steps++) {
        await keyboard.press('Tab');
        const here = button(bob, 'Accept Invite');
        if (await here.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      }
      throw new Error('The Tab key does not lead there');
    };
    await tabToAccept();
    await keyboard.press('Enter');
    await expect(field(bob, 'First Name')).toBeFocused();
    await keyboard.press('Escape');
    await expect(button(bob, 'Accept Invite')).toBeFocused();
    await keyboard.press('Enter');
    await expect(field(bob, 'First Name')).toBeFocused();
    await keyboard.type('Bob');
    await keyboard.press('Tab');
    await keyboard.type('Stone');
    await keyboard.press('Enter');
    await expect(bob.page).toHaveURL(`/app/clubs/${rowers.slug}`);
    await expect(bob.page.getByText('Bob Stone (you)')).toBeVisible();
  });
});
