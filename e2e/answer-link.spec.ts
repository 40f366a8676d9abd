import { expectAccessible } from '#e2e/axe.ts';
import { button } from '#e2e/event-page.ts';
import { emailTo, expect, test } from '#e2e/people.ts';

test("answer link: a browser that runs scripts, as of a scanner, changes nothing before 'Confirm' [LINK-02 LINK-11]", async ({
  visitor,
  bob,
  run,
}) => {
  const { text = '' } = await emailTo(bob.email, 0, (mail) => /a=no/.test(mail.text ?? ''));
  const link = /http\S+\/answer\/\S+\?a=no/.exec(text)?.[0] ?? '';
  const { page, context } = await visitor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  const answer = async () => (await bob.api.events.get({ event: run.slug })).my_answer;
  await page.goto(link);
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('radio', { name: "Can't go" })).toBeChecked();
  await expectAccessible(page);
  expect(await answer()).toBeNull();
  expect(requests.filter((request) => / \/api|main/.test(request))).toEqual([expect.stringMatching(/^GET /)]);
  await button(page, 'Confirm').click();
  await expect(page.getByText("You can't go to Tuesday run")).toBeFocused();
  await expectAccessible(page);
  expect(await answer()).toBe('no');
  await button(page, 'Undo').click();
  await expect.poll(answer).toBeNull();
  await context.setOffline(true);
  await page.getByRole('radio', { name: 'Maybe' }).check();
  await button(page, 'Confirm').click();
  await expect(page.getByRole('alert')).toContainText('Connect to the internet');
});
