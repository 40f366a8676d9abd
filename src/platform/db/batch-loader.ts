import { withDatabaseTimeout, perDatabase, type Db } from '#platform/db/client.ts';

/** Batches under way at once. Whoever asks meanwhile goes with the next one, so that batches grow under load. */
const maxConcurrentBatches = 2;
/** Milliseconds, more than the wait for a connection and a statement may take: a load without an answer by then is lost. */
const timeouts = 8000;

interface PendingKey<Key, Value> {
  key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

interface Batch<Key, Value> {
  questions: PendingKey<Key, Value>[];
  /** Nobody in it waits any more. */
  close(): void;
}

/** A batch in which nobody waits for longer than for anything else of the database, since the first of them asked. */
function openBatch<Key, Value>(): Batch<Key, Value> {
  const questions: PendingKey<Key, Value>[] = [];
  const { promise, resolve: close } = Promise.withResolvers<void>();
  withDatabaseTimeout(promise).catch((error: unknown) => {
    for (const { reject } of questions) reject(error);
  });
  return { questions, close };
}

/**
 * Answers all that is asked in one moment by one `load`, which gives a value for each key, in their order. It begins after
 * everybody in it has asked, so nobody is told what was true before. `load` takes only keys that can't fail by themselves:
 * its error goes to all of them.
 */
export function batchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Batch<Key, Value> | undefined;
  let underWay = 0;

  async function answer({ questions, close }: Batch<Key, Value>): Promise<void> {
    try {
      const values = await withDatabaseTimeout(load(questions.map(({ key }) => key)), timeouts);
      if (values.length !== questions.length)
        throw new Error(`${values.length} answers to ${questions.length} questions`);
      for (const [index, { resolve }] of questions.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of questions) reject(error);
    } finally {
      close();
      underWay--;
      flush();
    }
  }

  function flush(): void {
    if (!waiting || underWay === maxConcurrentBatches) return;
    const batch = waiting;
    waiting = undefined;
    underWay++;
    void answer(batch);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      // Requests that arrive together are read one by one; this comes after the last of them.
      if (!waiting) setImmediate(flush);
      waiting ??= openBatch();
      waiting.questions.push({ key, resolve, reject });
    });
}

/** The same for statements: one batch for each database. */
export function databaseBatchLoader<Key, Value>(
  load: (db: Db, keys: readonly Key[]) => Promise<readonly Value[]>,
): (db: Db, key: Key) => Promise<Value> {
  const ask = perDatabase((db) => batchLoader((keys: readonly Key[]) => load(db, keys)));
  return (db, key) => ask(db)(key);
}
