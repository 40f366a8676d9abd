import { Kysely, PostgresDialect } from 'kysely';
import { readConfig } from '#platform/config.ts';
import { openDatabase, type Db } from '#platform/db/client.ts';
import type { Context } from '#platform/context.ts';
import { instant } from '#wire/instant.ts';
import { userId } from './dataset.ts';

export interface Statement {
  text: string;
  values: unknown[];
}

const open = (url: string) => openDatabase(url, { size: 10, onError: () => {} });

/** What somebody's request has at hand, on a database that remembers every statement. */
async function remembering<T>(url: string, work: (db: Db, sent: Statement[]) => Promise<T>): Promise<T> {
  const { pool, close } = open(url);
  const sent: Statement[] = [];
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push({ text: query.sql, values: [...query.parameters] }),
  });
  return work(db, sent).finally(close);
}

/** The statements that each piece of work sends for each of these users. Transactions are to be put around them again. */
export const statementsOf = (
  url: string,
  users: readonly number[],
  work: (context: Context<'user'>, turn: number) => Promise<unknown>,
): Promise<Statement[][]> =>
  remembering(url, async (db, sent) => {
    const units: Statement[][] = [];
    for (const [turn, user] of users.entries()) {
      const context: Context<'user'> = {
        db,
        user: { id: userId(user), session_id: userId(user) },
        now: instant(Date.now()),
        config: readConfig({ SECRET_KEY: 'a key that only the benchmark of this project uses' }),
        caller: { ip: '127.0.0.1', device: '' },
        record: () => {},
      };
      await work(context, turn);
      units.push(sent.splice(0));
    }
    return units;
  });

/** The driver alone: as many at once as requests, by as many connections as the app has. Answers units a second. */
export function openDriver(url: string, units: readonly Statement[][], { transaction = false } = {}) {
  const { pool, close } = open(url);
  let turn = 0;
  async function one(): Promise<void> {
    const statements = units[turn++ % units.length] ?? [];
    const client = await pool.connect();
    try {
      if (transaction) await client.query('begin');
      for (const { text, values } of statements) await client.query(text, values);
      if (transaction) await client.query('commit');
    } finally {
      client.release();
    }
  }
  return {
    async run({ seconds = Infinity, count = Infinity, atOnce = 32 }): Promise<number> {
      const started = performance.now();
      let done = 0;
      let begun = 0;
      const work = async () => {
        while (begun < count && performance.now() - started < seconds * 1000) {
          begun++;
          await one();
          done++;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return done / ((performance.now() - started) / 1000);
    },
    close,
  };
}
