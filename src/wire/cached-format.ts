import { look } from '#wire/look.ts';

/** Limits the memory of the server, which may render for readers in several hundred time zones. */
const maxCached = 50;

/**
 * Creating an `Intl.DateTimeFormat` is slow, so they are cached by locale and time zone. `locale` may depend on the
 * reader. The time zone defaults to that of the reader.
 */
export function cachedFormat(locale: string | (() => string), options: Intl.DateTimeFormatOptions) {
  const cache = new Map<string, Intl.DateTimeFormat>();
  return (timeZone = look().timeZone): Intl.DateTimeFormat => {
    const name = typeof locale === 'string' ? locale : locale();
    const key = `${name} ${timeZone}`;
    const cached = cache.get(key);
    if (cached) return cached;
    if (cache.size >= maxCached) cache.clear();
    const created = new Intl.DateTimeFormat(name, { ...options, timeZone });
    cache.set(key, created);
    return created;
  };
}

/** A format in the language of the reader. English has a locale of its own, because the order of the parts differs. */
export const readersFormat = (options: Intl.DateTimeFormatOptions, english = 'en-GB') =>
  cachedFormat(() => (look().language === 'en' ? english : look().language), options);
