import { run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';

/** A notice that was converted from the tables of the previous release. */
interface Adopted {
  id: string;
  kind: string;
  key: string;
  facts: object;
  before: object;
  dedupe_key: string;
  actor_id: string | null;
  created_at: Instant;
}

export interface AdoptedNotice extends Adopted {
  user_id: string;
  seen_at: Instant | null;
  actioned_at: Instant | null;
}

/** Stores converted notices for the bell, with their original ids and times. */
export const adoptNotices = (db: Db, rows: readonly AdoptedNotice[]) =>
  run(
    db,
    sql`
      insert into notices (id, user_id, kind, dedupe_key, facts, actor_id, created_at, seen_at, actioned_at)
      select id, user_id, kind, dedupe_key, facts, actor_id, created_at, seen_at, actioned_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (id uuid, user_id uuid, kind text, dedupe_key uuid, facts jsonb,
        actor_id uuid, created_at timestamptz, seen_at timestamptz, actioned_at timestamptz)
      order by user_id on conflict do nothing`,
  );

export interface AdoptedEmail extends Adopted {
  user_id: string;
  send_at: Instant;
}

/** Stores a converted pending email. */
export const adoptEmail = (
  db: Db,
  { id, user_id, kind, key, facts, before, actor_id, created_at, send_at }: AdoptedEmail,
) =>
  run(
    db,
    sql`
      insert into notice_emails as e (id, user_id, kind, key, facts, before, actor_id, created_at, send_at)
      values (${id}, ${user_id}, ${kind}, ${key}, ${JSON.stringify(facts)}, ${JSON.stringify(before)}, ${actor_id},
        ${created_at}, ${send_at})
      on conflict (user_id, kind, key) where sent_at is null do update set
        facts = excluded.facts, before = excluded.before || e.before, actor_id = excluded.actor_id`,
  );

export interface AdoptedFanOut extends Adopted {
  people: readonly string[];
}

/** Stores a converted fan-out whose remaining recipients are `people`. */
export const adoptFanOut = (
  db: Db,
  { id, kind, dedupe_key, key, facts, before, actor_id, people, created_at }: AdoptedFanOut,
) =>
  run(
    db,
    sql`
      insert into notice_fanouts (id, kind, dedupe_key, key, facts, before, actor_id, people, own, seconds, created_at)
      values (${id}, ${kind}, ${dedupe_key}, ${key}, ${JSON.stringify(facts)}, ${JSON.stringify(before)}, ${actor_id},
        ${people}::uuid[], '{}', 0, ${created_at})`,
  );
