import type { Wait } from '#wire/client.ts';
import { onSession } from './session.ts';

/** A call that the server has asked to wait. */
interface Waiting {
  /** When it is sent again, in milliseconds. */
  until: number;
  isShown: boolean;
  stop(): void;
}

/** Seconds that a call may wait before the user is told. */
const maxSilence = 10;

let waiting: readonly Waiting[] = [];
let listener = () => {};

function change(next: readonly Waiting[]): void {
  waiting = next;
  listener();
}

/** Waits before a call is sent again, and tells the user when that takes long. */
export const wait: Wait = async (seconds, total) => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, seconds * 1000, true);
  const isShown = total > maxSilence;
  const mine = { until: Date.now() + seconds * 1000, isShown, stop: () => resolve(false) };
  change([...waiting, mine]);
  // Where even this file is refused, the calls go on all the same.
  if (isShown) import('#app/web/layout/WaitNotice.tsx').catch(() => {});
  const goesOn = await promise;
  clearTimeout(timer);
  change(waiting.filter((each) => each !== mine));
  return goesOn;
};

/** Fails every call that waits. */
export function stopWaiting(): void {
  for (const { stop } of waiting) stop();
}

/** When the next of the calls that the user is told of is sent again. */
export function nextRetry(): number | undefined {
  const times = waiting.flatMap(({ until, isShown }) => (isShown ? until : []));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** There is one notice. */
export function onWaits(next: () => void): () => void {
  listener = next;
  return () => void (listener = () => {});
}

// A call of one user is never sent with the session of another.
onSession(stopWaiting);
