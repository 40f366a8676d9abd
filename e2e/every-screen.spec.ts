import type { Page } from '@playwright/test';
import { newSeries } from '#test/new-series.ts';
import { allScreens } from '#test/all-screens.ts';
import { lowContrast, violationsButContrast } from '#e2e/axe.ts';
import { button, eventPath } from '#e2e/event-page.ts';
import { errorsOn } from '#e2e/loading.ts';
import { type ClubHandle, emailTo, type EventHandle, expect, type Person, test } from '#e2e/people.ts';
import { removeNewerBuiltIns } from '#e2e/newer-built-ins.ts';
import { findings, phoneChecks, zoomChecks } from '#e2e/screen-checks.ts';

/** Wraps each text node that appears in an element, as translators of browsers do once a page is shown. */
const translation = `
  function wrap() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      if (!text.data.trim() || text.parentElement?.closest('font, script, style, textarea, option')) continue;
      const font = document.createElement('font');
      text.replaceWith(font);
      font.append(text);
    }
  }
  addEventListener('load', () => {
    wrap();
    new MutationObserver(wrap).observe(document.body, { childList: true, subtree: true });
  });`;

/**
 * A page of an old browser with a translator, which here begins before React hydrates the page: React then renders the
 * page again (error 418). Returns a function for the other errors of the page, without missing pages.
 */
async function prepare(page: Page): Promise<() => string[]> {
  await removeNewerBuiltIns(page);
  await page.addInitScript({ content: translation });
  const errors = errorsOn(page);
  return () => errors.filter((error) => !/^Failed to load resource|React error #418/.test(error));
}

const isForMembers = (path: string) => path.startsWith('/app');

/** The addresses of all screens of a club with an event, a series, a break, an update and an invite link. */
async function screens({ api }: Person, { id, slug }: ClubHandle, event: EventHandle): Promise<string[]> {
  const break_ = { name: 'Winter', first_on: '2090-12-20', last_on: '2091-01-06' };
  const [update, { invite_link }, series, [section]] = await Promise.all([
    api.updates.publish({ club: id, content: 'Bring lights.', important: true }),
    api.invites.create({ club_id: id }),
    api.series.plan({ ...newSeries, club: id }),
    api.sections.save({ club: id, sections: [{ name: 'Crew' }] }),
    api.series.saveBreaks({ club: id, breaks: [break_] }),
  ]);
  const invite = `${slug}/${invite_link}`;
  return allScreens({
    club: slug,
    event: event.slug,
    series: series.slug,
    update: update.id,
    section: section?.id ?? '',
    invite,
  });
}

test('every screen opens in the oldest supported browsers and while a translator changes its texts, and members can answer [ROBUST-01 ROBUST-02]', async ({
  visitor,
  ada,
  bob,
  rowers,
  run,
}) => {
  test.slow();
  const { page: entrance } = await visitor();
  const errorsAtEntrance = await prepare(entrance);
  await entrance.goto('/');
  await entrance.getByRole('link', { name: 'Get started' }).click();
  await entrance.getByLabel('Email').fill('somebody@example.org');
  expect(errorsAtEntrance()).toEqual([]);

  const { page } = ada;
  const errors = await prepare(page);
  for (const path of await screens(ada, rowers, run)) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await expect(page.getByText("We're experiencing some technical difficulties")).toHaveCount(0);
    });
  }
  expect(await page.evaluate('[].toSorted')).toBeUndefined();
  expect(await page.locator('font').count()).toBeGreaterThan(0);
  expect(errors()).toEqual([]);

  const errorsOfBob = await prepare(bob.page);
  await bob.page.goto(eventPath(run));
  await button(bob.page, 'Attend Event').click();
  await expect(button(bob.page, 'Attending')).toBeVisible();
  const answerOfBob = async () => (await bob.api.events.get({ event: run.slug })).my_answer;
  await expect.poll(answerOfBob).toBe('going');
  expect(errorsOfBob()).toEqual([]);
});

