import { card, clubPath } from '#e2e/event-page.ts';
import { tabTo } from '#e2e/keys.ts';
import { expect, test } from '#e2e/people.ts';

const week = 7 * 24;

for (const [device, viewport, fitting] of [
  ['a phone', { width: 390, height: 844 }, 6],
  ['a desktop', { width: 1440, height: 900 }, 10],
] as const)
  test(`event rows on ${device}: ${fitting} fit on the screen below the heading of the list, and keyboard users can attend from a row [UX-05 UX-06]`, async ({
    ada,
    bob,
    rowers,
    event,
  }) => {
    const description = 'An easy hour on the water for everybody, all three skiffs, and then tea.';
    const plan = (name: string, startsIn: number) => event(rowers, ada, { name, description, startsIn });
    await bob.api.answers.attend({ event: (await plan('Clash', 25)).slug });
    await plan('Long row', 25);
    for (let at = 1; at < 9; at++) await plan(`${at}. Tuesday evening row to the lighthouse`, at * week);
    const { page } = bob;
    await page.setViewportSize(viewport);
    await page.goto(clubPath(rowers));
    const rows = page.getByRole('main').getByRole('article');
    await expect(rows).toHaveCount(10);
    const head = await page.getByRole('heading', { name: 'Upcoming' }).boundingBox();
    const boxes = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().toJSON()));
    if (device === 'a phone') for (const { height } of boxes) expect(height).toBeLessThanOrEqual(96);
    const top = (head?.y ?? 0) + (head?.height ?? 0);
    expect((boxes[fitting - 1]?.bottom ?? Infinity) - top).toBeLessThanOrEqual(viewport.height);

    const row = card(page, 'Long row');
    await expect(row).toContainText(/Conflicting Event.*Closes Soon/);
    await tabTo(page, row.getByRole('link'));
    await page.keyboard.press('Tab');
    const button = row.getByRole('button', { name: 'Attend Event: Long row' });
    await expect(button).toBeFocused();
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await page.keyboard.press('Enter');
    await expect(row.getByRole('button', { name: 'Attending: Long row' })).toBeFocused();
    await expect(row).toContainText('2 going');
    await expect(page).toHaveURL(clubPath(rowers));
    await row.click({ position: { x: 8, y: 8 } });
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Long row');
  });
