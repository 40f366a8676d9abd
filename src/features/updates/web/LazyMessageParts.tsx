import { lazyPart } from '#ui/LazyPart.tsx';
import { loadTextsOfSinglePages } from '#web/first/load-language.ts';
import { look } from '#wire/look.ts';

/** A form in a dialog. It is not shown without its texts, which few viewers need. */
const withTexts = async <Form,>(form: Promise<Form>): Promise<Form> => {
  const [loaded] = await Promise.all([form, loadTextsOfSinglePages(look().language)]);
  return loaded;
};

export const MessageSheet = lazyPart(() => withTexts(import('./MessageSheet.tsx')));
export const EditMessage = lazyPart(() => withTexts(import('./EditMessage.tsx')));
export const Messages = lazyPart(() =>
  import('./Messages.tsx').then((module) => ({ default: module.Messages })),
);
