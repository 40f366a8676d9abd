import { useSyncExternalStore } from 'react';

/** Whether the device has a network at all. */
export const useOnline = (): boolean => useSyncExternalStore(onChange, () => navigator.onLine, isOnline);

/** Whoever asks for a page has a network. */
const isOnline = () => true;

function onChange(listener: () => void): () => void {
  const kinds = ['online', 'offline'] as const;
  for (const kind of kinds) window.addEventListener(kind, listener);
  return () => {
    for (const kind of kinds) window.removeEventListener(kind, listener);
  };
}
