import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import pg from 'pg';

/** The resources that a server and its database have used since they started. */
export interface Usage {
  /** CPU time of the app, in milliseconds. */
  app: number;
  /** CPU time of all processes of PostgreSQL, in milliseconds. */
  database: number;
  /** The count of pg_stat_statements, which includes `begin` and `commit` but not the statements of triggers. */
  statements: number;
}

/** Reads the counters of a server. `adminUrl` is the URL of a superuser, whose own statements are not counted. */
export async function openCounters({ pid, adminUrl }: { pid: number; adminUrl: string }) {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { parent: postmaster } = processOf(rows[0]?.pid as number);
  return {
    async read(): Promise<Usage> {
      const counted = await client.query<{ statements: number }>(
        'select coalesce(sum(calls), 0)::float8 as statements from pg_stat_statements where userid <> current_user::regrole',
      );
      const { own } = processOf(pid);
      // The kernel adds the times of an ended process to those of its parent.
      const times = treeOf(postmaster).map((one) => one.own + one.ended);
      return { app: own, database: sum(times), statements: counted.rows[0]?.statements as number };
    },
    /** Resident memory in MB. Memory that the processes of PostgreSQL share is counted once. */
    memory(): { app: number; database: number } {
      const shares = treeOf(postmaster).map((one) =>
        sizeIn(`/proc/${one.pid}/smaps_rollup`, /^Pss:\s+(\d+)/m),
      );
      return { app: memoryOf(pid), database: sum(shares) };
    },
    close: () => client.end(),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Milliseconds that the processors were busy, and milliseconds that have passed, both as sums over all processors. */
export function processorTimes(): { busy: number; total: number } {
  const times = cpus().map(({ times: { user, nice, sys, irq, idle } }) => [user + nice + sys + irq, idle]);
  const [busy, idle] = [0, 1].map((n) => sum(times.map((one) => one[n] as number))) as [number, number];
  return { busy, total: busy + idle };
}

const sizeIn = (file: string, line: RegExp): number => Number(line.exec(read(file))?.[1] ?? 0) / 1024;

/** Resident memory of a process in MB. */
export const memoryOf = (pid: number) => sizeIn(`/proc/${pid}/status`, /^VmRSS:\s+(\d+)/m);

/** Reads a file of a process; '' if the process has ended. Asynchronous reads would allocate 64 kB for each file. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * CPU times in milliseconds, of a process and of its children that have ended. The kernel counts in hundredths of a
 * second.
 */
function processOf(pid: number) {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { pid, parent: Number(fields[1]), own: 10 * (user + system), ended: 10 * (endedUser + endedSystem) };
}

/** A process and its children. */
function treeOf(root: number): ReturnType<typeof processOf>[] {
  const children = read(`/proc/${root}/task/${root}/children`);
  return [root, ...children.split(' ').map(Number).filter(Boolean)].map(processOf);
}
