import { lazyPart } from '#ui/LazyPart.tsx';
import { withTexts } from '#web/with-texts.ts';

/** Only important updates need it. */
export const UpdateReads = lazyPart(() =>
  withTexts(import('./UpdateReads.tsx').then((module) => ({ default: module.UpdateReads }))),
);
