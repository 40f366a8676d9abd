import { expectAccessible } from '#e2e/axe.ts';
import { expect, test, type ClubHandle, type Person } from '#e2e/people.ts';

const phone = { width: 390, height: 844 };

type Scene = [what: string, path: string, reach?: (person: Person) => Promise<unknown>];

const press = (name: string) => async (person: Person) => {
  await person.page.getByRole('button', { name }).first().click();
  await expect(person.page.getByRole('dialog').or(person.page.getByRole('alertdialog'))).toBeVisible();
};

/** What an admin comes by; a path starts below the club's own. */
const scenes: Scene[] = [
  ['the club', ''],
  ['leaving', '', press('Leave club')],
  ['inviting', '', press('Invite members')],
  [
    'deleting the link',
    '',
    async (person) => {
      await press('Invite members')(person);
      await person.page.getByRole('button', { name: 'Delete link' }).click();
      await expect(person.page.getByRole('alertdialog')).toBeVisible();
    },
  ],
  ['editing', '/edit'],
  ['deleting the club', '/edit', press('Delete club')],
  ['members', '/members'],
  ['ejecting', '/members', press('Eject Bob')],
  ['updates', '/updates'],
  ['a new update', '/new-update'],
];

async function expectScenes(person: Person, { slug }: ClubHandle, some: Scene[]): Promise<void> {
  for (const [what, path, reach] of some) {
    await test.step(what, async () => {
      await person.page.goto(`/app/clubs/${slug}${path}`);
      await expect(person.page.getByRole('heading', { level: 1 })).toBeVisible();
      if (path === '/members')
        await expect(person.page.getByText(/^Bob|^Only club admins/).first()).toBeVisible();
      await reach?.(person);
      await expectAccessible(person.page);
    });
  }
}

test.describe('nothing keeps anybody out', () => {
  test.slow();

  test('of a club with people, events and updates', async ({ person, club, event }) => {
    const ada = await person('Ada');
    const rowers = await club([ada, await person('Bob')]);
    await ada.api.updates.publish({ club: rowers.id, content: 'The boat is mended.' });
    await event(rowers, ada);
    await expectScenes(ada, rowers, scenes);
  });

  test('of an empty one, a phone, a member, and a toast', async ({ person, club }) => {
    const ada = await person('Ada', { viewport: phone });
    const bob = await person('Bob');
    const rowers = await club([ada, bob]);
    await expectScenes(ada, rowers, [
      ['the club', ''],
      ['updates', '/updates'],
      [
        'an opened member',
        '/members',
        async ({ page }) => {
          await page.getByRole('main').getByRole('button', { name: /^Bob/ }).click();
          await expect(page.getByText(bob.email)).toBeVisible();
        },
      ],
    ]);
    await ada.page.getByRole('combobox', { name: 'Role of Bob' }).selectOption('Organiser');
    await expect(ada.page.getByText('User role has been updated').first()).toBeVisible();
    await expectAccessible(ada.page);
    await expectScenes(bob, rowers, [
      ['the club', ''],
      ['no members to manage', '/members'],
      ['no update to publish', '/new-update'],
    ]);
  });

  test('of founding and joining one', async ({ person, visitor, club }) => {
    const [ada, nameless] = [await person('Ada'), await person('')];
    const rowers = await club([ada]);
    const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
    const invite = `/app/club/${rowers.slug}/${invite_link}`;
    const { page } = nameless;
    await page.goto('/app/new-club');
    await page.getByRole('button', { name: 'Create Club' }).click();
    await expect(page.getByText('This field is required!')).toBeVisible();
    await expectAccessible(page);

    const anybody = await visitor();
    for (const path of [invite, `${invite}x`]) {
      await anybody.page.goto(path);
      await expect(anybody.page.getByRole('heading', { level: 1 })).toBeVisible();
      await expectAccessible(anybody.page);
    }
    await page.goto(invite);
    await press('Accept Invite')(nameless);
    await page.getByRole('button', { name: 'Join club' }).click();
    await expect(page.getByText('Enter your first name.')).toBeVisible();
    await expectAccessible(page);

    const own = await club([nameless]);
    await page.goto(`/app/clubs/${own.slug}`);
    await press('Invite members')(nameless);
    await expectAccessible(page);
  });
});
