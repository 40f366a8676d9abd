/** The parts of the event page that only the host and the admins see, in one file. */
export { CancelEvent } from '#features/events/web/CancelEvent.tsx';
export { HandOverButton } from '#features/events/web/HandOverButton.tsx';
export { EventMenu } from './EventMenu.tsx';
export { Headcount } from './Headcount.tsx';
export { EventOver, HostAction } from './HostAction.tsx';
export { RunnerCounts } from './RunnerCounts.tsx';
