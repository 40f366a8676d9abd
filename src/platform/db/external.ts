import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '#platform/db/client.ts';
import { Connection } from '#platform/db/connection.ts';
import { majorOf, minMajor } from '#platform/postgres/binaries.ts';

/** Facts about a server that decide whether Muster can use it. */
export interface Facts {
  version: string;
  encoding: string;
  /** Whether the server knows Unicode. Muster folds case with it, because the locale of the database may not. */
  hasIcu: boolean;
}

interface WaitOptions {
  print: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** Milliseconds. */
  timeout?: number;
}

const twoMinutes = 120_000;
const maxPause = 5000;

/** Waits until the server at DATABASE_URL answers and fails if Muster cannot use it. Resolves with its version. */
export async function connectExternal(
  url: string,
  { print, signal, timeout = twoMinutes }: WaitOptions,
): Promise<string> {
  const until = performance.now() + timeout;
  for (let pause = 250; ; pause = Math.min(pause * 2, maxPause)) {
    try {
      const facts = await factsOf(url);
      const problem = problemOf(facts);
      if (problem) throw new Error(problem);
      return facts.version;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (performance.now() + pause > until)
        throw new Error(`The database at DATABASE_URL does not answer (${reasonOf(error)}).`, {
          cause: error,
        });
      if (pause === 250)
        print(`Waiting for the database: the server at DATABASE_URL does not answer (${reasonOf(error)}).`);
      await sleep(pause, undefined, { signal });
    }
  }
}

/** Connecting to several addresses of a name fails with a code and without a message. */
const reasonOf = (error: unknown) => (error as Error).message || (error as { code?: string }).code;

async function factsOf(url: string): Promise<Facts> {
  const client = new Connection({ url, connectionTimeoutMillis: maxPause, query_timeout: maxPause });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Facts>(
      `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
         exists (select from pg_collation where collname = 'und-x-icu') as "hasIcu"`,
    );
    return rows[0] as Facts;
  } finally {
    void client.end().catch(() => {});
  }
}

/** Why Muster cannot use a server, and what to do. */
export function problemOf(facts: Facts): string | undefined {
  if (majorOf(facts) < minMajor)
    return `The server at DATABASE_URL runs PostgreSQL ${facts.version}, and Muster needs ${minMajor} or newer: upgrade it, or set DATABASE_URL to the address of another one.`;
  if (facts.encoding !== 'UTF8')
    return `The database at DATABASE_URL has the encoding ${facts.encoding}, and Muster needs UTF8: create another one (create database muster encoding 'UTF8' template template0) and set DATABASE_URL to its address.`;
  if (!facts.hasIcu)
    return 'The server at DATABASE_URL was built without ICU, which Muster needs to ignore case: use a build with ICU, as all usual packages are.';
  return undefined;
}
