import { useEffect, useSyncExternalStore } from 'react';

/** Why the user was led to home. Home shows it until they leave. */
let notice: string | undefined;
const listeners = new Set<() => void>();

export function setNotice(text: string | undefined): void {
  notice = text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The notice, which is cleared when the calling page is left. */
export function useNotice(): string | undefined {
  useEffect(() => () => setNotice(undefined), []);
  return useSyncExternalStore(
    subscribe,
    () => notice,
    () => undefined,
  );
}
