let viewerTimeZone: string | undefined;

/** Runs a synchronous function with the viewer's time zone as the default. Used for server-side rendering. */
export function inZone<T>(zone: string, operation: () => T): T {
  viewerTimeZone = zone;
  try {
    return operation();
  } finally {
    viewerTimeZone = undefined;
  }
}

/** The time zone that formats use by default. `undefined` means that of the process. */
export const viewerZone = (): string | undefined => viewerTimeZone;

/** Limits the memory of the server, which may render for viewers in several hundred time zones. */
const maxCachedZones = 50;

/** Creating an `Intl.DateTimeFormat` is slow, so they are cached by time zone. Defaults to the viewer's time zone. */
export function cachedFormat(locale: string, options: Intl.DateTimeFormatOptions) {
  const cache = new Map<string | undefined, Intl.DateTimeFormat>();
  return (timeZone = viewerTimeZone): Intl.DateTimeFormat => {
    const cached = cache.get(timeZone);
    if (cached) return cached;
    if (cache.size >= maxCachedZones) cache.clear();
    const created = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    cache.set(timeZone, created);
    return created;
  };
}
