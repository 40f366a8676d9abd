import type { Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, test } from '#e2e/people.ts';

const heading = (page: Page) => page.getByRole('heading', { name: 'Thank You for Your Donation!' });

/** The number of coloured pixels on the canvas over the page. */
const coloured = (page: Page) =>
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
    return data?.filter((value, at) => at % 4 === 3 && value > 0).length;
  });

async function expectThanks(page: Page): Promise<void> {
  await expect(heading(page)).toBeVisible();
  await expect(page.getByText('Your generosity makes a real difference in the world.')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Back To App' }).click();
  await expect(page).toHaveURL('/app');
}

test('feedback: is sent from the menu [CHROME-06 FEEDBACK-01 FEEDBACK-06]', async ({ ada: { page } }) => {
  const box = page.getByRole('main').getByRole('textbox');
  const submit = page.getByRole('main').getByRole('button', { name: 'Submit' });
  const thanks = page.getByRole('dialog', { name: 'Success!' });
  await page.goto('/app');
  await page.getByRole('button', { name: 'User menu' }).click();
  await page.getByRole('menuitem', { name: 'Let us know' }).click();
  await expect(page).toHaveURL('/app/feedback');
  await expect(page.getByRole('heading', { name: 'Feedback', exact: true })).toBeVisible();
  await box.fill('Well done!\nMore kayaks.');
  await submit.click();
  await expect(thanks).toBeVisible();
  await expectAccessible(page);
  await thanks.getByRole('link', { name: 'Home' }).click();
  await expect(page).toHaveURL('/app');
});

test.describe('thanks page for a donation', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('shows confetti and a link back [THANKS-01 THANKS-02 THANKS-03 THANKS-04 THANKS-05]', async ({
    ada: { page },
  }) => {
    const errors: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
    await page.goto('/thankyou');
    await expect.poll(() => coloured(page)).toBeGreaterThan(0);
    await expectAccessible(page);
    await expectThanks(page);
    expect(errors).toEqual([]);
  });

  test('works when the confetti does not load [CONST-12]', async ({ ada: { page } }) => {
    await page.route('**/assets/confetti*', (route) => route.abort());
    const warned = page.waitForEvent('console', (line) => line.text().includes('There is no confetti.'));
    await page.goto('/thankyou');
    await warned;
    await expectThanks(page);
  });
});
