import type { Page } from '@playwright/test';
import { field, link } from '#e2e/dialogs.ts';
import { button, card, clubPath, eventPath } from '#e2e/event-page.ts';
import { countFriction } from '#e2e/friction.ts';
import { codeTo, emailTo, expect, freshAddress, joinClub, test, type Visitor } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

const phone = { viewport: { width: 390, height: 844 }, permissions: ['clipboard-read', 'clipboard-write'] };
const tag = '@friction';

async function logIn(page: Page, email: string, earlier = 0): Promise<void> {
  await field(page, 'Email').fill(email);
  await button(page, 'Login').click();
  await field(page, 'Code').fill(await codeTo(email, earlier));
}

/** Creates a club, from the landing page to the page of the club. */
async function found({ page }: Visitor, firstName?: string): Promise<void> {
  await page.goto('/');
  await link(page, 'Create Your Club').click();
  await logIn(page, freshAddress('ada'));
  await field(page, 'Club Name').fill('Harbour Rowers');
  if (firstName) await field(page, 'Your first name').fill(firstName);
  await button(page, 'Create Club').click();
  await expect(page.getByRole('heading', { name: 'Harbour Rowers', level: 1 })).toBeVisible();
}

test('friction: from an invite link to a membership [UX-24]', { tag }, async ({ visitor, ada, rowers }) => {
  const { page } = await visitor(phone);
  const { invite_link } = await ada.api.invites.create({ club_id: rowers.id });
  const friction = await countFriction(page);
  await page.goto(`/app/club/${rowers.slug}/${invite_link}`);
  await button(page, 'Accept Invite').click();
  await logIn(page, freshAddress('bob'));
  await field(page, 'First Name').fill('Bob');
  await field(page, 'Last Name').fill('Stone');
  await button(page, 'Join club').click();
  await expect(page).toHaveURL(`/app/clubs/${rowers.slug}`);
  await expect(page.getByText('Bob Stone (you)')).toBeVisible();
  await friction.report('invite link to member', { screens: 4, taps: 3, fields: 4 });
});

test('friction: from nothing to a copied invite link [UX-26 FORMUX-05]', { tag }, async ({ visitor }) => {
  const ada = await visitor(phone);
  const friction = await countFriction(ada.page);
  await found(ada, 'Ada');
  await button(ada.page, 'Invite members').first().click();
  await button(ada.page, 'Copy: Invite link').click();
  const copied = () => ada.page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/\/app\/club\/[\w-]+\/[\w-]{22}$/);
  await friction.report('nothing to a copied invite link', { screens: 5, taps: 5, fields: 4 });
});

test('friction: from nothing to an event in a calendar', { tag }, async ({ visitor }) => {
  const { page, context } = await visitor(phone);
  const friction = await countFriction(page);
  await found({ page, context });
  await link(page, 'New event').first().click();
  await field(page, 'Title').fill('Tuesday row');
  await field(page, 'Location').fill('Pier 3');
  await button(page, 'Tomorrow 7 pm').click();
  await button(page, 'Create Event').click();
  await expect(page.getByText('Tuesday row').first()).toBeVisible();
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Club Calendar' }).click();
  await button(page, 'Copy: Copy link').click();
  const feed = await page.evaluate(() => navigator.clipboard.readText());
  expect(await (await context.request.get(feed)).text()).toContain('SUMMARY:Tuesday row');
  await friction.report('nothing to an event in a calendar', { taps: 9, fields: 5 });
});

test(
  'friction: from a shared event link, logged out, to attending [UX-21 UX-22]',
  { tag },
  async ({ visitor, bob, run }) => {
    const { page } = await visitor(phone);
    const friction = await countFriction(page);
    await page.goto(`/app/events/${run.slug}`);
    const notice = page.getByRole('status').filter({ hasText: 'Log in to open the event you were sent' });
    await expect(notice).toContainText(/Tuesday run · \w+day \d+ \w+ 20\d\d/);
    // The static page has the same notice.
    await page.reload();
    await expect(notice).toContainText('Tuesday run');
    await page.getByRole('link', { name: 'Log in', exact: true }).click();
    await logIn(page, bob.email, 1);
    await expect(page).toHaveURL(`/app/events/${run.slug}`);
    await button(page, 'Attend Event').click();
    await expect(button(page, 'Attending')).toBeVisible();
    await friction.report('shared event link to attending', { taps: 5 });
  },
);

