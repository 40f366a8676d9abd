import { useSyncExternalStore } from 'react';

/** Whether the device has a network at all. */
export const useOnline = (): boolean => useSyncExternalStore(onChange, () => navigator.onLine, isOnline);

/** During server-side rendering, the client is assumed to be online. */
const isOnline = () => true;

function onChange(listener: () => void): () => void {
  const types = ['online', 'offline'] as const;
  for (const type of types) window.addEventListener(type, listener);
  return () => {
    for (const type of types) window.removeEventListener(type, listener);
  };
}
