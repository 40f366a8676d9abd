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
