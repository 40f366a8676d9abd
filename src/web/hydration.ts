import type { Instant } from '#wire/instant.ts';

/** The inputs of a server-rendered screen: the time by the server's clock, and the size of the window. */
export interface InitialState {
  now: Instant;
  /** The number of list rows that fit into the window. */
  rows: number;
  /** Whether the window is wide enough for a table. */
  wide: boolean;
}

let current: InitialState | undefined;

/** Sets the state for a server render or a hydration, which must match. Returns a function that clears it. */
export function hydrateWith(initialState: InitialState | undefined): () => void {
  current = initialState;
  return () => void (current = undefined);
}

/** `undefined` once hydration is complete. */
export const hydrationState = (): InitialState | undefined => current;
