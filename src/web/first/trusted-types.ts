const identity = (text: string) => text;
const rules = { createHTML: identity, createScriptURL: identity };

type Rules = typeof rules;
/** Not every browser supports Trusted Types. TypeScript treats the trusted values as strings. */
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Rules): Rules } };

/**
 * The only Trusted Types policy: the browser rejects any other string as HTML or script URL. It is not exported, so
 * only the two functions below can create trusted values: server-rendered HTML and the URL of our service worker.
 */
const policy = trustedTypes?.createPolicy('muster', rules) ?? rules;

/** Sets server-rendered HTML as the content of an element. */
export const putMarkup = (element: Element, markup: string): void =>
  void (element.innerHTML = policy.createHTML(markup));

export const serviceWorkerUrl = (): string => policy.createScriptURL('/sw.js');
