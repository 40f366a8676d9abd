import { card, clubPath } from '#e2e/event-page.ts';
import { expect, test, type ClubHandle, type Person } from '#e2e/people.ts';

const description =
  'We row twice a week, from the harbour to the lighthouse and back. Everyone can join. '.repeat(3);

/** Gives the club a description, a place, a website and an update. */
async function fillIn({ api }: Person, { id }: ClubHandle): Promise<void> {
  await api.clubs.update({
    club: id,
    club_description: description,
    location_name: 'The Boathouse, Pier 3, Leith, Edinburgh',
    meta: { website: 'rowers.example' },
  });
  await api.updates.publish({ club: id, content: `Dear rowers,\n\n${'The boats are back. '.repeat(8)}` });
}

for (const [device, viewport, maxHeight] of [
  ['a phone', { width: 390, height: 844 }, 360],
  ['a desktop', { width: 1440, height: 900 }, 300],
] as const)
  test(`club page on ${device}: the header takes little height, and an admin can invite members and plan events without scrolling [UX-01 UX-02 UX-03 UX-04]`, async ({
    ada,
    rowers,
    run,
  }) => {
    const { page } = ada;
    await page.setViewportSize(viewport);
    await fillIn(ada, rowers);
    await page.goto(clubPath(rowers));
    const header = page.getByRole('main').locator('header');
    const first = card(page, run.name);
    await expect(first).toBeVisible();
    expect((await header.boundingBox())?.height).toBeLessThanOrEqual(maxHeight);
    await expect(page.getByRole('button', { name: 'Invite members' })).toBeInViewport();
    await expect(page.getByRole('link', { name: 'New event' })).toBeInViewport();
    if (device === 'a phone') await header.getByRole('button', { name: 'More actions' }).click();
    for (const text of [/Pier 3/, 'rowers.example', /^Joined /, 'Club Calendar', 'Edit', 'Leave club'])
      await expect(header.getByText(text, { exact: typeof text === 'string' }).last()).toBeVisible();
    if (device === 'a phone') await page.keyboard.press('Escape');
    const more = header.getByRole('button', { name: 'Show more' });
    if (device === 'a desktop') return;
    expect((await first.boundingBox())?.y).toBeLessThan(viewport.height);
    await expect(more).toHaveAttribute('aria-expanded', 'false');
    await more.press('Enter');
    const less = header.getByRole('button', { name: 'Show less' });
    await expect(less).toHaveAttribute('aria-expanded', 'true');
    await less.press('Enter');
    await expect(more).toBeFocused();
  });

test('club page on a small phone: the first event is above the fold for members and admins, whose actions stay reachable [CLUBUX-01]', async ({
  ada,
  bob,
  rowers,
  run,
}) => {
  await fillIn(ada, rowers);
  for (const { page } of [ada, bob]) {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(clubPath(rowers));
    const row = card(page, run.name);
    await expect(row).toBeVisible();
    const { y = 0, height = 0 } = (await row.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(740);
  }
  await expect(bob.page.getByRole('button', { name: 'Club Calendar' })).toBeInViewport({ ratio: 1 });
  const { page } = ada;
  for (const action of [
    page.getByRole('link', { name: 'New event' }),
    page.getByRole('button', { name: 'Invite members' }),
    page.getByRole('link', { name: 'Create update' }),
  ])
    await expect(action).toBeInViewport({ ratio: 1 });
  // The whole card of the update is a link, which lies above its text.
  await page.getByText('The boats are back.').click({ force: true });
  await expect(page).toHaveURL(/\/updates$/);
});
