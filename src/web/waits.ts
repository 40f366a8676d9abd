import type { Wait } from '#wire/client.ts';
import { onSession } from './first/session.ts';
import { deviceTime } from '#wire/server-time.ts';

/** A request that waits for a retry, because the server sent `Retry-After`. */
interface Waiting {
  /** Time of the retry, in milliseconds. */
  until: number;
  isShown: boolean;
  stop(): void;
}

/** Seconds that a request may wait without a notice. */
const maxSilentWait = 10;

let waiting: readonly Waiting[] = [];
const listeners = new Set<() => void>();

function update(next: readonly Waiting[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Waits before a retry, and shows a notice if the total wait is long. */
export const wait: Wait = (seconds, total) => {
  const isShown = total > maxSilentWait;
  // If the server rejects the request for this file too, the retries continue without a notice.
  if (isShown) import('./WaitNotice.tsx').catch(() => {});
  return new Promise((resolve) => {
    const end = (shouldRetry: boolean) => {
      clearTimeout(timer);
      update(waiting.filter((each) => each !== entry));
      resolve(shouldRetry);
    };
    const timer = setTimeout(end, seconds * 1000, true);
    const entry = { until: deviceTime() + seconds * 1000, isShown, stop: () => end(false) };
    update([...waiting, entry]);
  });
};

/** Fails all waiting requests. */
export function stopWaiting(): void {
  for (const { stop } of waiting) stop();
}

/** Time of the next retry among the waits that are shown to the user. */
export function nextRetry(): number | undefined {
  const times = waiting.flatMap(({ until, isShown }) => (isShown ? until : []));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Calls `next` whenever a wait begins or ends. Returns a function that removes this listener. */
export function onWaits(next: () => void): () => void {
  listeners.add(next);
  return () => void listeners.delete(next);
}

// A request of one user must not be retried with the session of another.
onSession(stopWaiting);
