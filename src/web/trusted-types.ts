const asIs = (text: string) => text;
const rules = { createHTML: asIs, createScriptURL: asIs };

type Rules = typeof rules;
/** Not every browser has it, and TypeScript takes what it makes for text. */
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Rules): Rules } };

/**
 * The one Trusted Types policy: the browser refuses any other text where it would become markup or a script. It stays in
 * this file, which vouches for markup that our own server has rendered, and for our own service worker.
 */
const policy = trustedTypes?.createPolicy('muster', rules) ?? rules;

/** Puts markup that the server has rendered into an element. */
export const putMarkup = (element: Element, markup: string): void =>
  void (element.innerHTML = policy.createHTML(markup));

export const serviceWorkerUrl = (): string => policy.createScriptURL('/sw.js');
