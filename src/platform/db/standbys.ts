import { first, sql, type Db } from '#platform/db/client.ts';

/** Whether the primary acknowledges a commit only when its standbys show it. Otherwise users could miss their own writes. */
export async function showsAcknowledged(primary: Db): Promise<boolean> {
  const row = await first(
    primary,
    sql<{ shows: boolean }>`
      select current_setting('synchronous_commit') = 'remote_apply'
        and current_setting('synchronous_standby_names') <> '' as shows`,
  );
  return row?.shows ?? false;
}

/** Throws if standbys could return old data. */
export async function requireSynchronousStandbys(primary: Db): Promise<void> {
  if (await showsAcknowledged(primary)) return;
  throw new Error(
    'DATABASE_READ_URL needs synchronous standbys and synchronous_commit = remote_apply on the primary: see docs/scaling.md.',
  );
}
