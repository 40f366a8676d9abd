import { act } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  expectScreen,
  onePerScreen,
  pressEverything,
  respond,
  settle,
  useEveryScreen,
  visit,
} from '#test/every-screen.tsx';
import { queryClient } from '#web/queries.ts';

useEveryScreen();

/** Wraps each text node in an element, as translators of browsers do with every text that appears. */
function translate(): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (!text.data.trim() || text.parentElement?.closest('font, script, style, textarea, option')) continue;
    const font = document.createElement('font');
    text.replaceWith(font);
    font.append(text);
  }
}

let translator: MutationObserver;
beforeEach(() => {
  translator = new MutationObserver(translate);
  translator.observe(document.body, { childList: true, subtree: true });
});
afterEach(() => translator.disconnect());

test.each(onePerScreen)(
  'translated page: on %s, new data and each button work, and the page stays [ROBUST-02]',
  async (path) => {
    respond(0);
    await visit(path);
    expect(document.querySelectorAll('font').length).toBeGreaterThan(0);
    for (const nth of [1, 2, 3, 0]) {
      respond(nth);
      await act(() => queryClient.invalidateQueries());
      await settle();
      expectScreen(`${path} with example ${nth}`);
    }
    await pressEverything(path, expectScreen);
  },
);
