import { appendFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from '#e2e/people.ts';

type Kind = 'taps' | 'fields' | 'screens';

/**
 * Counts from now on what a person does and sees in this page: presses of buttons, links and Enter and choices in lists
 * (taps), fields typed into, and pages and dialogs (screens). `report` expects at most `limits`, and appends the counts
 * to the file FRICTION_FILE, one JSON object a line, if that is set.
 */
export async function countFriction(page: Page) {
  const counted = { taps: new Set<string>(), fields: new Set<string>(), screens: new Set<string>() };
  await page.exposeBinding('countFriction', (_source, kind: Kind, name: string) => {
    counted[kind].add(name || String(counted[kind].size));
  });
  await page.addInitScript(watch);
  await page.evaluate(watch);
  return {
    get taps(): number {
      return counted.taps.size;
    },
    get fields(): number {
      return counted.fields.size;
    },
    get screens(): number {
      return counted.screens.size;
    },
    report(name: string, limits: { [Which in Kind]?: number }): void {
      const { taps, fields, screens } = this;
      const file = process.env['FRICTION_FILE'];
      if (file) appendFileSync(file, `${JSON.stringify({ name, taps, fields, screens, limits })}\n`);
      for (const [kind, limit] of Object.entries(limits))
        expect(this[kind as Kind], `${kind}: ${name}`).toBeLessThanOrEqual(limit);
    },
  };
}

/** Runs in the page. A press of Enter also clicks: such clicks have no detail. */
const watch = `(() => {
  const count = (kind, name = '') => void window.countFriction(kind, name);
  const nameOf = (element) => element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ??
    document.getElementById(element.getAttribute('aria-labelledby'))?.textContent ?? '';
  const dialog = () => [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1);
  const screen = () => dialog() ? nameOf(dialog()) : location.pathname;
  const see = () => document.querySelector('h1') && count('screens', screen());
  // Libraries dispatch events of their own.
  const on = (type, listener) => addEventListener(type, (event) => event.isTrusted && listener(event), true);
  on('click', ({ detail, target }) => detail > 0 && target.closest('a, button, summary, label, [role=button]') && count('taps'));
  on('keydown', ({ key }) => key === 'Enter' && count('taps'));
  on('input', ({ target }) => target.matches('input:not([type=checkbox], [type=radio]), textarea') &&
    count('fields', screen() + ' ' + nameOf(target)));
  on('change', ({ target }) => target.matches('select') && count('taps'));
  new MutationObserver(see).observe(document, { childList: true, subtree: true });
  see();
})()`;
