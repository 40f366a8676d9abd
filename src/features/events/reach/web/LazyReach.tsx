import { lazyPart } from '#ui/LazyPart.tsx';
import { withTexts } from '#web/with-texts.ts';

export const Reach = lazyPart(() =>
  withTexts(import('./Reach.tsx')).then((module) => ({ default: module.Reach })),
);
