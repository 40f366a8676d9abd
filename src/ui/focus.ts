/** An element and its focusable ancestors, nearest first. */
export function focusTrail(element: Element | null): HTMLElement[] {
  const trail: HTMLElement[] = [];
  for (let node = element; node && node !== document.body; node = node.parentElement)
    if (node instanceof HTMLElement && (node === element || node.hasAttribute('tabindex'))) trail.push(node);
  return trail;
}

/** Focuses the first element that takes the focus: hidden ones do not. */
export function focusFirst(elements: Iterable<HTMLElement>): void {
  for (const element of elements) {
    element.focus({ preventScroll: true });
    if (element === document.activeElement) return;
  }
}

/** The open dialog that is above all others. */
export const topDialog = () => [...document.querySelectorAll<HTMLElement>('[data-modal]')].at(-1);

/**
 * Focuses the first element of a trail that is still focusable, or else the open dialog, or `main`. Does nothing when
 * another element got the focus meanwhile, such as the field of a new dialog.
 */
export function focusAlong(trail: readonly HTMLElement[]): void {
  const fallbacks = [topDialog(), document.getElementById('main')];
  const { activeElement: focused } = document;
  if (focused !== document.body && !fallbacks.some((each) => each === focused)) return;
  for (const candidate of [...trail, ...fallbacks]) {
    candidate?.focus({ preventScroll: true });
    if (candidate && candidate === document.activeElement) return;
  }
}

/** When the focused element is removed, for example a deleted row, focuses its nearest remaining ancestor. */
export function keepFocus(): void {
  let trail: HTMLElement[] = [];
  document.addEventListener('focusin', ({ target }) => {
    trail = focusTrail(target as Element);
  });
  new MutationObserver(() => {
    const isRemoved = trail[0] && !trail[0].isConnected;
    if (isRemoved && document.activeElement === document.body) focusAlong(trail);
  }).observe(document.body, { childList: true, subtree: true });
}
