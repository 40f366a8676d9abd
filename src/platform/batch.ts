import { answered, perDatabase, type Db } from '#platform/db.ts';

/** Batches under way at once. Whoever asks meanwhile goes with the next one, so that batches grow under load. */
const mostUnderWay = 2;
/** Milliseconds, more than the wait for a connection and a statement may take: who has no answer by then gets none. */
const patience = 8000;

interface Question<Key, Value> {
  key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/**
 * Answers all that is asked in one moment by one `load`, which gives a value for each key, in their order. It begins after
 * everybody in it has asked, so nobody is told what was true before. `load` takes only keys that can't fail by themselves:
 * its error goes to all of them.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Question<Key, Value>[] = [];
  let isCalled = false;
  let underWay = 0;

  async function answer(questions: readonly Question<Key, Value>[]): Promise<void> {
    try {
      const values = await answered(load(questions.map(({ key }) => key)), patience);
      if (values.length !== questions.length)
        throw new Error(`${values.length} answers to ${questions.length} questions`);
      for (const [index, { resolve }] of questions.entries()) resolve(values[index] as Value);
    } catch (error) {
      for (const { reject } of questions) reject(error);
    } finally {
      underWay--;
      depart();
    }
  }

  function depart(): void {
    isCalled = false;
    if (waiting.length === 0 || underWay === mostUnderWay) return;
    const questions = waiting;
    waiting = [];
    underWay++;
    void answer(questions);
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      // Requests that arrive together are read one by one; this comes after the last of them.
      if (!isCalled) setImmediate(depart);
      isCalled = true;
    });
}

/** The same for statements: one batch for each database. */
export function batchedOn<Key, Value>(
  load: (db: Db, keys: readonly Key[]) => Promise<readonly Value[]>,
): (db: Db, key: Key) => Promise<Value> {
  const ask = perDatabase((db) => batched((keys: readonly Key[]) => load(db, keys)));
  return (db, key) => ask(db)(key);
}
