import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { lookOf, toLook, type StoredLook } from '#platform/db/look.ts';
import type { Instant } from '#wire/instant.ts';
import { inLook } from '#wire/look.ts';
import { noticesChannel } from '#platform/notices/raise.ts';
import { loadNotices, noticeOf, type NoticeActor, type NoticeTarget } from '#platform/notices/notice.ts';

/** A notice as the app shows it. */
export interface ShownNotice {
  id: string;
  message: string;
  created_at: Instant;
  seen_at: Instant | null;
  actioned_at: Instant | null;
  metadata: NoticeTarget;
}

interface StoredNotice extends Pick<ShownNotice, 'id' | 'created_at' | 'seen_at' | 'actioned_at'> {
  user_id: string;
  kind: string;
  facts: object;
  actor: NoticeActor;
  look: StoredLook;
}

/** The columns of a `StoredNotice`, from a row of `notices`, its reader, and its actor, if any. */
function columns({ notice, reader, actor }: Record<'notice' | 'reader' | 'actor', string>) {
  const [n, u] = [sql.ref(notice), sql.ref(actor)];
  return sql`
    ${n}.id, ${n}.user_id, ${n}.kind, ${n}.facts, ${n}.created_at, ${n}.seen_at, ${n}.actioned_at, ${lookOf(reader)} as look,
    case when ${u}.id is not null then json_build_object('first_name', ${u}.first_name, 'last_name', ${u}.last_name) end as actor`;
}

/** Renders the current text of these notices, in their order. Notices that no longer apply are left out. */
async function render(db: Db, rows: readonly StoredNotice[]): Promise<(ShownNotice & { user_id: string })[]> {
  const shown = new Map<string, ShownNotice>();
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  await Promise.all(
    kinds.map(async (kind) => {
      const notice = noticeOf(kind);
      if (!notice) return;
      const ofKind = rows.filter((row) => row.kind === kind);
      const data = await loadNotices(
        db,
        notice,
        ofKind.map((row) => ({ ...row, sentLately: [] })),
      );
      for (const [n, { id, created_at, seen_at, actioned_at, actor, look }] of ofKind.entries()) {
        if (data[n] === null) continue;
        const message = inLook(toLook(look), () => notice.message?.(data[n], actor));
        if (message === undefined) continue;
        shown.set(id, {
          id,
          message,
          created_at,
          seen_at,
          actioned_at,
          metadata: notice.opens?.(data[n]) ?? {},
        });
      }
    }),
  );
  return rows.flatMap(({ id, user_id }) => {
    const notice = shown.get(id);
    return notice ? [{ ...notice, user_id }] : [];
  });
}

/** The newest notices of a user. */
export async function newestNotices(db: Db, user: string): Promise<ShownNotice[]> {
  const rows = await all(
    db,
    sql<StoredNotice>`
      select ${columns({ notice: 'n', reader: 'r', actor: 'u' })} from notices n join users r on r.id = n.user_id left join users u on u.id = n.actor_id
      where n.user_id = ${user} order by n.created_at desc, n.id limit 200`,
  );
  return render(db, rows);
}

/** All notices of a user, the oldest first, without the names of actors. */
export async function allNotices(db: Db, user: string): Promise<ShownNotice[]> {
  const rows = await all(
    db,
    sql<StoredNotice>`
      select ${columns({ notice: 'n', reader: 'r', actor: 'u' })} from notices n join users r on r.id = n.user_id left join users u on false where n.user_id = ${user} order by n.created_at`,
  );
  return render(db, rows);
}

/**
 * Unseen notices of these users from the last `seconds` by the database clock, oldest first, except notices that were
 * sent already. Most unseen notices were sent already, so the first query only reads ids.
 */
export async function newNoticesFor(
  db: Db,
  users: readonly string[],
  seconds: number,
  wasSent: (id: string) => boolean,
): Promise<{ user_id: string; message: ShownNotice }[]> {
  const recent = await all(
    db,
    sql<{ id: string }>`
      select id from notices
      where user_id = any(${users}::uuid[]) and created_at > now() - make_interval(secs => ${seconds})
        and seen_at is null`,
  );
  const ids = recent.map(({ id }) => id).filter((id) => !wasSent(id));
  return ids.length > 0 ? noticesWith(db, ids) : [];
}

/** The notices with these ids as they are now, and their recipients. */
export async function noticesWith(
  db: Db,
  ids: readonly string[],
): Promise<{ user_id: string; message: ShownNotice }[]> {
  const rows = await all(
    db,
    sql<StoredNotice>`
      select ${columns({ notice: 'n', reader: 'r', actor: 'u' })} from notices n join users r on r.id = n.user_id left join users u on u.id = n.actor_id
      where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`,
  );
  return (await render(db, rows)).map(({ user_id, ...message }) => ({ user_id, message }));
}

/**
 * The first call sets `seen_at` or `actioned_at`, and sends the notice again to the other windows of its user. Later
 * calls change nothing. Returns undefined for a notice of another user.
 */
export async function markNotice(
  db: Db,
  user: string,
  { id, as, now }: { id: string; as: 'seen_at' | 'actioned_at'; now: Instant },
): Promise<ShownNotice | undefined> {
  const column = sql.ref(as);
  const row = await first(
    db,
    sql<StoredNotice>`
      with n as (
        update notices set ${column} = coalesce(${column}, ${now}) where id = ${id} and user_id = ${user} returning *)
      select ${columns({ notice: 'n', reader: 'r', actor: 'u' })} from n join users r on r.id = n.user_id left join users u on u.id = n.actor_id`,
  );
  if (row?.[as] === now) await run(db, sql`select pg_notify(${noticesChannel}, ${`${user} ${id}`})`);
  return row && (await render(db, [row]))[0];
}

/**
 * Deletes rows of the bell of a user, who saw them there. Notes that with the things that the rows are about, because
 * the rows themselves would have shown it. Returns the number of deleted rows.
 */
async function deleteSeen(db: Db, which: ReturnType<typeof sql>, now: Instant): Promise<number> {
  const row = await first(
    db,
    sql<{ count: number }>`
      with n as (delete from notices where ${which} returning *),
      noted as (
        insert into deliveries (id, channel, user_id, kind, state, states, stated_at, created_at, settled_at)
        select n.id, 'app', n.user_id, n.kind, 'accepted', about.states, n.created_at, ${now}, ${now}
        from n cross join lateral subjects_of(n.facts) as about (states) where about.states is not null
        on conflict (id, channel) do nothing)
      select count(*)::int as count from n`,
  );
  return row?.count ?? 0;
}

export const removeNotice = (db: Db, user: string, id: string, now: Instant) =>
  deleteSeen(db, sql`id = ${id} and user_id = ${user}`, now);

export const clearNotices = (db: Db, user: string, now: Instant) =>
  deleteSeen(db, sql`user_id = ${user}`, now);
