/** The storage of the browser. Some browsers deny access to it, or throw when it is full; the server has none. */
function storageOf(kind: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return typeof window === 'undefined' ? undefined : (window[kind] ?? undefined);
  } catch {
    return undefined;
  }
}

/** A storage that is empty where the browser has none. */
const access = (kind: 'localStorage' | 'sessionStorage') => ({
  get: (key: string): string | null => storageOf(kind)?.getItem(key) ?? null,
  /** Returns whether the value is stored. */
  set(key: string, value: string): boolean {
    try {
      storageOf(kind)?.setItem(key, value);
    } catch {
      // Full.
    }
    return this.get(key) === value;
  },
  remove: (key: string): void => storageOf(kind)?.removeItem(key),
  clear: (): void => storageOf(kind)?.clear(),
});

/** All tabs share it. */
export const localStore = access('localStorage');

/** Belongs to one tab. */
export const tabStore = access('sessionStorage');

/** More characters than a login has. */
const probe = 'x'.repeat(2000);

/** Whether this browser would store a login now. */
export function canStoreLogin(): boolean {
  const canStore = localStore.set('probe', probe);
  localStore.remove('probe');
  return canStore;
}
