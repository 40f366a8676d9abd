import { lazyPart } from '#ui/LazyPart.tsx';

const load = () => import('./RunnerParts.tsx');

export const CancelEvent = lazyPart(() => load().then((parts) => ({ default: parts.CancelEvent })));
export const EventMenu = lazyPart(() => load().then((parts) => ({ default: parts.EventMenu })));
export const EventOver = lazyPart(() => load().then((parts) => ({ default: parts.EventOver })));
export const TakeOverButton = lazyPart(() => load().then((parts) => ({ default: parts.TakeOverButton })));
export const Headcount = lazyPart(() => load().then((parts) => ({ default: parts.Headcount })));
export const HostAction = lazyPart(() => load().then((parts) => ({ default: parts.HostAction })));
export const RunnerCounts = lazyPart(() => load().then((parts) => ({ default: parts.RunnerCounts })));
