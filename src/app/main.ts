import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import closeWithGrace from 'close-with-grace';
import { notConfigured, readConfig } from '#platform/config.ts';
import { openDataDir } from '#platform/data-directory.ts';
import { createLog, errorFields } from '#platform/log.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const nothing = () => {};
// Where there is no room for it the log has gaps, and the app goes on.
process.stdout.on('error', nothing);
/** What PostgreSQL says every time it starts is of no interest; that it failed is. */
const levelOf = (line: string) => (/FATAL|PANIC|^PostgreSQL/.test(line) ? 'warn' : 'debug');

try {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const open = openDataDir(config.dataDir);
  if (open.length > 0) log.warn({ open }, 'not private: it belongs to another account');
  const comesUp = Promise.withResolvers<void>();
  const database = config.databaseUrl
    ? Promise.resolve({ url: config.databaseUrl, stop: async () => {} })
    : startPostgres({
        dataDir: config.dataDir,
        log: (line) => log[levelOf(line)]({ line }, 'postgres'),
        begun: comesUp.resolve,
      });
  // Most of a start is the loading of the rest: the database comes up meanwhile, and the next start finds it compiled.
  // To load keeps the process from all else, so it comes after what the database takes to be under way.
  enableCompileCache(join(config.dataDir, 'compiled'));
  const rest = Promise.race([comesUp.promise, database.then(nothing, nothing)]).then(
    () => import('#app/server.ts'),
  );
  const serving = database.then(async ({ url }) => {
    const { prepareDatabase, startServer } = await rest;
    const prepared = prepareDatabase(url, log);
    return startServer({ config, databaseUrl: url, log, print, prepared });
  });

  let notice = 0;
  // Told to stop while it starts, the app gets there first, so that it leaves nothing half begun.
  const { close } = closeWithGrace(
    { delay: 30_000, logger: false, skip: ['SIGINT', 'SIGTERM'] },
    async ({ err }) => {
      if (err) log.error({ error: errorFields(err) }, 'fault');
      await serving.then((server) => server.close({ notice }), nothing);
      await database.then((postgres) => postgres.stop(), nothing);
    },
  );
  // One signal may come several times, from the terminal, from npm and from the script in between: the first counts.
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const isSecond = stoppedAt !== undefined && performance.now() - stoppedAt > 1000;
    if (isSecond && signal === 'SIGTERM') process.exit(1);
    if (stoppedAt !== undefined) return;
    stoppedAt = performance.now();
    // Somebody at a terminal waits for it; a balancer has to be told first.
    if (signal === 'SIGTERM') notice = 3000;
    close();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);

  const server = await serving;
  // Now, since a process that is killed would leave nothing.
  flushCompileCache();
  print(`\n${config.productName} is ready: ${config.publicUrl}\nEmails go to ${server.mails}.`);
  const missing = notConfigured(process.env, config);
  if (missing) print(missing);
  print('Ctrl-C stops it.\n');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
