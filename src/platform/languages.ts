import { readFile } from 'node:fs/promises';
import { languages, type Language } from '#languages/languages.ts';
import { addTranslations } from '#wire/messages.ts';

/** Loads the texts of all languages for emails, notifications and calendars. */
export async function loadLanguages(): Promise<void> {
  const codes = (Object.keys(languages) as Language[]).filter((code) => code !== 'en');
  await Promise.all(
    codes.map(async (code) => {
      const file = new URL(`../languages/${code}.json`, import.meta.url);
      addTranslations(code, JSON.parse(await readFile(file, 'utf8')) as Record<string, string>);
    }),
  );
}
