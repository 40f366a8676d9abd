import { useSyncExternalStore } from 'react';

const wide = window.matchMedia('(width >= 64rem)');

function onChange(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

/** Whether the window is wide enough for a table of five columns. */
export const useIsWide = (): boolean => useSyncExternalStore(onChange, () => wide.matches);
