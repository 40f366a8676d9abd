import type * as OfflineCache from './offline-cache.ts';

/** Uses the cache of screens, which is loaded after the first screen. Without its file there is nothing in it. */
export const offlineCache = (use: (cache: typeof OfflineCache) => Promise<void>): Promise<void> =>
  import('./offline-cache.ts').then(use).catch(() => {});
