import type { Language } from '#languages/languages.ts';
import { addTranslations } from '#wire/messages.ts';

/** The files of the languages other than English. The build makes each a script that is loaded on demand. */
const files = import.meta.glob<Record<string, string>>('../../languages/*.json', { import: 'default' });

/** Loads the texts of a language. Rejects if the network fails. */
export async function loadLanguage(language: Language): Promise<void> {
  const load = files[`../../languages/${language}.json`];
  if (load) addTranslations(language, await load());
}
