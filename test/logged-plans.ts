import { open, stat } from 'node:fs/promises';
import type pg from 'pg';

/** A node of a plan. With `analyze`, it has the number of its runs and the number of rows per run. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

export interface Planned {
  'Query Text': string;
  Plan: Plan;
}

interface Cluster {
  logFile: string;
}

/** Logs the plan of every statement of connections opened later, including statements of triggers and foreign keys. */
export async function logPlans(client: pg.Client, { analyze = false } = {}): Promise<void> {
  for (const setting of [
    `session_preload_libraries = 'auto_explain'`,
    'auto_explain.log_min_duration = 0',
    'auto_explain.log_nested_statements = on',
    `auto_explain.log_format = 'json'`,
    `auto_explain.log_analyze = ${String(analyze)}`,
    'auto_explain.log_timing = off',
  ])
    await client.query(`alter database postgres set ${setting}`);
  // The application name distinguishes statements of requests from those of the job queue.
  await client.query(`alter system set log_line_prefix = '%a: '`);
  await client.query('select pg_reload_conf()');
}

/**
 * The returned function reads the plans of requests that were logged since its last call. PostgreSQL logs a plan when
 * its statement ends, which is after it sends the last row.
 */
export async function planReader({ logFile }: Cluster, client: pg.Client): Promise<() => Promise<Planned[]>> {
  let from = (await stat(logFile)).size;
  const busy = `select from pg_stat_activity where application_name = 'muster' and state <> 'idle'`;
  return async () => {
    while ((await client.query(busy)).rows.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const text = await readFrom(logFile, from);
    // Entries that are written partially are returned by the next call.
    const entries = [...text.matchAll(/^(.*)LOG: .* plan:\n(\t\{\n(?:\t .*\n)+\t\}\n)/gm)];
    const last = entries.at(-1);
    if (last) from += last.index + last[0].length;
    return entries
      .filter(([, by]) => by === 'muster: ')
      .map(([, , json = '']) => JSON.parse(json.replaceAll(/^\t/gm, '')) as Planned);
  };
}

/** The part of a file from this byte on. The log grows to hundreds of megabytes, so it is not read as a whole. */
async function readFrom(path: string, byte: number): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - byte), 0, size - byte, byte);
  return buffer.toString('latin1', 0, bytesRead);
}

/**
 * The number of rows that a plan reads from tables and indexes, including rows that a filter removes. Needs `analyze`.
 */
export function rowsRead({ Plans = [], ...plan }: Plan): number {
  const { 'Actual Loops': loops = 0, 'Actual Rows': rows = 0 } = plan;
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own =
    plan['Relation Name'] === undefined || plan['Node Type'] === 'ModifyTable' ? 0 : loops * (rows + removed);
  return Plans.reduce((sum, inner) => sum + rowsRead(inner), own);
}
