import { withoutSsr } from '#e2e/answer.ts';
import sharp from 'sharp';
import { expectAccessible } from '#e2e/axe.ts';
import { button, clubPath, eventPath } from '#e2e/event-page.ts';
import { expect, freshAddress, joinClub, origin, test, type Visitor } from '#e2e/people.ts';

const phone = { width: 390, height: 844 };

type Scene = [what: string, path: string, reach?: (visitor: Visitor) => Promise<unknown>];

const press = (name: string) => async (visitor: Visitor) => {
  await visitor.page.getByRole('button', { name }).first().click();
  await expect(visitor.page.getByRole('dialog').or(visitor.page.getByRole('alertdialog'))).toBeVisible();
};

/** Opens a dialog and, from it, a confirmation. */
const pressInDialog = (outer: string, name: string) => async (visitor: Visitor) => {
  await press(outer)(visitor);
  await visitor.page.getByRole('dialog').getByRole('button', { name }).click();
  await expect(visitor.page.getByRole('alertdialog')).toBeVisible();
};

async function removeMessage({ page }: Visitor): Promise<void> {
  await button(page, 'Change this message').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
}

const openMenu =
  (name: string) =>
  async ({ page }: Visitor) => {
    await button(page, name).click();
    await expect(page.getByRole('menu')).toBeVisible();
  };

async function cutBanner({ page }: Visitor): Promise<void> {
  const banner = { create: { width: 900, height: 300, channels: 3, background: '#0b6a61' } } as const;
  const buffer = await sharp(banner).png().toBuffer();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('region', { name: 'Club banner' }).getByRole('button').click();
  await (await chooser).setFiles({ name: 'banner.png', mimeType: 'image/png', buffer });
  await expect(page.getByRole('dialog', { name: 'Choose what to show' })).toBeVisible();
}

/** Goes offline and follows a link to a page that is not cached. */
async function loseNetwork({ page, context }: Visitor): Promise<void> {
  await context.setOffline(true);
  await page.getByRole('main').getByRole('link', { name: 'Harbour Rowers' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: "You're offline" })).toBeVisible();
}

const isCancelled = ({ page }: Visitor) => expect(page.getByText('CANCELLED', { exact: true })).toBeVisible();

/**
 * What an admin opens on screens. every-screen.spec.ts checks the screens themselves. Paths are relative to the path of
 * the club.
 */
const scenes: Scene[] = [
  ['leaving', '', press('Leave club')],
  ['inviting', '', press('Invite members')],
  ['deleting the link', '', pressInDialog('Invite members', 'Delete link')],
  ['replacing the link', '', pressInDialog('Invite members', 'Replace')],
  [
    'the calendar',
    '',
    async (visitor) => {
      await press('Club Calendar')(visitor);
      await visitor.page.getByRole('dialog').locator('summary').click();
    },
  ],
  ['replacing the address of the calendar', '', pressInDialog('Club Calendar', 'Replace link')],
  ['cropping the banner', '/edit', cutBanner],
  ['deleting the club', '/edit', press('Delete club')],
  ['ejecting', '/members', press('Eject Bob')],
  [
    'stepping down',
    '/members',
    async ({ page }) => {
      await page.getByRole('combobox', { name: 'Role of Ada' }).selectOption('Member');
      await expect(page.getByRole('alertdialog')).toBeVisible();
    },
  ],
  [
    'the date picker of a new event',
    '/new-event',
    async ({ page }) => {
      await button(page, 'Pick date and time').first().click();
      await expect(page.getByRole('grid')).toBeVisible();
    },
  ],
  [
    'a new event without a title',
    '/new-event',
    async ({ page }) => {
      await page.locator('summary').click();
      await button(page, 'Create Event').click();
      await expect(page.getByText('Give the event a title.')).toBeVisible();
    },
  ],
];

const chooseForCrew =
  (item: string) =>
  async ({ page }: Visitor) => {
    await button(page, 'Actions for Crew').click();
    await page.getByRole('menuitem', { name: item }).click();
    await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toBeVisible();
  };

const sectionScenes: Scene[] = [
  ['renaming a section', '/sections', chooseForCrew('Rename')],
  ['removing a section', '/sections', chooseForCrew('Remove')],
];

/** Opens each page once. Dialogs and menus of a scene are closed before the next scene of the same page. */
async function expectScenes(person: Visitor, base: string, some: Scene[]): Promise<void> {
  const { page } = person;
  const closeAll = async () => {
    await page.keyboard.press('Escape');
    expect(await page.locator('[role=dialog], [role=alertdialog], [role=menu]').count()).toBe(0);
  };
  for (const [what, path, reach] of some) {
    await test.step(what, async () => {
      if (page.url() === origin() + base + path) await expect(closeAll).toPass();
      else await page.goto(base + path);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      if (path === '/members') await expect(page.getByText(/^Bob|^Only club admins/).first()).toBeVisible();
      await reach?.(person);
      await expectAccessible(page);
    });
  }
}

