import { lazyPart } from '#ui/LazyPart.tsx';
import { withTexts } from '#web/with-texts.ts';

export const MessageSheet = lazyPart(() => withTexts(import('./MessageSheet.tsx')));
export const EditMessage = lazyPart(() => withTexts(import('./EditMessage.tsx')));
export const Messages = lazyPart(() =>
  import('./Messages.tsx').then((module) => ({ default: module.Messages })),
);
