import { instant } from '#wire/instant.ts';
import { expectAccessible } from '#e2e/axe.ts';
import { eventPath } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';
import { findings, phoneChecks, zoomChecks } from '#e2e/screen-checks.ts';

const texts = {
  en: {
    telling: 'Telling 5 people…',
    some: '5 of 5 reached',
    how: 'How they were reached',
    ways: '5 answered',
    list: 'Not reached',
    why: 'On its way',
  },
  de: {
    telling: '5 Leute werden benachrichtigt …',
    some: '5 von 5 erreicht',
    how: 'So wurden sie erreicht',
    ways: '5 haben geantwortet',
    list: 'Nicht erreicht',
    why: 'Noch unterwegs',
  },
};

for (const language of ['en', 'de'] as const)
  test(`who was reached (${language}): after a move a runner sees it on the page, how with the keyboard, and the list, also at 360 px and 200 % text size [KNOW-10 KNOW-12]`, async ({
    person,
    club,
    event,
  }) => {
    const text = texts[language];
    const ada = await person('Ada');
    await ada.api.users.update({ language });
    const names = ['Bob', 'Cyd', 'Dan', 'Eve', 'Maximiliane'];
    const others = [];
    for (const name of names) others.push(await person(name, { last_name: 'Featherstonehaugh' }));
    const { id } = await club([ada, ...others]);
    const run = await event({ id, slug: '', club_name: '' }, ada, { startsIn: 72 });
    for (const { api } of others) await api.answers.attend({ event: run.id });
    await ada.api.events.edit({
      event: run.id,
      club: id,
      start_time: instant(Date.now() + 80 * 3_600_000),
      ask_again: true,
    });
    const { page } = ada;
    await page.setViewportSize({ width: 360, height: 740 });
    const check = async () => {
      await expectAccessible(page);
      await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
      expect(await findings(page, { ...phoneChecks, ...zoomChecks })).toEqual([]);
    };

    await page.goto(eventPath(run));
    await expect(page.getByText(text.telling)).toBeVisible();
    await page.goto(`${eventPath(run)}/answers?list=unreached`);
    await expect(page.getByRole('heading', { name: text.list })).toBeVisible();
    for (const name of names) await expect(page.getByText(`${name} Featherstonehaugh`)).toBeVisible();
    await expect(page.getByText(text.why)).toHaveCount(5);
    await check();

    for (const { api } of others) await api.answers.answer({ event: run.id, answer: 'going' });
    await page.goto(eventPath(run));
    await expect(page.getByText(text.some)).toBeVisible();
    await expect(page.getByText(text.ways)).toBeHidden();
    await page.locator('summary', { hasText: text.how }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByText(text.ways)).toBeVisible();
    await check();
  });
