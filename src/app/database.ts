import type { Config } from '#platform/config.ts';
import type { Binaries } from '#platform/postgres/binaries.ts';
import { startPostgres, type Options } from '#platform/postgres/supervisor.ts';

interface StartOptions extends Omit<Options, 'dataDir'> {
  /** Prints a line for the operator. */
  print: (line: string) => void;
  /** Ends the wait for a server that does not answer. */
  signal?: AbortSignal;
}

export interface RunningDatabase {
  url: string;
  /** The version of the server and where it comes from, for the operator. */
  description: string;
  /** Stops the server if Muster started it. */
  stop: () => Promise<void>;
}

/** Waits for the server at DATABASE_URL, or starts the PostgreSQL in the data directory. */
export async function startDatabase(
  { databaseUrl, dataDir }: Config,
  { print, signal, ...options }: StartOptions,
): Promise<RunningDatabase> {
  if (databaseUrl === undefined) {
    const { url, binaries, stop } = await startPostgres({ ...options, dataDir });
    return { url, description: describeBinaries(binaries), stop };
  }
  // Loaded on demand: it loads the driver, which the start of PostgreSQL does not need.
  const { connectExternal } = await import('#platform/db/external.ts');
  const version = await connectExternal(databaseUrl, { print, signal });
  return {
    url: databaseUrl,
    description: `PostgreSQL ${version} at DATABASE_URL.`,
    stop: async () => {},
  };
}

export const describeBinaries = ({ version, bin, isBundled }: Binaries): string =>
  isBundled
    ? `PostgreSQL ${version}, which is bundled with Muster. It is meant for trying out and private use, because it lacks security releases: docs/operations.md says how to use another one.`
    : `PostgreSQL ${version} of this system (${bin}).`;
