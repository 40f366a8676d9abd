import { randomUUID } from 'node:crypto';
import { run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';

export const save = (db: Db, user: string, feedback: string, now: Instant) =>
  run(
    db,
    sql`insert into feedback (id, user_id, feedback, created_at)
        values (${randomUUID()}, ${user}, ${feedback}, ${now})`,
  );
