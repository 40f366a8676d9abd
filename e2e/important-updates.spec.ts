import { expectAccessible } from '#e2e/axe.ts';
import { emailTo, expect, origin, test, type Person } from '#e2e/people.ts';

const content = 'The slipway is closed until Friday.';
const readButton = ({ page }: Person) => page.getByRole('button', { name: 'I have read this' });

test('important update: a planner publishes it, a member confirms it, and the planner sees who has read it and reminds the others [READ-01 READ-02 READ-04 READ-06]', async ({
  person,
  club,
}) => {
  const [ada, bob, cyd] = [await person('Ada'), await person('Bob'), await person('Cyd')];
  const { slug } = await club([ada, bob, cyd]);
  const { page } = ada;
  await page.goto(`/app/clubs/${slug}/new-update`);
  await page.getByRole('textbox', { name: 'Content' }).fill(content);
  await page.getByRole('checkbox', { name: 'Important: ask everyone to confirm they have read it' }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  const latest = page.getByRole('region', { name: 'Latest update' });
  await expect(latest.getByText('Important', { exact: true })).toBeVisible();
  await expect(readButton(ada)).toHaveCount(0);
  await expect(latest.getByRole('button', { name: '0 of 2 have read this' })).toBeVisible();

  await bob.page.goto(`/app/clubs/${slug}`);
  await expect(bob.page.getByText('Those who run Harbour Rowers see that you have.')).toBeVisible();
  await expectAccessible(bob.page);
  await readButton(bob).click();
  await expect(bob.page.getByText(/^You read this on /)).toBeVisible();
  await bob.page.goto(`/app/clubs/${slug}/updates`);
  await expect(bob.page.getByText(/^You read this on /)).toBeVisible();
  await expect(readButton(bob)).toHaveCount(0);

  await page.goto(`/app/clubs/${slug}/updates`);
  await page.getByRole('button', { name: '1 of 2 have read this' }).click();
  const dialog = page.getByRole('dialog', { name: 'Who has read this' });
  await expect(dialog.getByRole('listitem')).toHaveText([/Cyd/, /Bob/]);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Remind the other' }).click();
  await expect(dialog.getByText(/^Last reminded .*You can remind again/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Remind the other' })).toBeDisabled();
  const reminder = await emailTo(cyd.email, 0, ({ subject = '' }) => subject.startsWith('Please read: '));
  expect(reminder.subject).toBe(`Please read: Harbour Rowers: ${content}`);
});

test('read link: confirms the update from the email with two presses, without a login and without scripts [READ-03]', async ({
  browser,
  ada,
  bob,
  rowers,
}) => {
  const { id: update } = await ada.api.updates.publish({ club: rowers.id, content, important: true });
  const { text = '' } = await emailTo(bob.email, 0, ({ subject = '' }) => subject.startsWith('Important: '));
  const context = await browser.newContext({ baseURL: origin(), javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(/http\S+\/read\/[\w-]+/.exec(text)?.[0] ?? '');
  await expect(page.getByText(content)).toBeVisible();
  const readCount = async () => (await ada.api.updates.readers({ club: rowers.id, update })).read_count;
  expect(await readCount()).toBe(0);
  await page.getByRole('button', { name: 'I have read this' }).click();
  await expect(page.getByText(/^You read this on /)).toBeVisible();
  expect(await readCount()).toBe(1);
  await page.goto(`${origin()}/read/wrong`);
  await expect(page.getByRole('heading', { name: "This link doesn't work any more" })).toBeVisible();
  await context.close();
});
