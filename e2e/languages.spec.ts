import type { Page } from '@playwright/test';
import { clubPath, eventPath } from '#e2e/event-page.ts';
import { errorsOn } from '#e2e/loading.ts';
import { expect, test } from '#e2e/people.ts';

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first();

test('My Account: another language is saved and reloads the page, which keeps what was typed [LANG-04]', async ({
  ada: { page, api },
}) => {
  const errors = errorsOn(page);
  await page.goto('/app/profile');
  const languages = page.getByRole('combobox', { name: 'Language' });
  await expect(languages.getByRole('option')).toHaveText(['English', 'Deutsch']);
  await page.getByRole('textbox', { name: 'First Name' }).fill('Augusta');
  await languages.selectOption('Deutsch');
  await expect(heading(page)).toHaveText('Mein Konto');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('textbox', { name: 'Vorname' })).toHaveValue('Augusta');
  expect(await api.users.me({})).toMatchObject({ language: 'de', first_name: 'Ada' });
  // The next page is in German from the first paint on.
  await page.goto('/app/settings/notifications');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await page.goto('/app/profile');
  await page.getByRole('combobox', { name: 'Zeitformat' }).selectOption('12');
  await expect.poll(async () => (await api.users.me({})).clock).toBe('12');
  expect(errors).toEqual([]);
});

for (const timezoneId of ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland'])
  test.describe(`in ${timezoneId}`, () => {
    test.use({ timezoneId });

    test('home, a club and an event: hydrate without an error in both languages and with both clocks [LANG-12 LANG-18]', async ({
      ada: { page, api },
      rowers,
      run,
    }) => {
      test.slow();
      const errors = errorsOn(page);
      for (const [language, clock, time] of [
        ['en', 'auto', /\d:\d\d [ap]m/],
        ['en', '24', /\d\d:\d\d –/],
        ['de', 'auto', /\d\d:\d\d\sUhr/],
        ['de', '12', /\d:\d\d\s[AP]M/],
      ] as const) {
        await api.users.update({ language, clock });
        for (const path of ['/app', clubPath(rowers), eventPath(run)]) {
          await page.goto(path);
          await expect(page.locator('html')).toHaveAttribute('lang', language);
          await expect(page.getByText(run.name).first()).toBeVisible();
        }
        await expect(page.locator('main')).toContainText(time);
      }
      expect(errors).toEqual([]);
    });
  });

/** The buttons and links whose label does not fit into them. */
const cutLabels = `[...document.querySelectorAll('button, a, label, h1, h2, summary')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.sr-only') && one.clientWidth > 1)
  .filter((one) => {
    const { overflowX, textOverflow } = getComputedStyle(one);
    return overflowX !== 'visible' && textOverflow !== 'ellipsis' && one.scrollWidth > one.clientWidth + 1;
  })
  .map((one) => one.outerHTML.slice(0, 160))`;

/** The controls that reach over an edge of the screen, without those in a part that scrolls sideways. */
const controlsOffScreen = `[...document.querySelectorAll('a, button, input, select, textarea, summary')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.sr-only, .overflow-x-auto'))
  .filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 2 && (left < -1 || right > document.documentElement.clientWidth + 1) && right > 0;
  })
  .map((one) => one.outerHTML.slice(0, 160))`;

/** Pairs of texts that lie on each other. Fixed parts are left out, since they lie above what scrolls below them. */
const overlaps = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (parent.closest('[aria-hidden=true], header.sticky, .fixed, [data-bottom-bar], svg, option')) continue;
    if (parent.closest('h2')?.getBoundingClientRect().width <= 1 || parent.getBoundingClientRect().width <= 1) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, top, right, bottom } of range.getClientRects()) texts.push({ node, left, top, right, bottom });
  }
  const found = [];
  for (const [i, one] of texts.entries()) for (const two of texts.slice(i + 1)) {
    const width = Math.min(one.right, two.right) - Math.max(one.left, two.left);
    const height = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
    if (one.node !== two.node && width > 2 && height > 6) found.push(one.node.data + ' / ' + two.node.data);
  }
  return found;
})()`;

/** The words of headings of parts, lists and tables that are broken over two lines. */
const brokenWords = `[...document.querySelectorAll('h2, h3, h4, th, legend, [role=columnheader]')].flatMap((one) => {
  const found = [];
  const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const { index, 0: word } of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
    }
  return found;
})`;

for (const language of ['en', 'de'] as const)
  for (const textSize of ['100%', '150%'])
    test(`${language}, text at ${textSize}, 360 px: every screen scrolls only vertically, and no label is cut off, covered or broken within a word [LANG-25 ROBUST-11 ROBUST-13]`, async ({
      ada: { page, api },
      bob,
      rowers,
      run,
    }) => {
      test.slow();
      await api.users.update({ language });
      await page.setViewportSize({ width: 360, height: 740 });
      const club = clubPath(rowers);
      const paths = [
        '/app',
        '/app/new-club',
        club,
        `${club}/edit`,
        `${club}/members`,
        `${club}/updates`,
        `${club}/new-update`,
        `${club}/new-event`,
        `${club}/breaks`,
        `${club}/attendance`,
        eventPath(run),
        `${eventPath(run)}/answers?list=silent`,
        `/app/events/edit/${run.slug}`,
        '/app/profile',
        '/app/notifications',
        '/app/settings/notifications',
        '/app/feedback',
        '/privacy-policy',
        '/thankyou',
      ];
      expect(bob.name).toBe('Bob');
      const problems: unknown[] = [];
      for (const path of paths) {
        await page.goto(path);
        await expect(heading(page)).toBeVisible();
        await page.evaluate((size) => void (document.documentElement.style.fontSize = size), textSize);
        const wider = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        if (wider > 0) problems.push(`${path} is ${wider} px wider than the screen`);
        // With large text, the browser may hyphenate a long German word.
        const checks = [
          cutLabels,
          controlsOffScreen,
          overlaps,
          ...(textSize === '100%' ? [brokenWords] : []),
        ];
        for (const check of checks) {
          const found = await page.evaluate<string[]>(check);
          if (found.length > 0) problems.push([path, ...found]);
        }
      }
      expect(problems).toEqual([]);
    });
