import type { Page } from '@playwright/test';
import { withoutLive } from '#e2e/bell.ts';
import { expect, test } from '#e2e/people.ts';
import { closeToast } from '#e2e/toast.ts';

/** A form: its path, the input per field, its button and its error text. */
type Form = [path: string, typed: Record<string, string>, save: string, notice: string];

/** Ways to make saving fail until `end`. */
type Outage = { reason: string; begin(page: Page): Promise<unknown>; end(page: Page): Promise<void> };

const noNetwork: Outage = {
  reason: 'An unexpected error occurred.',
  begin: (page) => page.context().setOffline(true),
  end: (page) => page.context().setOffline(false),
};

const noServer: Outage = {
  reason: 'The service is not available at the moment. Try again shortly.',
  begin: (page) =>
    page.route('**/api/v1/**', (route) =>
      route.request().method() === 'GET'
        ? route.fallback()
        : route.fulfill({ status: 503, json: { data: null, status: 503, error: 'unavailable' } }),
    ),
  end: (page) => page.unroute('**/api/v1/**'),
};

/** Expects that the notice outlasts the toast, the input stays, and both go after a successful save. */
async function expectLasting(page: Page, [path, typed, save, title]: Form, outage: Outage): Promise<void> {
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = page.getByRole('button', { name: save, exact: true });
  const notice = page.getByRole('alert').filter({ hasText: title });
  await page.goto(path);
  for (const [name, text] of Object.entries(typed)) await field(name).fill(text);
  await outage.begin(page);
  await button.click();
  await closeToast(page);
  await expect(notice).toHaveText(`${title}${outage.reason} Nothing you have entered is lost.`);
  for (const [name, text] of Object.entries(typed)) await expect(field(name)).toHaveValue(text);
  await outage.end(page);
  const saved = page.waitForResponse((answer) => answer.request().method() !== 'GET' && answer.ok());
  await button.click();
  await saved;
  await expect(notice).toHaveCount(0);
}

test('forms: show the failure until saved', async ({ ada: { page }, rowers: { slug }, run }) => {
  await withoutLive(page);
  const club = `/app/clubs/${slug}`;
  const offline: Form[] = [
    ['/app/new-club', { 'Club Name': 'Runners' }, 'Create Club', "The club wasn't created"],
    [`${club}/edit`, { 'Club Location': 'Pier 9' }, 'Update Club', "The club wasn't updated"],
    [
      `${club}/new-event`,
      { Title: 'Row', Location: 'Pier' },
      'Create Event',
      'The event has not been created',
    ],
    [`/app/events/edit/${run.slug}`, { Location: 'Pier' }, 'Update Event', 'The event has not been changed'],
  ];
  for (const form of offline) await expectLasting(page, form, noNetwork);
  const unavailable: Form[] = [
    [`${club}/new-update`, { Content: 'Mended' }, 'Publish', "Your update wasn't published"],
    ['/app/profile', { 'Last Name': 'Byron' }, 'Save Changes', "Your account wasn't updated"],
    ['/app/feedback', { 'Your feedback': 'Splendid!' }, 'Submit', "Your feedback wasn't sent"],
    ['/app/settings/notifications', {}, 'Save', "Your settings weren't saved"],
  ];
  for (const form of unavailable) await expectLasting(page, form, noServer);
});
