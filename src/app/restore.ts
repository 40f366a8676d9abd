import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readConfig } from '#platform/config.ts';
import { openDataDir } from '#platform/data-directory.ts';
import { createLog } from '#platform/log.ts';
import { restore } from '#app/backups.ts';
import { startDatabase } from '#app/database.ts';

const print = (line: string) => process.stderr.write(`${line}\n`);

try {
  const { values, positionals } = parseArgs({
    options: { trust: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [file] = positionals;
  if (!file) throw new Error('Say which archive: npm run restore -- file');
  if (!existsSync(file)) throw new Error(`There is no ${file}.`);
  const config = readConfig(process.env);
  openDataDir(config.dataDir);
  const log = createLog('warn');
  const database = await startDatabase(config, { print });
  const target = { config, databaseUrl: database.url };
  const summary = await restore(target, file, { log, trust: values.trust }).finally(database.stop);
  process.stdout.write(
    `Restored as of ${summary.made_at}: ${summary.rows} rows and ${summary.files} files. Deleted again, since they had themselves deleted later: ${summary.erased}.\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
