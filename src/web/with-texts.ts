import { look } from '#wire/look.ts';
import { loadTextsOfSinglePages } from './first/load-language.ts';

/** A page or dialog with texts of its own. It is not shown without them, because the rest is in the reader's language. */
export async function withTexts<Module>(module: Promise<Module>): Promise<Module> {
  const [loaded] = await Promise.all([module, loadTextsOfSinglePages(look().language)]);
  return loaded;
}
