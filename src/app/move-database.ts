import { readConfig } from '#platform/config.ts';
import { openDataDir } from '#platform/data-directory.ts';
import { moveDatabase } from '#app/move.ts';

try {
  const config = readConfig(process.env);
  if (config.databaseUrl)
    throw new Error('DATABASE_URL is set, and this command moves only the database in DATA_DIR.');
  openDataDir(config.dataDir);
  const { from, to, rows, kept } = await moveDatabase(config);
  process.stdout.write(
    `Moved ${rows} rows from PostgreSQL ${from.version} to ${to.version}. Start Muster, and if everything is there, delete ${kept}: it holds personal data as of now.\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
