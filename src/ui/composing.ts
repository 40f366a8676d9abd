/**
 * Keeps keys that are pressed while composing text with an input method from all key handlers, which would move a
 * selection or close a dialog. Safari sends the last key after the end of the composition, and says so only by the key
 * code.
 */
export const ignoreComposingKeys = (): void =>
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
    },
    true,
  );