test.describe('accessibility', () => {
  test.slow();

  test('dialogs and pickers of a club with members and events', async ({ ada, bob, rowers, run }) => {
    await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 200 });
    await expectScenes(ada, clubPath(rowers), scenes);
    await ada.api.sections.save({ club: rowers.id, sections: [{ name: 'Crew' }] });
    await expectScenes(ada, clubPath(rowers), sectionScenes);
    await bob.api.answers.attend({ event: run.slug });
    await ada.api.updates.sendMessage({ event: run.id, content: 'Meet at the north gate', to: ['going'] });
    await expectScenes(ada, '', [
      ['cancelling an event', eventPath(run), press('Cancel Event')],
      ['writing a message', eventPath(run), press('Message')],
      ['deleting a message', eventPath(run), removeMessage],
    ]);
  });

  test('screens of an empty club on a phone, with a toast', async ({ ada, bob, rowers }) => {
    await ada.page.setViewportSize(phone);
    await expectScenes(ada, clubPath(rowers), [
      ['the club', ''],
      ['updates', '/updates'],
      [
        'an expanded member',
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
  });

  test('screens for creating and joining a club', async ({ person, visitor, club, ada, rowers }) => {
    const nameless = await person('');
    const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
    const invite = `/app/club/${rowers.slug}/${invite_link}`;
    const { page } = nameless;
    await page.goto('/app/new-club');
    await page.getByRole('button', { name: 'Create Club' }).click();
    await expect(page.getByText('This field is required!')).toBeVisible();
    await expectAccessible(page);

    const guest = await visitor();
    await guest.page.goto(`${invite}x`);
    await expect(guest.page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectAccessible(guest.page);
    await page.goto(invite);
    await press('Accept Invite')(nameless);
    await page.getByRole('button', { name: 'Join club' }).click();
    await expect(page.getByText('Enter your first name.')).toBeVisible();
    await expectAccessible(page);

    const own = await club([nameless]);
    await page.goto(`/app/clubs/${own.slug}`);
    await press('Invite members')(nameless);
    await expect(page.getByRole('dialog', { name: 'Update your name' })).toBeVisible();
    await expectAccessible(page);
  });

  test('the page of an event', async ({ ada, bob, eve, rowers, event }) => {
    const words = { description: 'Along the pier', details: 'Bring water.', time_zone: 'Asia/Tokyo' };
    const run = await event(rowers, ada, words);
    const swim = await event(rowers, ada, { name: 'Swim' });
    await bob.api.answers.attend({ event: swim.slug });
    const conflict = 'Clashes with:';
    await expectScenes(bob, '', [
      ['asking the hosts', eventPath(swim), press('Ask the hosts')],
      ['in conflict', eventPath(run), ({ page }) => expect(page.getByText(conflict)).toBeVisible()],
      ['adding it to a calendar', eventPath(swim), openMenu('Add to calendar')],
      ['no longer attending', eventPath(swim), press('Attending')],
    ]);
    await expectScenes(eve, '', [['for an outsider', eventPath(run)]]);
    await ada.api.events.cancel({ event: run.slug });
    await expectScenes(bob, '', [['cancelled', eventPath(run), isCancelled]]);
  });

  test('screens outside of clubs', async ({ ada, eve, rowers, event, visitor }) => {
    await expectScenes(eve, '', [['an empty home', '/app']]);
    await event(rowers, ada);
    // Ada gets a notification, which the scene of clearing the notifications needs.
    await joinClub(rowers, ada, eve);
    await expectScenes(ada, '', [
      ['the menu', '/app', openMenu('User menu')],
      ['clearing the notifications', '/app/notifications', press('Clear all')],
    ]);
    await expectScenes(await visitor(), '', [
      [
        'the code',
        '/login',
        async (guest) => {
          await guest.page.getByLabel('Email').fill(freshAddress('Zoe'));
          await button(guest.page, 'Login').click();
          await expect(guest.page.getByRole('dialog')).toBeVisible();
        },
      ],
    ]);
    await expectScenes(ada, '', [['offline', '/app', loseNetwork]]);
    await ada.context.setOffline(false);
    await expect(ada.page.getByRole('heading', { level: 1, name: 'Harbour Rowers' })).toBeVisible();
    await withoutSsr(ada.context);
    await ada.page.route('**/api/v1/users', (route) => route.fulfill({ status: 500, body: '' }));
    await expectScenes(ada, '', [['a server error', '/app']]);
  });
});
