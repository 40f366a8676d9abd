import type { Instant } from '#wire/instant.ts';

/** The inputs of a server-rendered screen: the time on the viewer's clock and the number of visible list rows. */
export interface InitialState {
  now: Instant;
  rows: number;
}

let current: InitialState | undefined;

/** Sets the state for a server render or a hydration, which must match. Returns a function that clears it. */
export function hydrateWith(initialState: InitialState | undefined): () => void {
  current = initialState;
  return () => void (current = undefined);
}

/** `undefined` once hydration is complete. */
export const hydrationState = (): InitialState | undefined => current;
