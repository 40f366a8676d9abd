import { withDatabaseTimeout, perDatabase, type Db } from '#platform/db/client.ts';

/** While this many batches are loading, further keys join the next batch, so batches grow under load. */
const maxConcurrentBatches = 2;
/** Milliseconds. Longer than the timeouts of a connection and a statement together: a longer load will never settle. */
const loadTimeout = 8000;

interface PendingKey<Key, Value> {
  key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

interface Batch<Key, Value> {
  pending: PendingKey<Key, Value>[];
  /** Stops the timeout. */
  close(): void;
}

/** Opens a batch. Its keys are rejected after the database timeout, counted from the first key. */
function openBatch<Key, Value>(): Batch<Key, Value> {
  const pending: PendingKey<Key, Value>[] = [];
  const { promise, resolve: close } = Promise.withResolvers<void>();
  withDatabaseTimeout(promise).catch((error: unknown) => {
    for (const { reject } of pending) reject(error);
  });
  return { pending, close };
}

/**
 * Batches the keys of one tick into one `load`, which returns a value per key in the same order. The load starts after
 * the last key was requested, so no caller gets a stale value. An error of `load` rejects all keys of the batch.
 */
export function batchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let next: Batch<Key, Value> | undefined;
  let running = 0;

  async function loadBatch({ pending, close }: Batch<Key, Value>): Promise<void> {
    try {
      const values = await withDatabaseTimeout(load(pending.map(({ key }) => key)), loadTimeout);
      if (values.length !== pending.length)
        throw new Error(`${values.length} values for ${pending.length} keys`);
      for (const [index, { resolve }] of pending.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of pending) reject(error);
    } finally {
      close();
      running--;
      flush();
    }
  }

  function flush(): void {
    if (!next || running === maxConcurrentBatches) return;
    const batch = next;
    next = undefined;
    running++;
    void loadBatch(batch);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      // setImmediate runs after all requests of this tick were read from their sockets.
      if (!next) setImmediate(flush);
      next ??= openBatch();
      next.pending.push({ key, resolve, reject });
    });
}

/** A batch loader per database. */
export function databaseBatchLoader<Key, Value>(
  load: (db: Db, keys: readonly Key[]) => Promise<readonly Value[]>,
): (db: Db, key: Key) => Promise<Value> {
  const loaderFor = perDatabase((db) => batchLoader((keys: readonly Key[]) => load(db, keys)));
  return (db, key) => loaderFor(db)(key);
}
