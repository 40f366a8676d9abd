import { lazyPart } from '#ui/LazyPart.tsx';
import { withTexts } from '#web/with-texts.ts';

export const AskSheet = lazyPart(() => withTexts(import('./AskSheet.tsx')));
export const Questions = lazyPart(() =>
  import('./Questions.tsx').then((module) => ({ default: module.Questions })),
);
