import { all, sql, type Db } from '#platform/db/client.ts';
import {
  adoptEmail,
  adoptFanOut,
  adoptNotices,
  type AdoptedEmail,
  type AdoptedFanOut,
  type AdoptedNotice,
} from '#platform/notices/adopt.ts';
import { converted, type Converted, type OldNotice } from '#features/notifications/rules.ts';

/** Number of rows of each kind that are converted in one transaction. */
const batch = 500;

/**
 * The columns of an `OldNotice` for a row of the previous release, and the joins that these columns need: with the
 * event and the club that the row names in `subject`, and with the changes that it is about.
 */
function oldNotice(row: string) {
  const n = sql.ref(row);
  const columns = sql`${n}.kind, ${n}.cause, coalesce(c.id, ${n}.club_id) as club_id, e.id as event_id, e.series_id,
    changes.by_event as changes, ${n}.actor_id, ${n}.created_at, ${n}.subject`;
  const joins = sql`
    left join lateral (
      select id, series_id from events
      where id = (${n}.subject #>> '{event,id}')::uuid or slug = ${n}.subject ->> 'event_slug' limit 1) as e on true
    left join lateral (select id from clubs where id = ${n}.club_id or slug = ${n}.subject ->> 'club_slug' limit 1) as c on true
    left join lateral (
      select coalesce(jsonb_object_agg(h.event_id, h.id), '{}') as by_event from event_changes h
      where h.id = ${n}.cause
        or h.event_id = e.id and h.kind = 'edit' and (h.changed_at = ${n}.created_at or h.sequence = (${n}.subject #>> '{event,sequence}')::int)
        or exists (
          select from jsonb_array_elements(${n}.subject -> 'dates') as d (date)
          where h.event_id = (d.date ->> 'id')::uuid and h.sequence = (d.date ->> 'sequence')::int)) as changes on true`;
  return { columns, joins };
}

/**
 * Converts the rows of the previous release: notifications, and emails and fan-outs that are still to be sent. Returns
 * whether there may be more.
 */
export async function convertOld(db: Db): Promise<boolean> {
  const { columns, joins } = oldNotice('n');
  const shown = await all(
    db,
    sql<OldNotice & Pick<AdoptedNotice, 'id' | 'user_id' | 'seen_at' | 'actioned_at'>>`
      with n as (
        delete from notifications where id = any(array(
          select id from notifications order by created_at desc limit ${batch} for update skip locked))
        returning *, null::uuid as club_id)
      select n.id, n.user_id, n.seen_at, n.actioned_at, ${columns} from n ${joins}`,
  );
  await adoptNotices(
    db,
    shown.flatMap((row) => withFacts(row)),
  );
  const emails = await all(
    db,
    sql<OldNotice & Pick<AdoptedEmail, 'id' | 'user_id' | 'send_at'>>`
      with n as (
        delete from notification_emails where id = any(array(
          select id from notification_emails order by created_at limit ${batch} for update skip locked))
        returning *, about as cause, payload as subject)
      select n.id, n.user_id, n.send_at, ${columns} from n ${joins} order by n.created_at`,
  );
  for (const row of emails.flatMap((each) => withFacts(each))) await adoptEmail(db, row);
  const fanOuts = await all(
    db,
    sql<OldNotice & Pick<AdoptedFanOut, 'id' | 'people'>>`
      with n as (
        delete from notification_fanouts where id = any(array(
          select id from notification_fanouts order by created_at limit ${batch} for update skip locked))
        returning id, kind, cause, club_id, actor_id, people, created_at, subject || payload as subject)
      select n.id, n.people, ${columns} from n ${joins}`,
  );
  for (const row of fanOuts.flatMap((each) => withFacts(each))) await adoptFanOut(db, row);
  return Math.max(shown.length, emails.length, fanOuts.length) === batch;
}

const withFacts = <Row extends OldNotice>(row: Row): (Row & Converted & { dedupe_key: string })[] => {
  const notice = converted(row);
  return notice ? [{ ...row, ...notice, dedupe_key: row.cause }] : [];
};
