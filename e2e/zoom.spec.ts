import { field, link, main } from '#e2e/dialogs.ts';
import { button } from '#e2e/event-page.ts';
import { pressOn, typeInto } from '#e2e/keys.ts';
import { codeTo, expect, freshAddress, test } from '#e2e/people.ts';

/** A desktop at 200 % zoom, which halves the width in CSS pixels. */
const zoomed = { viewport: { width: 720, height: 450 }, forcedColors: 'active' } as const;

test('at 200 % zoom, in forced colours and by keyboard alone, a new person joins by a link, attends, and founds a club with an event [UX-42]', async ({
  visitor,
  ada,
  rowers,
  run,
}) => {
  test.slow();
  const { page } = await visitor(zoomed);
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  await page.goto(`/app/club/${rowers.slug}/${invite_link}`);
  await pressOn(page, button(page, 'Accept Invite'));
  const email = freshAddress('bob');
  await typeInto(page, field(page, 'Email'), email);
  await page.keyboard.press('Enter');
  await expect(field(page, 'Code')).toBeFocused();
  await page.keyboard.type(await codeTo(email, 0));
  await typeInto(page, field(page, 'First Name'), 'Bob');
  await typeInto(page, field(page, 'Last Name'), 'Stone');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
  await pressOn(page, main(page).getByRole('button', { name: `Attend Event: ${run.name}` }));
  await expect(main(page).getByRole('button', { name: /^Attending/ })).toBeFocused();
  await pressOn(page, main(page).getByRole('link', { name: run.name }));
  await expect(button(page, 'Attending')).toBeVisible();

  await page.goto('/app');
  await pressOn(page, link(page, 'New club'));
  await typeInto(page, field(page, 'Club Name'), 'Bookworms');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Bookworms', level: 1 })).toBeVisible();
  await pressOn(page, link(page, 'New event').first());
  await typeInto(page, field(page, 'Title'), 'First evening');
  await pressOn(page, button(page, 'Tomorrow 7 pm'));
  await typeInto(page, field(page, 'Location'), 'Library');
  await pressOn(page, button(page, 'Create Event'));
  await expect(page.getByRole('heading', { name: 'First evening' })).toBeVisible();
});
