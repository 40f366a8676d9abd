/** Rejects with `message` after `max` milliseconds. The work itself continues. */
export async function withTimeout<T>(work: Promise<T>, max: number, message: string): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  // setImmediate: if this process was blocked, a result that has already arrived still wins.
  const timer = setTimeout(() => setImmediate(() => reject(new Error(message))), max);
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}
