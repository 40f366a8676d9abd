import { button, eventPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';

test.use({ viewport: { width: 390, height: 844 } });

test('event page on a phone: time, place and answer buttons are visible without scrolling, even with a title of 120 characters [ANSWER-03 UX-09 UX-10]', async ({
  ada,
  bob,
  rowers,
  event,
}) => {
  const name = 'Evening row to the lighthouse and back again '.repeat(3).slice(0, 120).trim();
  const { page } = bob;
  await page.goto(eventPath(await event(rowers, ada, { name, location_name: 'Pier 3' })));
  const action = button(page, 'Attend Event');
  const bar = page.locator('[data-bottom-bar]');
  const topOfBar = async () => (await bar.boundingBox())?.y ?? 0;
  await expect(action).toBeVisible();
  expect(await topOfBar()).toBeGreaterThan(740);
  for (const heading of ['Date and time', 'Location']) {
    const box = await page.getByRole('heading', { name: heading }).locator('..').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(await topOfBar());
  }
  const last = page.getByRole('contentinfo').getByRole('link').last();
  await page.mouse.wheel(0, 10_000);
  await expect(last).toBeInViewport();
  await expect(action).toBeInViewport();
  const end = await last.boundingBox();
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThan(await topOfBar());
  await action.click();
  for (const name of ['Attending', 'Maybe', "Can't go"]) await expect(button(page, name)).toBeInViewport();
});

test('event page on a small phone: the host sees the numbers of answers above the fold, and no label is cut at 150 % text size; a waiting member sees their place [HOSTUX-01 HOSTUX-03 HOSTUX-08 UX-09]', async ({
  ada,
  bob,
  rowers,
  event,
}) => {
  const run = await event(rowers, ada, { location_name: 'Pier 3' });
  await ada.api.events.edit({ event: run.slug, club: rowers.id, capacity: 1 });
  await bob.api.answers.attend({ event: run.slug });
  const { page } = ada;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(eventPath(run));
  const bar = page.locator('[data-bottom-bar]');
  for (const name of ['Change of plan', 'Share', 'More actions'])
    await expect(bar.getByRole('button', { name })).toBeInViewport();
  await expect(page.getByRole('link', { name: '1 on the waitlist' })).toBeInViewport({ ratio: 1 });
  await expect(button(page, 'Cancel Event')).toBeVisible();
  await page.evaluate(() => (document.documentElement.style.fontSize = '150%'));
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('[data-bottom-bar] button, header nav a, summary')]
      .filter((each) => each.scrollWidth > each.clientWidth || each.getBoundingClientRect().right > 360)
      .map(({ textContent }) => textContent),
  );
  expect(cut).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  await bob.page.setViewportSize({ width: 360, height: 740 });
  await bob.page.goto(eventPath(run));
  await expect(bob.page.locator('[data-bottom-bar]').getByText('1st on the waitlist')).toBeInViewport();
  await bob.page.setViewportSize({ width: 1440, height: 900 });
  await expect(bob.page.getByText(/^You are 1st on the waitlist/)).toBeInViewport({ ratio: 1 });
  await expect(button(bob.page, 'Leave waitlist')).toBeInViewport({ ratio: 1 });
});
