import { useSyncExternalStore } from 'react';
import { hydrationState } from '#web/hydration.ts';
import { wideWindow } from '#web/first/wide-window.ts';

function onChange(listener: () => void): () => void {
  const wide = wideWindow();
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

/** Whether the window is wide enough for a table of five columns. */
export const useIsWide = (): boolean =>
  useSyncExternalStore(
    onChange,
    () => wideWindow().matches,
    () => hydrationState()?.wide ?? false,
  );
