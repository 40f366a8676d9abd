import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { onePerScreen, paths, pressEverything, respond, useEveryScreen, visit } from '#test/every-screen.tsx';
import { pseudoLanguage, pseudoTexts, wordsOutside } from '#test/pseudo-language.ts';
import { here } from '#test/render-app.tsx';
import { toasts } from '#ui/toast.ts';
import { setLook } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';

useEveryScreen();

beforeAll(async () => addTranslations(pseudoLanguage, await pseudoTexts()));
beforeEach(() => setLook({ language: pseudoLanguage, clock: '24', timeZone: 'UTC' }));
afterAll(() => setLook({ language: 'en', clock: 'auto' }));

const attributes = [
  'title',
  'aria-label',
  'placeholder',
  'alt',
  'aria-valuetext',
  'aria-description',
  'label',
];

/** The texts of the document that have words outside of brackets. */
function strayTexts(): string[] {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement?.closest('script, style')) texts.push(node.textContent ?? '');
  for (const element of document.querySelectorAll(attributes.map((name) => `[${name}]`).join()))
    texts.push(...attributes.map((name) => element.getAttribute(name) ?? ''));
  texts.push(
    ...toasts()
      .filter((toast) => toast.open)
      .flatMap(({ title, text }) => [title, text].map((part) => (typeof part === 'string' ? part : ''))),
  );
  return texts.filter((text) => wordsOutside(text).length > 0);
}

test.each([0, 1, 2, 3])(
  'pseudo language: no screen with the data of example %i shows a text that is in no catalogue [LANG-01 LANG-21]',
  async (nth) => {
    const found = new Set<string>();
    const screens: string[] = [];
    respond(nth);
    for (const path of paths) {
      await visit(path);
      screens.push(here());
      for (const text of strayTexts()) found.add(`${path}: ${text}`);
    }
    expect([...found]).toEqual([]);
    // Other examples lead members away from the pages of admins.
    if (nth === 0) expect(screens).toEqual(paths);
  },
);

test.each(onePerScreen.flatMap((path) => [[path, 'refused'] as const, [path, 'accepted'] as const]))(
  'pseudo language: no dialog, toast or error of %s shows a text that is in no catalogue while writes are %s [LANG-01 LANG-21]',
  async (path, writes) => {
    const found = new Set<string>();
    respond(0, writes === 'refused');
    await pressEverything(path, (where) => strayTexts().forEach((text) => found.add(`${where}: ${text}`)));
    expect([...found]).toEqual([]);
  },
);
