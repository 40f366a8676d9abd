const waiting: HTMLElement[] = [];

/** A form is sent by its button, also where a key was pressed in a field. A link opens elsewhere by itself. */
function hold(event: MouseEvent): void {
  const { target, button, ctrlKey, metaKey, shiftKey } = event;
  const control =
    target instanceof Element && target.closest<HTMLElement>('#root :is(a[href^="/"], button, [type=radio])');
  if (!control || button !== 0 || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  waiting.push(control);
}

/** Keeps what is pressed of what stands there before the app can take it. */
export const queueInteractions = (): void => document.addEventListener('click', hold, true);

/** Does it now, as far as it is still there. */
export function replayInteractions(): void {
  document.removeEventListener('click', hold, true);
  for (const control of waiting.splice(0)) if (control.isConnected) control.click();
  pointAgain();
}

/** What the mouse has long come to rest on does not know of it. */
function pointAgain(): void {
  const pointed = matchMedia('(hover: hover)').matches && [...document.querySelectorAll(':hover')].at(-1);
  if (pointed)
    pointed.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
}
