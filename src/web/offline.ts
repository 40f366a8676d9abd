import type * as OfflineCache from './offline-cache.ts';

/** Runs `use` with the offline cache, which is loaded after the first screen. Does nothing if its file is missing. */
export const offlineCache = (use: (cache: typeof OfflineCache) => Promise<void>): Promise<void> =>
  import('./offline-cache.ts').then(use).catch(() => {});
