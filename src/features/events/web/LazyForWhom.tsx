import { lazyPart } from '#ui/LazyPart.tsx';

const load = () => import('./ForWhom.tsx');

export const ForWhom = lazyPart(() => load().then((parts) => ({ default: parts.ForWhom })));
export const Enough = lazyPart(() => load().then((parts) => ({ default: parts.Enough })));
