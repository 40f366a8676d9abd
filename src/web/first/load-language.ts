import type { Language } from '#languages/languages.ts';
import { addTranslations } from '#wire/messages.ts';

/** Texts by catalogue and key. */
type Texts = Record<string, Record<string, string>>;
type Files = Record<string, () => Promise<Texts>>;

/** The files of the languages other than English. The build makes each a script that is loaded on demand. */
const files: Files = import.meta.glob<Texts>('../../languages/*.json', { import: 'default' });
const singleFiles: Files = import.meta.glob<Texts>('../../languages/*.json', {
  import: 'default',
  query: '?single',
});

async function load(from: Files, language: Language): Promise<void> {
  const texts = await from[`../../languages/${language}.json`]?.();
  if (!texts) return;
  const flat: Record<string, string> = {};
  for (const [catalogue, ofCatalogue] of Object.entries(texts))
    for (const [key, text] of Object.entries(ofCatalogue)) flat[`${catalogue}.${key}`] = text;
  addTranslations(language, flat);
}

/** Loads the texts of a language. Rejects if the network fails. */
export const loadLanguage = (language: Language): Promise<void> => load(files, language);

/** Loads the texts of single pages, such as the landing page and My Account. Rejects if the network fails. */
export const loadTextsOfSinglePages = (language: Language): Promise<void> => load(singleFiles, language);
