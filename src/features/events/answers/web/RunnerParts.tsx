/** The parts of the event page that only the hosts and the planners see, in one file. */
export { CancelEvent } from '#features/events/web/CancelEvent.tsx';
export { TakeOverButton } from '#features/events/web/TakeOverButton.tsx';
export { EventMenu } from './EventMenu.tsx';
export { Headcount } from './Headcount.tsx';
export { EventOver, HostAction } from './HostAction.tsx';
export { RunnerCounts } from './RunnerCounts.tsx';
