import type { Page, Route } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, origin, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';
import { stopWaiting } from '#e2e/wait-notice.ts';

const box = (page: Page) => page.getByRole('main').getByRole('textbox');
const submit = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Submit' });
const thanks = (page: Page) => page.getByRole('dialog', { name: 'Success!' });

const heading = (page: Page) => page.getByRole('heading', { name: 'Thank You for Your Donation!' });
/** The number of coloured pixels on the canvas over the page. */
const coloured = (page: Page) =>
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
    return data?.filter((value, at) => at % 4 === 3 && value > 0).length;
  });

/** Opens the thanks page without reduced motion and waits for the request of the confetti. */
async function showThanks(page: Page) {
  const errors: string[] = [];
  page.on('pageerror', (error) => void errors.push(error.message));
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const asked = page.waitForRequest('**/assets/confetti*');
  await page.goto('/thankyou');
  await asked;
  return errors;
}

async function expectThanks(page: Page) {
  await expect(heading(page)).toBeVisible();
  await expect(page.getByText('Your generosity makes a real difference in the world.')).toBeVisible();
  expect(await coloured(page)).toBe(0);
  await page.getByRole('main').getByRole('link', { name: 'Back To App' }).click();
  await expect(page).toHaveURL('/app');
}

test.describe('feedback', () => {
  test('is sent from the menu and acknowledged [CHROME-06 FEEDBACK-01 FEEDBACK-02 FEEDBACK-04 FEEDBACK-06 FEEDBACK-07 FEEDBACK-08 FEEDBACK-09 API-39]', async ({
    person,
  }) => {
    const { page } = await person('Ada');
    await page.goto('/app');
    await page.getByRole('button', { name: 'User menu' }).click();
    await page.getByRole('menuitem', { name: 'Let us know' }).click();
    await expect(page).toHaveURL('/app/feedback');
    await expect(page.getByRole('heading', { name: 'Feedback' })).toBeVisible();
    expect(await box(page).evaluate((element) => element.tagName)).toBe('TEXTAREA');
    await expectAccessible(page);

    await box(page).fill('Well done!\nMore kayaks.');
    const answer = page.waitForResponse('**/api/v1/feedback');
    await submit(page).click();
    expect((await answer).status()).toBe(200);
    expect((await answer).request().method()).toBe('POST');
    expect((await answer).request().postDataJSON()).toEqual({ feedback: 'Well done!\nMore kayaks.' });
    await expect(thanks(page)).toContainText('Thank you for your feedback!');
    await expectAccessible(page);
    await thanks(page).getByRole('button', { name: 'Submit more!' }).click();
    await expect(thanks(page)).toHaveCount(0);
    await expect(box(page)).toHaveValue('');

    await box(page).fill('And a sauna.');
    await submit(page).click();
    await thanks(page).getByRole('link', { name: 'Home' }).click();
    await expect(page).toHaveURL('/app');
  });

  test('has a link home [FEEDBACK-03]', async ({ person }) => {
    const { page } = await person('Ada');
    await page.goto('/app/feedback');
    await page.getByRole('main').getByRole('link', { name: 'Home' }).click();
    await expect(page).toHaveURL('/app');
  });

  test('must not be empty [FEEDBACK-05 TOAST-35]', async ({ person }) => {
    const { page } = await person('Ada');
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    await page.goto('/app/feedback');
    await box(page).fill('  \n');
    await submit(page).click();
    await expectToast(page, 'Error', 'Please enter some feedback');
    await expect(box(page)).toBeFocused();
    expect(sent).toEqual([]);
  });

  test('is refused above five per hour and stays in the box [TOAST-36]', async ({ person }) => {
    const { page, api } = await person('Ada');
    for (let times = 0; times < 5; times++) await api.feedback.send({ feedback: 'Again' });
    await page.goto('/app/feedback');
    await box(page).fill('And again');
    await submit(page).click();
    await stopWaiting(page).click();
    await expectToast(page, 'Error', 'There was an error updating this event');
    await expect(box(page)).toHaveValue('And again');
  });
});

test.describe('thanks for a donation', () => {
  test('show confetti and a link back [THANKS-01 THANKS-02 THANKS-03 THANKS-04 THANKS-05]', async ({
    person,
  }) => {
    const { page } = await person('Ada');
    const errors: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto('/thankyou');
    await expect(heading(page)).toBeVisible();
    await expect(page.getByText('Your generosity makes a real difference in the world.')).toBeVisible();
    await expect.poll(() => coloured(page)).toBeGreaterThan(0);
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Back To App' }).click();
    await expect(page).toHaveURL('/app');
    expect(errors).toEqual([]);
  });

  test('need a session [THANKS-06]', async ({ visitor }) => {
    const { page } = await visitor();
    await page.goto('/thankyou');
    await expect(page).toHaveURL(`${origin()}/`);
    await expect(heading(page)).toHaveCount(0);
  });

  test('show no confetti with reduced motion', async ({ person }) => {
    const { page } = await person('Ada');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto('/thankyou');
    await expect(heading(page)).toBeVisible();
    await page.waitForTimeout(1_000);
    expect(await coloured(page)).toBe(0);
  });

  const brokenConfetti: [string, (route: Route) => Promise<void>][] = [
    ['does not load', (route) => route.abort()],
    ['is not a script', (route) => route.fulfill({ contentType: 'text/javascript', body: '<html>' })],
    [
      'fails when it starts',
      (route) => route.fulfill({ contentType: 'text/javascript', body: 'export default {}' }),
    ],
  ];
  for (const [what, answer] of brokenConfetti) {
    test(`work without confetti when it ${what} [CONST-12]`, async ({ person }) => {
      const { page } = await person('Ada');
      await page.route('**/assets/confetti*', answer);
      const warned = page.waitForEvent('console', (message) =>
        message.text().includes('There is no confetti.'),
      );
      const errors = await showThanks(page);
      await warned;
      await expectThanks(page);
      expect(errors).toEqual([]);
    });
  }

  test('do not wait for slow confetti [CONST-12]', async ({ person }) => {
    const { page } = await person('Ada');
    const released = Promise.withResolvers<void>();
    await page.route('**/assets/confetti*', async (route) => {
      await released.promise;
      await route.abort();
    });
    const errors = await showThanks(page);
    await expectThanks(page);
    released.resolve();
    expect(errors).toEqual([]);
  });
});
