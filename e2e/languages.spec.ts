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

test('another language, chosen on another device: a page with typed text keeps it, and is shown in the language after the next navigation [LANG-04 ROBUST-04]', async ({
  ada: { page, api },
}) => {
  await page.goto('/app/feedback');
  const field = page.getByRole('textbox').first();
  await field.fill('More boats');
  await page.evaluate(() =>
    addEventListener('beforeunload', () => localStorage.setItem('left', location.pathname)),
  );
  await api.users.update({ language: 'de' });
  // As if the tab were hidden and shown again, until it reads the user again.
  const storedLook = () =>
    page.evaluate(() => {
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      return localStorage.getItem('look');
    });
  await expect.poll(storedLook).toContain('"de"');
  await expect(field).toHaveValue('More boats');
  await page.getByRole('banner').getByRole('link', { name: 'Muster' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  expect(await page.evaluate(() => localStorage.getItem('left'))).toBe('/app');
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

test('new event: the field of the end shows the whole time on a phone, in German too [LANG-25]', async ({
  ada: { page, api },
  rowers,
}) => {
  await api.users.update({ language: 'de' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${clubPath(rowers)}/new-event`);
  const end = page.getByLabel('Ende');
  await expect(end).toHaveValue(/Uhr/);
  expect(await end.evaluate((field) => field.scrollWidth - field.clientWidth)).toBeLessThanOrEqual(0);
});