/** What is wrong on a screen. A screen to which several addresses lead is checked once. */
async function problemsOn(page: Page, paths: string[]): Promise<string[]> {
  const problems: string[] = [];
  const visited = new Set<string>();
  for (const path of paths)
    await test.step(path, async () => {
      const report = (where: string, found: string[]) =>
        problems.push(...found.map((each) => `${path}, ${where}: ${each}`));
      const setTextSize = (size: string) =>
        page.evaluate((to) => void (document.documentElement.style.fontSize = to), size);
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await expect(page.locator('.animate-pulse')).toHaveCount(0);
      if (visited.has(page.url())) return;
      visited.add(page.url());
      report('on a phone', await findings(page, phoneChecks));
      await setTextSize('150%');
      report('with large text', await findings(page, phoneChecks));
      await setTextSize('');
      // A desktop at 200 % zoom, which halves the width in CSS pixels.
      await page.setViewportSize({ width: 720, height: 450 });
      await page.emulateMedia({ forcedColors: 'active' });
      report('in forced colours', await violationsButContrast(page));
      report('at 200 % zoom', await findings(page, zoomChecks));
      await page.emulateMedia({ forcedColors: null });
      await page.setViewportSize({ width: 1280, height: 720 });
      report('on a desktop', await lowContrast(page));
    });
  return problems;
}

const claim =
  'shows all of each label and control on a phone, also with large text, has large targets at 200 % zoom, and axe finds nothing in either theme and in forced colours [UX-42 LANG-25 ROBUST-11 ROBUST-13]';

for (const [language, theirs] of [
  ['en', 'in English'],
  ['de', 'in German'],
] as const) {
  // In two tests, because all screens take longer than a test may.
  for (const [half, which] of [
    [0, 'every second screen'],
    [1, 'every other screen'],
  ] as const)
    test(`${which} of an admin ${theirs}: ${claim}`, async ({ ada, bob, rowers, run }) => {
      test.slow();
      await Promise.all([ada.api.users.update({ language }), bob.api.answers.attend({ event: run.slug })]);
      const paths = (await screens(ada, rowers, run)).filter(isForMembers);
      const ofHalf = paths.filter((_, nth) => nth % 2 === half);
      expect(await problemsOn(ada.page, ofHalf)).toEqual([]);
      await expect(ada.page.locator('html')).toHaveAttribute('lang', language);
    });

  test(`every screen of a visitor ${theirs}: ${claim}`, async ({ visitor, ada, bob, rowers, run }) => {
    test.slow();
    await bob.api.users.update({ language });
    const paths = await screens(ada, rowers, run);
    const linkTo = async (page: RegExp) => {
      const { text = '' } = await emailTo(bob.email, 0, (mail) => page.test(mail.text ?? ''));
      return page.exec(text)?.[0] ?? '';
    };
    const { page } = await visitor({ locale: language });
    const ofVisitors = [
      ...paths.filter((path) => !isForMembers(path) || path.startsWith('/app/club/')),
      eventPath(run),
      '/confirm?email=ada%40example.org&code=whatever',
      '/unsubscribe?token=x.email_club_update.y',
      await linkTo(/\/answer\/\S+\?a=no/),
      await linkTo(/\/read\/[\w-]+/),
    ];
    expect(await problemsOn(page, ofVisitors)).toEqual([]);
    await expect(page.locator('html')).toHaveAttribute('lang', language);
  });

  test(`every screen of a member ${theirs}: ${claim}`, async ({ ada, bob, rowers, run }) => {
    test.slow();
    await bob.api.users.update({ language });
    const paths = await screens(ada, rowers, run);
    // The other screens are the same as for an admin.
    const ofClub = [rowers.slug, run.slug, 'series'];
    const differing = paths.filter((path) => ofClub.some((part) => path.includes(part)));
    expect(await problemsOn(bob.page, differing)).toEqual([]);
    await bob.api.answers.attend({ event: run.slug });
    expect(await problemsOn(bob.page, [eventPath(run)])).toEqual([]);
  });
}
