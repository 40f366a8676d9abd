import type { Browser, Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { button } from '#e2e/event-page.ts';
import { emailTo, expect, origin, test, type Person } from '#e2e/people.ts';

/** The link in an email that preselects the answer "Can't go". */
async function linkTo({ email }: Person): Promise<string> {
  const { text = '' } = await emailTo(email, 0, (mail) => /a=no/.test(mail.text ?? ''));
  return /http\S+\/answer\/\S+\?a=no/.exec(text)?.[0] ?? '';
}

const withoutScripts = async (browser: Browser) =>
  (await browser.newContext({ baseURL: origin(), javaScriptEnabled: false })).newPage();

const savedText = (page: Page) => page.getByRole('status').locator('p');

test("answer link: changes nothing before 'Confirm' is pressed, even if an email scanner opens it in a browser that runs scripts [LINK-02 LINK-11]", async ({
  visitor,
  bob,
  run,
}) => {
  const { page } = await visitor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${request.resourceType()}`));
  const answer = async () => (await bob.api.events.get({ event: run.slug })).my_answer;
  await page.goto(await linkTo(bob));
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('radio', { name: "Can't go" })).toBeChecked();
  await expectAccessible(page);
  expect(await answer()).toBeNull();
  expect(requests.filter((request) => !/^GET (document|stylesheet|image|font)$/.test(request))).toEqual([]);
  await button(page, 'Confirm').click();
  await expect(page.getByText("You can't go to Tuesday run")).toBeFocused();
  // `expectAccessible` waits for animations, and this one ends only when the 'Undo' button is hidden.
  await page.evaluate(() => document.getAnimations().forEach((each) => each.cancel()));
  await expectAccessible(page);
  expect(await answer()).toBe('no');
  await page.reload();
  expect(requests.filter((request) => request === 'POST document')).toHaveLength(1);
  await button(page, 'Undo').click();
  await expect(savedText(page)).toContainText('Taken back.');
  expect(await answer()).toBeNull();
});

test('answer link: works without scripts, from the link to an undo [LINK-04 LINK-11]', async ({
  browser,
  bob,
  run,
}) => {
  const page = await withoutScripts(browser);
  const answer = async () => (await bob.api.events.get({ event: run.slug })).my_answer;
  const link = await linkTo(bob);
  await page.goto(link);
  await page.getByRole('radio', { name: 'Maybe' }).check();
  await button(page, 'Confirm').click();
  await expect(savedText(page)).toContainText('You said maybe to Tuesday run');
  expect(await answer()).toBe('maybe');
  await button(page, 'Undo').click();
  await expect(savedText(page)).toContainText('Taken back.');
  expect(await answer()).toBeNull();
  await page.goto(link.replace(/.\?a=no/, '?a=no'));
  await expect(page.getByRole('heading', { name: "This link doesn't work any more" })).toBeVisible();
  await page.context().close();
});

test("answer link: 'Undo' is offered for ten seconds [LINK-04]", async ({ visitor, bob, run }) => {
  const { page } = await visitor();
  await page.goto(await linkTo(bob));
  await expect(page.getByRole('heading', { name: run.name })).toBeVisible();
  await button(page, 'Confirm').click();
  const at = (ms: number) =>
    page.evaluate((time) => {
      const [animation] = document.getAnimations();
      animation?.pause();
      if (animation) animation.currentTime = time;
    }, ms);
  await at(9_990);
  await expect(button(page, 'Undo')).toBeVisible();
  await at(10_010);
  await expect(button(page, 'Undo')).toBeHidden();
});

test("answer link: asks for the number of guests, except with the answer 'no' [LINK-04]", async ({
  visitor,
  ada,
  bob,
  run,
}) => {
  await ada.api.events.edit({
    event: run.id,
    club: (await ada.api.events.get({ event: run.slug })).owner_club_id,
    guests_max: 2,
  });
  const { page } = await visitor();
  await page.goto(await linkTo(bob));
  const guests = page.getByLabel('Guests');
  await expect(guests).toBeHidden();
  await page.getByRole('radio', { name: 'Going', exact: true }).check();
  await guests.selectOption('2 guests');
  await button(page, 'Confirm').click();
  await expect(savedText(page)).toContainText('with 2 guests');
});
