import { languages, type Language } from '#languages/languages.ts';

/**
 * The language of `offered` that a client prefers, by the header `Accept-Language` (RFC 9110, 12.5.4), or English.
 * 'de-AT' matches German. `*` matches the first language that the header does not name.
 */
export function preferredLanguage(
  header = '',
  offered: readonly string[] = Object.keys(languages),
): Language {
  const ranges = header.split(',').flatMap((text) => {
    const [range = '', weight = 'q=1'] = text.split(';').map((part) => part.trim().toLowerCase());
    const quality = Number(/^q=([01](?:\.\d{0,3})?)$/.exec(weight)?.[1]);
    return quality >= 0 ? [{ language: range.split('-', 1)[0] as string, quality }] : [];
  });
  const matches = ranges
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ language }) =>
      language === '*'
        ? offered.find((code) => !ranges.some((range) => range.language === code))
        : offered.find((code) => code === language),
    );
  return (matches.find((code) => code !== undefined) ?? 'en') as Language;
}
