/** Fails with these words when the work takes more milliseconds than that. It goes on, but nobody waits for it. */
export async function withTimeout<T>(work: Promise<T>, max: number, words: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // A process that was held up itself reads first what has come meanwhile.
  const timer = setTimeout(() => setImmediate(() => reject(new Error(words))), max);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
