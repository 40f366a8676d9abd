import type { Page } from '@playwright/test';

const widerThanScreen = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [\`\${scrollWidth - clientWidth} px\`] : [];
})()`;

/** The buttons and links whose label does not fit into them. */
const cutLabels = `[...document.querySelectorAll('button, a, label, h1, h2, summary')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.sr-only') && one.clientWidth > 1)
  .filter((one) => {
    const { overflowX, textOverflow } = getComputedStyle(one);
    return overflowX !== 'visible' && textOverflow !== 'ellipsis' && one.scrollWidth > one.clientWidth + 1;
  })
  .map((one) => one.outerHTML.slice(0, 160))`;

/** The controls that reach over an edge of the screen, without those in a part that scrolls sideways. */
const controlsOffScreen = `[...document.querySelectorAll('a, button, input, select, textarea, summary')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.sr-only, .overflow-x-auto'))
  .filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 2 && (left < -1 || right > document.documentElement.clientWidth + 1) && right > 0;
  })
  .map((one) => one.outerHTML.slice(0, 160))`;

/** Pairs of texts that lie on each other. Fixed parts are left out, since they lie above what scrolls below them. */
const overlaps = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (parent.closest('[aria-hidden=true], header.sticky, .fixed, [data-bottom-bar], svg, option')) continue;
    if (parent.closest('h2')?.getBoundingClientRect().width <= 1 || parent.getBoundingClientRect().width <= 1) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, top, right, bottom } of range.getClientRects()) texts.push({ node, left, top, right, bottom });
  }
  const found = [];
  for (const [i, one] of texts.entries()) for (const two of texts.slice(i + 1)) {
    const width = Math.min(one.right, two.right) - Math.max(one.left, two.left);
    const height = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
    if (one.node !== two.node && width > 2 && height > 6) found.push(one.node.data + ' / ' + two.node.data);
  }
  return found;
})()`;

/**
 * The words of fewer than 14 letters that are broken over two lines, and the longer ones that are broken without a
 * hyphen. Text of people, which has the class `wrap-anywhere`, is never hyphenated.
 */
const brokenWords = `(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent.checkVisibility({ visibilityProperty: true }) || parent.closest('[aria-hidden=true], .sr-only, option')) continue;
    const mayBreak = getComputedStyle(parent).hyphens === 'auto' || parent.closest('.wrap-anywhere');
    for (const { index, 0: word } of node.data.matchAll(/(?<!\\S)\\p{L}+(?=[.,:;?!]?(\\s|$))/gu)) {
      if (word.length >= 14 && mayBreak) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
    }
  }
  return found;
})()`;

/**
 * The texts and boxes of codes that reach over an edge of the window, or of a button, label or part that clips or
 * scrolls, in dialogs too.
 */
const cutTexts = `(() => {
  const found = [];
  const check = (parent, { left, right }, name) => {
    if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return;
    if (parent.closest('[aria-hidden=true], .sr-only, .overflow-x-auto, svg, option, textarea')) return;
    // Only for screen readers, at some widths.
    for (let part = parent; part; part = part.parentElement) if (part.clientWidth === 1) return;
    const reachesOver = (edge) => left < edge.left - 1 || right > edge.right + 1;
    if (reachesOver({ left: 0, right: document.documentElement.clientWidth })) found.push(name);
    for (let part = parent; part !== document.body; part = part.parentElement) {
      const { overflowX, textOverflow, position } = getComputedStyle(part);
      if (textOverflow === 'ellipsis') break;
      if ((overflowX !== 'visible' || part.matches('button, label')) && reachesOver(part.getBoundingClientRect())) found.push(name);
      if (position === 'fixed') break;
    }
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    if (node.data.trim()) check(node.parentElement, range.getBoundingClientRect(), node.data);
  }
  for (const box of document.querySelectorAll('[data-slot]')) check(box, box.getBoundingClientRect(), 'a box of the code');
  return found;
})()`;

/** The sentences around a value, each of whose parts a flex container has put into a column. */
const splitSentences = `[...document.querySelectorAll('p, li, span, div')]
  .filter((one) => getComputedStyle(one).display.endsWith('flex'))
  .filter((one) => one.querySelector(':scope > span:not([class]) + :is(time, strong, b, a) + span:not([class])'))
  .map((one) => one.textContent)`;

/** Targets of less than 44 × 44 px, except for links within text. The area of a pseudo-element counts too. */
const smallTargets = `[...document.querySelectorAll('a, button, input, select, textarea, summary, [role=button]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('p, .sr-only, [aria-hidden=true]'))
  .filter((one) => {
    one.scrollIntoView({ block: 'center' });
    // A link whose pseudo-element covers its card.
    const isCard = one.matches('a') && getComputedStyle(one, '::after').position === 'absolute';
    const target = one.closest(isCard ? '.relative' : 'label') ?? one;
    const { left, top, width, height } = target.getBoundingClientRect();
    if (width < 2 || (width >= 44 && height >= 44)) return false;
    const [x, y] = [left + width / 2, top + height / 2];
    return [[0, -21], [0, 21], [-21, 0], [21, 0]].some(([dx, dy]) => {
      const hit = document.elementFromPoint(x + dx, y + dy);
      return !(hit && (target.contains(hit) || hit.contains(target) && hit.matches('label, a, button')));
    });
  })
  .map((one) => one.outerHTML.slice(0, 160))`;

/**
 * What is chosen or current and differs from its neighbours in colours alone, which the browser replaces in forced
 * colours. Only elements with neighbours that are not chosen.
 */
const chosenByColourAlone = `(() => {
  const chosen = '[aria-pressed=true], [aria-current]:not([aria-current=false]), label:has(:checked)';
  const look = (one) => {
    const { textDecorationLine, outlineStyle, fontWeight } = getComputedStyle(one);
    const signs = [...one.querySelectorAll('svg, input')].filter(
      (each) => each.getBoundingClientRect().width > 2 && each.checkVisibility({ opacityProperty: true }),
    );
    return [textDecorationLine, outlineStyle, fontWeight, signs.map((each) => each.localName + each.classList)].join();
  };
  return [...document.querySelectorAll(chosen)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.querySelector('input:not(.sr-only)'))
    .filter((one) => [...one.parentElement.children].some(
      (other) => other.localName === one.localName && !other.matches(chosen) && look(other) === look(one),
    ))
    .map((one) => one.outerHTML.slice(0, 160));
})()`;

type Checks = Record<string, string>;

export const phoneChecks: Checks = {
  widerThanScreen,
  cutLabels,
  cutTexts,
  controlsOffScreen,
  overlaps,
  brokenWords,
  splitSentences,
};
export const zoomChecks: Checks = { widerThanScreen, smallTargets, chosenByColourAlone };

/** What the checks find on a page, in one call. */
export const findings = (page: Page, checks: Checks) =>
  page.evaluate<string[]>(
    `[${Object.entries(checks).map(([name, check]) => `...${check}.map((one) => '${name}: ' + one)`)}]`,
  );
