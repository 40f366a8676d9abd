import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { field, link, main } from '#e2e/dialogs.ts';
import { button } from '#e2e/event-page.ts';
import { pressOn, typeInto } from '#e2e/keys.ts';
import { codeTo, expect, freshAddress, test } from '#e2e/people.ts';

/** A desktop at 200 % zoom, which halves the width in CSS pixels. */
const zoomed = { viewport: { width: 720, height: 450 }, forcedColors: 'active' } as const;

/** Targets of less than 44 × 44 px, except for links within text. The area of a pseudo-element counts too. */
const smallTargets = `[...document.querySelectorAll('a, button, input, select, textarea, summary, [role=button]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('p, .sr-only, [aria-hidden=true]'))
  .filter((one) => {
    one.scrollIntoView({ block: 'center' });
    // A link whose pseudo-element covers its card.
    const isCard = one.matches('a') && getComputedStyle(one, '::after').position === 'absolute';
    const target = one.closest(isCard ? '.relative' : 'label') ?? one;
    const { left, top, width, height } = target.getBoundingClientRect();
    if (width < 2 || (width >= 44 && height >= 44)) return false;
    const [x, y] = [left + width / 2, top + height / 2];
    return [[0, -21], [0, 21], [-21, 0], [21, 0]].some(([dx, dy]) => {
      const hit = document.elementFromPoint(x + dx, y + dy);
      return !(hit && (target.contains(hit) || hit.contains(target) && hit.matches('label, a, button')));
    });
  })
  .map((one) => one.outerHTML.slice(0, 160))`;

async function expectUsable(page: Page): Promise<void> {
  // In forced colours, axe would compare the text colour of our own scheme with the background of the browser's.
  await page.emulateMedia({ forcedColors: null });
  await expectAccessible(page);
  await page.emulateMedia({ forcedColors: 'active' });
  expect(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    'wider than the screen',
  ).toBeLessThanOrEqual(0);
  expect(await page.evaluate(smallTargets), 'targets below 44 px').toEqual([]);
}

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
  await expectUsable(page);
  await pressOn(page, button(page, 'Accept Invite'));
  const email = freshAddress('bob');
  await typeInto(page, field(page, 'Email'), email);
  await expectUsable(page);
  await page.keyboard.press('Enter');
  await expect(field(page, 'Code')).toBeFocused();
  await page.keyboard.type(await codeTo(email, 0));
  await typeInto(page, field(page, 'First Name'), 'Bob');
  await typeInto(page, field(page, 'Last Name'), 'Stone');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
  await expectUsable(page);
  await pressOn(page, main(page).getByRole('button', { name: `Attend Event: ${run.name}` }));
  await expect(main(page).getByRole('button', { name: /^Attending/ })).toBeFocused();
  await pressOn(page, main(page).getByRole('link', { name: run.name }));
  await expect(button(page, 'Attending')).toBeVisible();
  await expectUsable(page);

  await page.goto('/app');
  await expectUsable(page);
  await pressOn(page, link(page, 'New club'));
  await typeInto(page, field(page, 'Club Name'), 'Bookworms');
  await expectUsable(page);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Bookworms', level: 1 })).toBeVisible();
  await expectUsable(page);
  await pressOn(page, link(page, 'New event').first());
  await typeInto(page, field(page, 'Title'), 'First evening');
  await pressOn(page, button(page, 'Tomorrow 7 pm'));
  await typeInto(page, field(page, 'Location'), 'Library');
  await expectUsable(page);
  await pressOn(page, button(page, 'Create Event'));
  await expect(page.getByRole('heading', { name: 'First evening' })).toBeVisible();
});
