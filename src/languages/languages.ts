/**
 * The languages of the app, by their code. Each but English has its texts in `<code>.json` beside this file. `notLoaded`
 * is shown when these texts could not be loaded.
 */
export const languages = {
  en: {
    name: 'English',
    notLoaded: "We couldn't load the texts in your language, so this page is in English.",
  },
  de: {
    name: 'Deutsch',
    notLoaded: 'Die deutschen Texte konnten nicht geladen werden. Deshalb ist diese Seite auf Englisch.',
  },
} as const;

export type Language = keyof typeof languages;

/** What `make` returns for each language. */
export const byLanguage = <T>(make: (language: Language) => T): Record<Language, T> =>
  Object.fromEntries(
    (Object.keys(languages) as Language[]).map((language) => [language, make(language)]),
  ) as Record<Language, T>;

export const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code);
