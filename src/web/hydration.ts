import type { Instant } from '#wire/instant.ts';

/** What a screen is drawn for: at which moment of the viewer's clock, and with how many rows of a list in sight. */
export interface InitialState {
  now: Instant;
  rows: number;
}

let current: InitialState | undefined;

/** The server draws a screen, and React goes on with it: while it begins, both have to see the same. */
export function hydrateWith(initialState: InitialState | undefined): () => void {
  current = initialState;
  return () => void (current = undefined);
}

/** Nothing, once the first screen is there. */
export const hydrationState = (): InitialState | undefined => current;
