import type { Page } from '@playwright/test';
import { newSeries } from '#test/new-series.ts';
import { allScreens } from '#test/all-screens.ts';
import { button, eventPath } from '#e2e/event-page.ts';
import { errorsOn } from '#e2e/loading.ts';
import { expect, test } from '#e2e/people.ts';
import { removeNewerBuiltIns } from '#e2e/newer-built-ins.ts';

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

  const { page, api } = ada;
  const { id: update } = await api.updates.publish({ club: rowers.id, content: 'Bring lights.' });
  const { invite_link } = await api.invites.create({ club_id: rowers.id });
  const { slug: series } = await api.series.plan({ ...newSeries, club: rowers.id });
  const errors = await prepare(page);
  const paths = allScreens({
    club: rowers.slug,
    event: run.slug,
    series,
    update,
    invite: `${rowers.slug}/${invite_link}`,
  });
  for (const path of paths) {
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
