import type { Page } from '@playwright/test';
import { button } from '#e2e/event-page.ts';
import { expect, test } from '#e2e/people.ts';

/** Before any script of a page runs, removes the built-ins that the oldest browsers listed in package.json lack. */
const removeNewerBuiltIns = (page: Page) =>
  page.addInitScript(() => {
    const newer: [owner: object | undefined, names: string][] = [
      [Array.prototype, 'toSorted toReversed toSpliced with'],
      [Array, 'fromAsync'],
      [Object.getPrototypeOf(Int8Array.prototype) as object, 'toSorted toReversed with'],
      [Object, 'groupBy'],
      [Map, 'groupBy'],
      [
        Set.prototype,
        'union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom',
      ],
      [String.prototype, 'isWellFormed toWellFormed'],
      [Promise, 'withResolvers try'],
      [
        Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object,
        'map filter take drop flatMap reduce toArray forEach some every find',
      ],
      [URL, 'parse canParse'],
      [AbortSignal, 'any'],
      [Intl, 'Segmenter DurationFormat'],
      [RegExp, 'escape'],
      [Element.prototype, 'checkVisibility'],
      [HTMLElement.prototype, 'showPopover hidePopover togglePopover'],
      [Document.prototype, 'startViewTransition'],
      [window, 'Iterator requestIdleCallback scheduler Temporal CloseWatcher navigation'],
    ];
    for (const [owner, names] of newer)
      for (const name of names.split(' ')) if (owner) Reflect.deleteProperty(owner, name);
  });

test('older browsers: the main screens work without the built-ins that these browsers lack', async ({
  visitor,
  ada,
  bob,
  rowers,
  run,
}) => {
  const problems: string[] = [];
  const watch = (page: Page) => {
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  };
  const { page: landing } = await visitor();
  await removeNewerBuiltIns(landing);
  watch(landing);
  await landing.goto('/');
  await expect(landing.getByRole('heading', { level: 1 })).toBeVisible();
  await landing.goto('/login');
  await landing.getByLabel('Email').fill('somebody@example.org');

  const { page } = ada;
  await removeNewerBuiltIns(page);
  watch(page);
  await ada.api.updates.publish({ club: rowers.id, content: 'Bring lights.' });
  const heading = (name: string) => expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  await page.goto('/app');
  expect(await page.evaluate('[].toSorted')).toBeUndefined();
  await heading('Welcome, Ada');
  await page.getByRole('link', { name: run.name }).first().click();
  await heading(run.name);
  await page.goto(`/app/clubs/${rowers.slug}`);
  await heading(rowers.club_name);
  await page.goto(`/app/clubs/${rowers.slug}/members`);
  await expect(page.getByText(bob.name).first()).toBeVisible();
  await page.goto(`/app/clubs/${rowers.slug}/updates`);
  await expect(page.getByText('Bring lights.')).toBeVisible();
  await page.goto('/app/notifications');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goto(`/app/clubs/${rowers.slug}/new-event`);
  await page.getByLabel('Title').fill('Sunday run');
  expect(problems).toEqual([]);

  await removeNewerBuiltIns(bob.page);
  watch(bob.page);
  await bob.page.goto(`/app/events/${run.slug}`);
  await button(bob.page, 'Attend Event').click();
  await expect.poll(async () => (await bob.api.events.get({ event: run.slug })).my_answer).toBe('going');
  expect(problems).toEqual([]);
});
