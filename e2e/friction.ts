import { expect, test, type Page } from '@playwright/test';

interface Friction {
  /** Navigations to another path. */
  screens: number;
  /** Clicks and presses of Enter, except those that only focus a field. A choice in a select counts as two. */
  taps: number;
  /** Fields that were filled. */
  fields: number;
}

export interface Journey {
  name: string;
  counts: Friction;
  limits: Partial<Friction>;
}

declare global {
  interface Window {
    count(what: 'taps' | 'fields'): void;
  }
}

/** Runs in the page. */
function observe(): void {
  const fields = new WeakSet<EventTarget>();
  addEventListener(
    'click',
    ({ target, detail }) => {
      // A label passes its click on to its field.
      const focuses =
        target instanceof Element && target.matches(':read-write, select, label, label :not(input)');
      // A click without a pointer follows a press of Enter, which is already counted as a tap.
      if (detail > 0 && !focuses) window.count('taps');
    },
    true,
  );
  addEventListener('keydown', (event) => event.key === 'Enter' && window.count('taps'), true);
  const onInput = ({ target }: Event) => {
    if (target instanceof HTMLSelectElement) for (let tap = 0; tap < 2; tap++) window.count('taps');
    // Choosing an option is a tap, which is counted above, and not a field that is filled.
    const isChoice = target instanceof Element && target.matches('[type=radio], [type=checkbox]');
    if (!target || isChoice || fields.has(target)) return;
    fields.add(target);
    window.count('fields');
  };
  addEventListener('input', onInput, true);
}

/** Counts screens, taps and fields of a journey. Await it before opening the first page: earlier pages do not count. */
export async function countFriction(page: Page) {
  const counts: Friction = { screens: 0, taps: 0, fields: 0 };
  let path = '';
  page.on('framenavigated', (frame) => {
    const { protocol, pathname } = new URL(frame.url());
    if (frame !== page.mainFrame() || protocol === 'about:' || pathname === path) return;
    path = pathname;
    counts.screens++;
  });
  await page.exposeFunction('count', (what: 'taps' | 'fields') => void counts[what]++);
  await page.addInitScript(observe);
  return Object.assign(counts, {
    /** Checks the counts, and adds them to the test's annotations for `npm run friction`. */
    async report(name: string, limits: Partial<Friction>): Promise<void> {
      // Earlier calls of `count` arrive before this response.
      await page.evaluate(() => {});
      const { screens, taps, fields } = counts;
      const journey: Journey = { name, counts: { screens, taps, fields }, limits };
      test.info().annotations.push({ type: 'friction', description: JSON.stringify(journey) });
      for (const what of ['screens', 'taps', 'fields'] as const) {
        const limit = limits[what] ?? Infinity;
        expect(journey.counts[what], `${name}: ${what}`).toBeLessThanOrEqual(limit);
        if (limit > 0) expect(journey.counts[what], `${name}: ${what} are counted`).toBeGreaterThan(0);
      }
      // Shows that fields are counted, even if the journey has no field to fill.
      await page.evaluate(() => document.documentElement.dispatchEvent(new Event('input')));
      expect(counts.fields, `${name}: the last page is counted`).toBe(fields + 1);
    },
  });
}
