import { z } from 'zod';
import type { Db } from '#platform/db/client.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import type { Log, RecordAudit } from '#platform/log.ts';

const Entries = z.array(z.record(z.string(), z.union([z.string(), z.number()])));

/**
 * Runs `work` and writes the events that it records to the log of the app. A job carries them there: the command has
 * another standard output, and the events are logged only if the transaction of `db` commits.
 */
export async function auditing<T>(
  db: Db,
  command: string,
  work: (record: RecordAudit) => Promise<T>,
): Promise<T> {
  const entries: z.infer<typeof Entries> = [{ event: 'admin_command', command }];
  const result = await work((event, ids) => void entries.push({ event, ...ids }));
  await enqueue(db, 'log_admin_events', { entries });
  return result;
}

export const adminTasks = (log: Log): Tasks => ({
  async log_admin_events({ entries }: { entries: unknown }) {
    for (const entry of Entries.parse(entries)) log.info({ ...entry, by: 'operator' });
  },
});
