import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

/** What a server and its database have used since they started. */
export interface Usage {
  /** Processor time of the app, in milliseconds. */
  app: number;
  /** Processor time of all processes of PostgreSQL, in milliseconds. */
  database: number;
  /** As pg_stat_statements counts them: `begin` and `commit` are statements, what triggers execute is not. */
  statements: number;
}

/** Reads the counters of a server; `adminUrl` is for a superuser, whose own statements do not count. */
export async function openCounters({ pid, adminUrl }: { pid: number; adminUrl: string }) {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { parent: postmaster } = await processTimes(rows[0]?.pid as number);
  return {
    async read(): Promise<Usage> {
      const counted = await client.query<{ statements: number }>(
        'select coalesce(sum(calls), 0)::float8 as statements from pg_stat_statements where userid <> current_user::regrole',
      );
      const { own } = await processTimes(pid);
      return {
        app: own,
        database: await timeOfTree(postmaster),
        statements: counted.rows[0]?.statements as number,
      };
    },
    close: () => client.end(),
  };
}

/** The kernel counts in hundredths of a second. */
async function processTimes(pid: number): Promise<{ parent: number; own: number; ended: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return { parent: fields[1] as number, own: 10 * (user + system), ended: 10 * (endedUser + endedSystem) };
}

/** A process, its children, and those of them that have ended. */
async function timeOfTree(root: number): Promise<number> {
  const pids = (await readdir('/proc')).map(Number).filter(Boolean);
  const all = await Promise.all(
    pids.map((pid) =>
      processTimes(pid).then(
        (times) => ({ pid, ...times }),
        () => undefined,
      ),
    ),
  );
  return all.reduce((sum, one) => {
    if (one?.pid === root) return sum + one.own + one.ended;
    return one?.parent === root ? sum + one.own : sum;
  }, 0);
}
