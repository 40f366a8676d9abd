import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '#platform/config.ts';
import { openDataDir } from '#platform/data-directory.ts';
import { joinPostgres } from '#platform/postgres/supervisor.ts';
import { instant } from '#wire/instant.ts';
import { backup } from '#app/backups.ts';
import { startDatabase } from '#app/database.ts';

const print = (line: string) => process.stderr.write(`${line}\n`);

try {
  const config = readConfig(process.env);
  openDataDir(config.dataDir);
  const [file = `muster-${instant(Date.now()).slice(0, 19).replaceAll(':', '-')}.backup`] =
    process.argv.slice(2);
  if (existsSync(file)) throw new Error(`${file} is there already.`);
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'postgres')))
    throw new Error(`There is no Muster in ${config.dataDir}, so there is nothing to back up.`);
  const database = config.databaseUrl
    ? await startDatabase(config, { print })
    : await joinPostgres({ dataDir: config.dataDir });
  const { rows, files } = await backup({ config, databaseUrl: database.url }, file).finally(database.stop);
  process.stdout.write(
    `${file}: ${rows} rows and ${files} files. It holds personal data: keep it where nobody else reads. The SECRET_KEY is not in it.\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
