const queue: HTMLElement[] = [];

/**
 * Queues a click. Pressing Enter in a field also clicks the submit button. Clicks that open a link in a new tab or
 * window do not need the app, so the browser handles them.
 */
function enqueue(event: MouseEvent): void {
  const { target, button, ctrlKey, metaKey, shiftKey } = event;
  const control =
    target instanceof Element && target.closest<HTMLElement>('#root :is(a[href^="/"], button, [type=radio])');
  if (!control || button !== 0 || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  queue.push(control);
}

/** Queues clicks on server-rendered controls until the app is hydrated. */
export const queueInteractions = (): void => document.addEventListener('click', enqueue, true);

/** Replays queued clicks on the elements that are still in the document. */
export function replayInteractions(): void {
  document.removeEventListener('click', enqueue, true);
  for (const control of queue.splice(0)) if (control.isConnected) control.click();
  replayHover();
}

/** Dispatches `pointerover` on the element under the mouse: the app was not there to see the real event. */
function replayHover(): void {
  const hovered = matchMedia('(hover: hover)').matches && [...document.querySelectorAll(':hover')].at(-1);
  if (hovered)
    hovered.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
}
