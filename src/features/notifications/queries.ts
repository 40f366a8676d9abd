import { all, sql, type Db } from '#platform/db/client.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { notificationOf, type Stored } from '#features/notifications/rules.ts';

/** Columns of a notification `n` whose actor is `u`. */
export const columns = sql`n.id, n.kind, n.created_at, n.seen_at, n.actioned_at, n.subject,
  case when u.id is not null then json_build_object('first_name', u.first_name, 'last_name', u.last_name) end as actor`;

export async function newestOf(db: Db, user: string): Promise<Notification[]> {
  const rows = await all(
    db,
    sql<Stored>`
      select ${columns} from notifications n left join users u on u.id = n.actor_id
      where n.user_id = ${user} order by n.created_at desc, n.id limit 200`,
  );
  return rows.map(notificationOf);
}

/**
 * Unseen notifications of these users that are not known yet, oldest first, from the last `seconds` by the database clock.
 * Most of them are known from the previous call, so the first query only reads ids.
 */
export async function newNotificationsFor(
  db: Db,
  users: readonly string[],
  seconds: number,
  isKnown: (id: string) => boolean,
): Promise<{ user_id: string; message: Notification }[]> {
  const recent = await all(
    db,
    sql<{ id: string }>`
      select id from notifications
      where user_id = any(${users}::uuid[]) and created_at > now() - make_interval(secs => ${seconds})
        and seen_at is null`,
  );
  const ids = recent.map(({ id }) => id).filter((id) => !isKnown(id));
  if (ids.length === 0) return [];
  const rows = await all(
    db,
    sql<Stored & { user_id: string }>`
      select n.user_id, ${columns} from notifications n left join users u on u.id = n.actor_id
      where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`,
  );
  return rows.map(({ user_id, ...row }) => ({ user_id, message: notificationOf(row) }));
}

export async function optedOutKeys(db: Db, user: string): Promise<string[]> {
  const rows = await all(
    db,
    sql<{ key: string }>`select key from notification_opt_outs where user_id = ${user}`,
  );
  return rows.map(({ key }) => key);
}

/** The email payload for the dates of a series. */
export const datesOf = (dates: readonly string[] | undefined) =>
  dates
    ? sql`jsonb_build_object('dates', (
        select jsonb_agg(to_jsonb(d) order by d.start_time, d.id) from events d where d.id = any(${dates}::uuid[])))`
    : sql`'{}'::jsonb`;

/**
 * Those dates of a series whose calendar files the reader `n.user_id` has got, with their answers. All of them when the
 * club is deleted, because the records of files go with the events.
 */
export const filesOfDates = sql`case when n.payload->'dates' is null then '{}' else jsonb_build_object('files', (
  select coalesce(jsonb_agg(d.event || jsonb_build_object('answer', a.answer, 'guests', coalesce(a.guests, 0),
    'has_answered', true, 'reader_changed_at', greatest(c.changed_at, coalesce(m.joined_at, n.created_at)))
    order by d.event->'start_time', d.event->'id'), '[]')
  from jsonb_array_elements(n.payload->'dates') as d (event)
  left join answers a on a.event_id = (d.event->>'id')::uuid and a.user_id = n.user_id
  left join answer_changes c on c.event_id = (d.event->>'id')::uuid and c.user_id = n.user_id
  where exists (select from calendar_files f where f.event_id = (d.event->>'id')::uuid and f.user_id = n.user_id)
    or not exists (select from events e where e.id = (d.event->>'id')::uuid))) end`;