test("friction: 'cannot come' from an email [LINK-01 LINK-02]", { tag }, async ({ visitor, bob, run }) => {
  const { page } = await visitor(phone);
  const { html } = await emailTo(bob.email, 0, (mail) => /a=no/.test(mail.text ?? ''));
  const friction = await countFriction(page);
  await page.route('https://mail.test/', (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.goto('https://mail.test/');
  await link(page, "Can't go").click();
  await button(page, 'Confirm').click();
  await expect(page.getByText(`You can't go to ${run.name}`)).toBeVisible();
  expect((await bob.api.events.get({ event: run.slug })).my_answer).toBe('no');
  await friction.report("'cannot come' from an email", { taps: 2, fields: 0 });
});

test(
  'friction: a weekly series from the page of its club [SERIES-07 FORMUX-01]',
  { tag },
  async ({ ada, rowers }) => {
    const { page } = ada;
    await page.setViewportSize(phone.viewport);
    const friction = await countFriction(page);
    await page.goto(clubPath(rowers));
    await link(page, 'New event').click();
    await field(page, 'Title').fill('Morning row');
    await button(page, 'Tomorrow 7 pm').click();
    await field(page, 'Location').fill('Pier 3');
    await button(page, 'Repeats').click();
    await expect(page.getByRole('list', { name: 'Next dates' }).getByRole('listitem')).toHaveCount(5);
    await button(page, 'Create Event').click();
    await expect(card(page, 'Morning row').first()).toBeVisible();
    await expect(link(page, /^Every \w+day$/).first()).toBeVisible();
    await friction.report('a weekly series from the club page', { taps: 5, fields: 4 });
  },
);

test(
  'friction: check-in from home, whose next event is above the fold [HOMEUX-01]',
  { tag },
  async ({ ada: { page }, ada, rowers, event }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    const name = 'Long row around the lighthouse and back to the harbour';
    const place = 'Harbour office at the end of Pier 3, opposite the fish market';
    await event(rowers, ada, { name, location_name: place, startsIn: 1 });
    const friction = await countFriction(page);
    await page.goto('/app');
    const next = page.getByRole('region', { name: 'Next' });
    const action = next.getByRole('link', { name: 'Check in' });
    for (const part of [next.locator('time'), next.getByText(place), action])
      await expect(part).toBeInViewport({ ratio: 1 });
    await action.click();
    await expect(page.getByRole('heading', { name: 'Check in', level: 1 })).toBeVisible();
    await friction.report('check-in from home', { screens: 2, taps: 1, fields: 0 });
  },
);

test(
  'friction: a printed list of who comes, from the page of the event [LIST-04]',
  { tag },
  async ({ ada: { page }, bob, run }) => {
    await page.setViewportSize(phone.viewport);
    await bob.api.answers.attend({ event: run.slug });
    const friction = await countFriction(page);
    await page.goto(`/app/events/${run.slug}`);
    await link(page, '2 going').click();
    await page.emulateMedia({ colorScheme: 'dark' });
    await button(page, 'Print').click();
    const printed = page.locator('[data-printed]');
    await expect(printed.getByRole('listitem', { includeHidden: true })).toHaveText(['Ada', 'Bob']);
    await expect(printed).toBeHidden();
    await page.emulateMedia({ media: 'print' });
    await expect(printed).toBeVisible();
    await expect(printed).toHaveCSS('color', 'rgb(0, 0, 0)');
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
    for (const part of [page.getByRole('banner'), page.getByRole('button'), page.getByRole('main')])
      await expect(part.filter({ visible: true })).toHaveCount(0);
    await page.emulateMedia({ media: 'screen' });
    await friction.report('a printed list from the event page', { taps: 2, fields: 0 });
  },
);

test("friction: 'cannot come' from home [HOMEUX-02]", { tag }, async ({ bob: { page, api }, run }) => {
  await page.setViewportSize(phone.viewport);
  const friction = await countFriction(page);
  await page.goto('/app');
  const row = card(page, run.name);
  expect((await row.boundingBox())?.height).toBeLessThanOrEqual(96);
  await button(page, `Can't go: ${run.name}`).click();
  await expect(row).toHaveCount(0);
  expect((await api.events.get({ event: run.slug })).my_answer).toBe('no');
  await friction.report("'cannot come' from home", { screens: 1, taps: 1, fields: 0 });
  await button(page, 'Undo').click();
  await expect(row).toBeVisible();
  expect((await api.events.get({ event: run.slug })).my_answer).toBeNull();
});

test(
  'friction: an absence from home, which answers the event of a club [AWAY-01 AWAY-02]',
  { tag },
  async ({ bob: { page, api }, run }) => {
    await page.setViewportSize(phone.viewport);
    const { start_time } = await api.events.get({ event: run.slug });
    const today = start_time.slice(0, 10);
    const friction = await countFriction(page);
    await page.goto('/app');
    await link(page, "I'm away…").click();
    await field(page, 'First day').fill(today);
    await field(page, 'Last day').fill(today);
    await button(page, 'Save').click();
    await expect(page.getByText("Saved. We answered “Can't go” to 1 event.")).toBeVisible();
    await friction.report('an absence from home', { screens: 2, taps: 2, fields: 2 });
    await page.goto(eventPath(run));
    await expect(page.getByText(/^You're away until \d/)).toBeVisible();
    await button(page, "I'll come anyway").click();
    await expect(button(page, 'Attending')).toBeVisible();
    await expect.poll(async () => (await api.events.get({ event: run.slug })).my_answer).toBe('going');
  },
);

async function move(page: Page): Promise<void> {
  await field(page, 'New start').fill('24.12.2099 19:30');
  await button(page, 'Send').click();
}

async function callOff(page: Page): Promise<void> {
  await page.getByText('Cancel it', { exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel Event' }).click();
}

for (const [what, make, done, limits, isAsked] of [
  ['a new time', move, 'You have updated this event', { screens: 2, taps: 3, fields: 1 }, true],
  ['a cancellation', callOff, 'you have cancelled the event.', { screens: 2, taps: 4, fields: 0 }, false],
] as const)
  test(
    `friction: from the page of a club to a sent change of plan (${what}) [CALL-01 CALL-02]`,
    { tag },
    async ({ ada: { page }, bob, rowers, run }) => {
      await page.setViewportSize(phone.viewport);
      await bob.api.answers.attend({ event: run.slug });
      const friction = await countFriction(page);
      await page.goto(clubPath(rowers));
      await link(page, run.name).click();
      await button(page, 'Change of plan').click();
      await make(page);
      await expect(page.getByText(done).first()).toBeVisible();
      expect((await bob.api.events.get({ event: run.slug })).must_confirm).toBe(isAsked);
      await friction.report(`change of plan: ${what}`, limits);
    },
  );

test(
  'friction: a message from the page of an event to those who come or may come [MSG-02]',
  { tag },
  async ({ ada: { page }, bob, person, ada, rowers, run }) => {
    const cyd = await person('Cyd');
    await joinClub(rowers, ada, cyd);
    await bob.api.answers.attend({ event: run.slug });
    await cyd.api.answers.answer({ event: run.slug, answer: 'maybe' });
    await page.setViewportSize(phone.viewport);
    const friction = await countFriction(page);
    await page.goto(eventPath(run));
    await button(page, 'Message').click();
    await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Your message' })).toBeFocused();
    await page.keyboard.insertText('Meet at the north gate');
    await button(page, 'Send to 2 people').click();
    await expectToast(page, 'Sent to 2 people', '');
    await expect(
      page.getByRole('region', { name: 'Messages' }).getByText('Meet at the north gate'),
    ).toBeVisible();
    await friction.report('a message from the event page', { screens: 1, taps: 2, fields: 1 });
  },
);

test(
  'friction: a question to the hosts from the page of an event [ASK-01]',
  { tag },
  async ({ ada, bob: { page, api }, run }) => {
    await page.setViewportSize(phone.viewport);
    const friction = await countFriction(page);
    await page.goto(eventPath(run));
    await button(page, 'Ask the hosts').click();
    await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused();
    await page.keyboard.insertText('Where do we meet?');
    await button(page, 'Send').click();
    await expectToast(page, 'Question sent', '');
    await friction.report('a question from the event page', { screens: 1, taps: 2, fields: 1 });
    const [question] = (await api.events.get({ event: run.slug })).questions;
    await ada.api.questions.answer({ question: question?.id ?? '', answer: 'North gate', shared: true });
    await page.reload();
    await expect(page.getByRole('region', { name: 'Questions' }).getByText('North gate')).toBeVisible();
  },
);

test(
  "friction: a member's confirmation after a move, from home [CALL-01 ANSWER-20]",
  { tag },
  async ({ ada, bob: { page, api }, rowers, run }) => {
    await page.setViewportSize(phone.viewport);
    await api.answers.attend({ event: run.slug });
    const newTime = { start_time: '2099-12-24T19:30:00Z', end_time: '2099-12-24T20:30:00Z', ask_again: true };
    await ada.api.events.edit({ event: run.id, club: rowers.id, ...newTime });
    const friction = await countFriction(page);
    await page.goto('/app');
    await page
      .getByRole('group', { name: 'Please confirm: the time has changed' })
      .getByRole('button', { name: "I'm going" })
      .click();
    await expect.poll(async () => (await api.events.get({ event: run.slug })).must_confirm).toBe(false);
    await friction.report("a member's confirmation from home", { screens: 1, taps: 1, fields: 0 });
  },
);
