import type { Page } from '@playwright/test';
import { expect, test } from '#e2e/people.ts';

test.use({ serviceWorkers: 'allow' });

/** Collects the Trusted Types violations of the pages opened from now on. */
async function violationsOf(page: Page): Promise<string[]> {
  const violations: string[] = [];
  await page.exposeFunction('noteViolation', (text: string) => void violations.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, sourceFile, sample }) => {
      const { recordViolation } = window as unknown as { recordViolation(text: string): void };
      recordViolation(`${violatedDirective} in ${sourceFile}: ${sample}`);
    });
  });
  page.on('pageerror', ({ message }) => violations.push(message));
  return violations;
}

/** Tries to insert text as markup, like an injected script. */
const attempts = async () => {
  const outcomes: Record<string, string> = {};
  const attempt = async (name: string, work: () => unknown) => {
    try {
      await work();
      outcomes[name] = 'done';
    } catch (error) {
      outcomes[name] = (error as Error).name;
    }
  };
  const { trustedTypes } = window as unknown as {
    trustedTypes: { createPolicy(name: string, rules: object): unknown };
  };
  await attempt('markup', () => (document.createElement('div').innerHTML = '<img src=x>'));
  await attempt('script', () => (document.createElement('script').src = '/evil.js'));
  await attempt('worker', () => navigator.serviceWorker.register('/evil.js'));
  for (const name of ['other', 'default', 'muster'])
    await attempt(`policy ${name}`, () => trustedTypes.createPolicy(name, {}));
  return outcomes;
};

test('trusted types: pages create markup and scripts through the one policy only, and every page works [T23]', async ({
  person,
  visitor,
  club,
  event,
}) => {
  test.setTimeout(90_000);
  const ada = await person('Ada');
  const rowers = await club([ada], 'Rowers');
  const { slug } = await event(rowers, ada);
  const screens: [Page, path: string, text: string][] = [];
  const { page } = await visitor();
  for (const path of ['/', '/login', '/privacy-policy', '/confirm?email=a@example.org&code=abc'])
    screens.push([page, path, 'Muster']);
  screens.push([ada.page, '/app', 'Rowers'], [ada.page, `/app/clubs/${rowers.slug}`, 'Rowers']);
  screens.push([ada.page, `/app/events/${slug}`, 'Tuesday run'], [ada.page, '/app/profile', 'First Name']);
  const violations = new Map([
    [page, await violationsOf(page)],
    [ada.page, await violationsOf(ada.page)],
  ]);

  for (const [on, path, text] of screens) {
    await on.goto(path);
    await expect(on.getByText(text).first()).toBeAttached();
    expect({ path, violations: violations.get(on) }).toEqual({ path, violations: [] });
  }
  await page.goto('/login');
  const worker = await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
  expect(worker).toMatch(/\/sw\.js$/);

  for (const path of ['/', '/login']) {
    await page.goto(path);
    expect(await page.evaluate(attempts)).toEqual({
      markup: 'TypeError',
      script: 'TypeError',
      worker: 'TypeError',
      'policy other': 'TypeError',
      'policy default': 'TypeError',
      'policy muster': 'TypeError',
    });
  }
});
