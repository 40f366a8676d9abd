import { card, clubPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';

const description =
  'We row twice a week, from the harbour to the lighthouse and back. Everyone can join. '.repeat(3);

for (const [device, viewport, maxHeight] of [
  ['a phone', { width: 390, height: 844 }, 360],
  ['a desktop', { width: 1440, height: 900 }, 300],
] as const)
  test(`club page on ${device}: the header takes little height, and an admin can invite members and plan events without scrolling [UX-01 UX-02 UX-03 UX-04]`, async ({
    ada,
    rowers,
    run,
  }) => {
    const { page, api } = ada;
    await page.setViewportSize(viewport);
    await api.clubs.update({
      club: rowers.id,
      club_description: description,
      location_name: 'The Boathouse, Pier 3, Leith, Edinburgh',
      meta: { website: 'rowers.example' },
    });
    await api.updates.publish({ club: rowers.id, content: 'The boats are back in the water. '.repeat(8) });
    await page.goto(clubPath(rowers));
    const header = page.getByRole('main').locator('header');
    const first = card(page, run.name);
    await expect(first).toBeVisible();
    expect((await header.boundingBox())?.height).toBeLessThanOrEqual(maxHeight);
    await expect(page.getByRole('button', { name: 'Invite members' })).toBeInViewport();
    await expect(page.getByRole('link', { name: 'New event' })).toBeInViewport();
    for (const text of [/Pier 3/, 'rowers.example', /^Joined /, 'Club Calendar', 'Edit', 'Leave club'])
      await expect(header.getByText(text, { exact: typeof text === 'string' }).last()).toBeVisible();
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
