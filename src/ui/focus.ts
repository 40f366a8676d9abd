/** An element, and what lies around it and can have the focus: the nearest first. */
export function focusTrail(element: Element | null): HTMLElement[] {
  const trail: HTMLElement[] = [];
  for (let at = element; at && at !== document.body; at = at.parentElement)
    if (at instanceof HTMLElement && (at === element || at.hasAttribute('tabindex'))) trail.push(at);
  return trail;
}

/** Gives the focus to the first of a trail that can still have it, or else to the open dialog, or to the page. */
export function focusAlong(trail: readonly HTMLElement[]): void {
  const dialog = [...document.querySelectorAll<HTMLElement>('[data-modal]')].at(-1);
  for (const place of [...trail, dialog, document.getElementById('main')]) {
    place?.focus({ preventScroll: true });
    if (place && place === document.activeElement) return;
  }
}

/** When what has the focus goes, as a row that is deleted, what lay around it gets it. */
export function keepFocus(): void {
  let trail: HTMLElement[] = [];
  document.addEventListener('focusin', ({ target }) => {
    trail = focusTrail(target as Element);
  });
  new MutationObserver(() => {
    const isGone = trail[0] && !trail[0].isConnected;
    if (isGone && document.activeElement === document.body) focusAlong(trail);
  }).observe(document.body, { childList: true, subtree: true });
}
