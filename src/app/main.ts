import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import closeWithGrace from 'close-with-grace';
import { notConfigured, readConfig } from '#platform/config.ts';
import { openDataDir } from '#platform/data-directory.ts';
import { createLog, errorFields, logTo } from '#platform/log.ts';
import { startDatabase } from '#app/database.ts';
import { nodeWarning } from '#app/node-version.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const ignore = () => {};
// A full disk must not stop the app: log lines are dropped instead.
process.stdout.on('error', ignore);
/** The routine output of PostgreSQL is logged at debug level, failures as warnings. */
const levelOf = (line: string) => (/FATAL|PANIC|^PostgreSQL/.test(line) ? 'warn' : 'debug');

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel, logTo(config.logFormat));
  const open = openDataDir(config.dataDir);
  if (open.length > 0)
    log.warn({ open }, 'paths that are not private, because they belong to another account');
  const stopping = new AbortController();
  const launched = Promise.withResolvers<void>();
  const database = startDatabase(config, {
    print,
    signal: stopping.signal,
    log: (line) => log[levelOf(line)]({ line }, 'postgres'),
    begun: launched.resolve,
  });
  // Loading the app dominates the start time, so it happens while the database starts, and compiled code is cached.
  // Loading blocks the event loop, so it begins only after the database process has been launched.
  enableCompileCache(join(config.dataDir, 'compiled'));
  const app = Promise.race([launched.promise, database.then(ignore, ignore)]).then(
    () => import('#app/server.ts'),
  );
  const serving = database.then(async ({ url, description }) => {
    print(description);
    const warning = nodeWarning(process.versions.node);
    if (warning) print(warning);
    const { prepareDatabase, startServer } = await app;
    const prepared = prepareDatabase(url, log);
    return startServer({ config, databaseUrl: url, log, print, prepared });
  });

  let notice = 0;
  // If told to stop during the start, wait until the start is complete, so that nothing is left half initialised.
  const { close } = closeWithGrace(
    { delay: 30_000, logger: false, skip: ['SIGINT', 'SIGTERM'] },
    async ({ err }) => {
      if (err) log.error({ error: errorFields(err) }, 'fault');
      await serving.then((server) => server.close({ notice }), ignore);
      await database.then((postgres) => postgres.stop(), ignore);
    },
  );
  // The terminal, npm and wrapper scripts may each forward the same signal, so repeats within a second are ignored.
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const isSecond = stoppedAt !== undefined && performance.now() - stoppedAt > 1000;
    if (isSecond && signal === 'SIGTERM') process.exit(1);
    if (stoppedAt !== undefined) return;
    stoppedAt = performance.now();
    stopping.abort();
    // SIGTERM: give load balancers time to notice that the server is not ready. Ctrl-C stops at once.
    if (signal === 'SIGTERM') notice = 3000;
    close();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);

  const server = await serving;
  // Flush now: a killed process would not write the cache.
  flushCompileCache();
  print(`\n${config.productName} is ready: ${config.publicUrl}\nEmails go to ${server.mails}.`);
  const missing = notConfigured(process.env, config);
  if (missing) print(missing);
  print('Ctrl-C stops it.\n');
} catch (error) {
  // When the wait for the database is aborted, the handler above ends the process.
  if ((error as Error).name !== 'AbortError') {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
