import closeWithGrace from 'close-with-grace';
import { readConfig } from '#platform/config.ts';
import { openDataDir } from '#platform/data-directory.ts';
import { first, inTransaction, openDatabase, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { instant } from '#wire/instant.ts';
import { startDatabase } from '#app/database.ts';
import { liveDemo } from '#app/demo/demo.ts';
import { choir } from '#app/demo/choir.ts';
import { games } from '#app/demo/games.ts';
import { readers } from '#app/demo/readers.ts';
import { rowers } from '#app/demo/rowers.ts';
import { prepareDatabase } from '#app/server.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

const notEmpty =
  'There are clubs here already, and the demo is for an empty Muster. Give it a place of its own: DATA_DIR=./data-demo npm run seed';

const whatNext = (code: string) => `
The demo is in place: ${rowers.club_name}, ${games.club_name}, ${readers.club_name} and ${choir.club_name}.

Run npm start, and log in with one of these addresses; the code ${code}.

  ada@example.org      Ada runs the rowers, and is a member of two other clubs
  noor@example.org     Noor runs the board games, and rows
  lena@example.org     Lena runs the choir, which has sections
  kofi@example.org     Kofi is a member of one club
  new@example.org      somebody who has not told their name yet
  anybody@example.org  somebody without a club
`;

try {
  const config = readConfig(process.env);
  openDataDir(config.dataDir);
  const log = createLog('warn');
  const postgres = await startDatabase(config, { print });
  closeWithGrace({ logger: false }, () => postgres.stop());
  await prepareDatabase(postgres.url, log);
  const { db, close } = openDatabase(postgres.url, { size: 2, onError: () => {} });
  await inTransaction(db, async (transaction) => {
    if (await first(transaction, sql`select 1 from clubs limit 1`)) throw new Error(notEmpty);
    await liveDemo(transaction, config, instant(Date.now()));
  });
  await close();
  await postgres.stop();
  print(whatNext(config.smtpUrl ? 'is mailed by SMTP_URL' : 'is printed where it runs'));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
