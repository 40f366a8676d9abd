import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { readConfig } from '#platform/config.ts';
import { openDataDir } from '#platform/data-directory.ts';
import { timeouts } from '#platform/db/client.ts';
import { joinPostgres } from '#platform/postgres/supervisor.ts';
import { administer } from '#app/administer.ts';

/** Asks on standard error, so that standard output has only the result. */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answered = terminal.question(`${question} (yes/no) `);
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([answered, closed]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

try {
  const config = readConfig(process.env);
  openDataDir(config.dataDir);
  // The work of a command may take longer than a request.
  Object.assign(timeouts, { total: 10_000, statement: 300_000 });
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'postgres')))
    throw new Error(`There is no Muster in ${config.dataDir}.`);
  process.exitCode = await administer(process.argv.slice(2), {
    config,
    ask,
    print: (text) => void process.stdout.write(`${text}\n`),
    openDatabase: async () =>
      config.databaseUrl
        ? { url: config.databaseUrl, stop: async () => {} }
        : joinPostgres({ dataDir: config.dataDir }),
  });
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
