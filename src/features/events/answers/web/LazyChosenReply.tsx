import { lazyPart } from '#ui/LazyPart.tsx';

export const ChosenReply = lazyPart(() =>
  import('./ChosenReply.tsx').then((module) => ({ default: module.ChosenReply })),
);
