import { all, first, run, sql, type Db } from '#platform/db/client.ts';
import { pageSize } from '#platform/db/pagination.ts';
import { byText } from '#platform/db/text.ts';
import { isEmailRefused } from '#platform/notices/deliveries.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import type { Deletion, Export } from '#features/account/contract.ts';
import type { DeletionRecord } from '#features/account/rules.ts';
import { pictureUrl } from '#wire/pictures.ts';
import { recurrenceFields } from '#features/events/queries.ts';
import type { Recurrence } from '#features/events/time-contract.ts';
import { lockUpcomingEvents } from '#features/members/store.ts';
import { pendingEmail } from '#features/users/store.ts';

export interface ClubOfAccount {
  id: string;
  slug: string;
}

/** Locks all clubs of a user. */
const lockClubs = (db: Db, user: string): Promise<ClubOfAccount[]> =>
  all(
    db,
    sql<ClubOfAccount>`
      select id, slug from clubs where id in (select club_id from members where user_id = ${user})
      order by id for no key update`,
  );

/**
 * Locks everything that deleting a user touches, in the lock order: clubs, events, user. After that no other request
 * can add rows for the user. A club that the user joins while this function waits is locked out of order. If that
 * causes a deadlock, the database reports it and the transaction is retried.
 */
export async function lockAccount(db: Db, user: string, now: Instant): Promise<ClubOfAccount[]> {
  for (const { id } of await lockClubs(db, user)) await lockUpcomingEvents(db, id, now);
  const exists = await first(db, sql`select 1 from users where id = ${user} for update`);
  if (!exists) fail('not_signed_in');
  return lockClubs(db, user);
}

export const recordDeletion = (db: Db, { digest, deleted_on }: DeletionRecord) =>
  run(
    db,
    sql`insert into deletions (digest, deleted_on) values (${digest}, ${deleted_on}) on conflict do nothing`,
  );

export const deletePastDeletions = (db: Db, before: string) =>
  run(db, sql`delete from deletions where deleted_on < ${before}`);

export const deletions = (db: Db): Promise<DeletionRecord[]> =>
  all(db, sql<DeletionRecord>`select digest, deleted_on::text from deletions`);

export const userIds = async (db: Db): Promise<string[]> =>
  (await all(db, sql<{ id: string }>`select id from users`)).map(({ id }) => id);

type SoleAdminship = Deletion['need_choice'][number];

/** The clubs whose only admin is the user, with their other members: organisers first, then by time of joining. */
export const soleAdminships = (db: Db, user: string): Promise<SoleAdminship[]> =>
  all(
    db,
    sql<SoleAdminship>`
      select c.id, c.slug, c.club_name, (select count(*)::int - 1 from members where club_id = c.id) as other_count,
        coalesce((
          select json_agg(o) from (
            select u.id, u.first_name, u.last_name, u.profile_picture_url, o.club_role
            from members o join users u on u.id = o.user_id where o.club_id = c.id and o.user_id <> m.user_id
            order by o.club_role desc, o.joined_at, u.id limit ${pageSize}) as o
        ), '[]') as members
      from members m join clubs c on c.id = m.club_id
      where m.user_id = ${user} and m.club_role = 200 and not exists (
        select from members o where o.club_id = m.club_id and o.user_id <> m.user_id and o.club_role = 200)
      order by ${byText(sql`c.club_name`)}, c.id`,
  );

export async function profileOf(db: Db, user: string, now: Instant): Promise<Export['profile']> {
  const profile = await first(
    db,
    sql<Export['profile']>`
      select id, email, ${pendingEmail('u.id', now)} as pending_email, ${isEmailRefused('u.id', now)} as email_refused, user_name, first_name, last_name, phone, profile_picture_url,
        invites_by_mail, language, clock, time_zone, device_zone, created_at
      from users u where id = ${user}`,
  );
  return profile ?? fail('not_signed_in');
}

export const emailChangesOf = (db: Db, user: string): Promise<Export['email_changes']> =>
  all(
    db,
    sql<Export['email_changes'][number]>`
      select old_email, new_email, requested_at, changed_at from email_changes
      where user_id = ${user} order by requested_at`,
  );

export const emailRejectionsOf = async (db: Db, user: string): Promise<Export['email_rejections']> =>
  (await first(
    db,
    sql<NonNullable<Export['email_rejections']>>`
      select rejections, rejected_since from email_rejections where user_id = ${user}`,
  )) ?? null;

export const deliveriesOf = (db: Db, user: string): Promise<Export['deliveries']> =>
  all(
    db,
    sql<Export['deliveries'][number]>`
      select kind, channel, state, code, stated_at, created_at, settled_at from deliveries
      where user_id = ${user} order by created_at, id, channel`,
  );

export const clubsOf = (db: Db, user: string): Promise<Export['clubs']> =>
  all(
    db,
    sql<Export['clubs'][number]>`
      select c.id, c.slug, c.club_name, m.club_role,
        array(select name from sections where id = any(m.section_ids) order by position) as sections, m.joined_at, coalesce(k.phone_for, 'nobody') as phone_for,
        exists (select from club_mutes where club_id = m.club_id and user_id = m.user_id) as muted
      from members m join clubs c on c.id = m.club_id
      left join contacts k on k.club_id = m.club_id and k.user_id = m.user_id where m.user_id = ${user} order by m.joined_at`,
  );

/**
 * Names nobody else: other people are 'an admin' or 'a member'. Members act in the log by answering an offer of an
 * admin, and become an admin by accepting it.
 */
export const logEntriesOf = (db: Db, user: string): Promise<Export['club_log']> =>
  all(
    db,
    sql<Export['club_log'][number]>`
      select c.club_name, l.at, l.kind,
        case when l.actor_id = ${user} then 'you' when a.declined then 'a member' else 'an admin' end as actor,
        case when l.user_id = ${user} then 'you' when a.declined or l.kind = 'handover_accepted' then 'an admin'
          when l.kind in ('role', 'ejected', 'handover_offered', 'handover_ended') then 'a member' end as person,
        l.details
      from club_log l join clubs c on c.id = l.club_id,
        lateral (select l.details ->> 'reason' is not distinct from 'declined' as declined) as a
      where l.actor_id = ${user} or l.user_id = ${user}
      order by l.at, l.id`,
  );

export const handoversOf = (db: Db, user: string): Promise<Export['handovers']> =>
  all(
    db,
    sql<Export['handovers'][number]>`
      select c.club_name, case when h.from_id = ${user} then 'made' else 'received' end as offer, h.afterwards, h.until
      from handovers h join clubs c on c.id = h.club_id where ${user} in (h.from_id, h.to_id)
      order by h.until, h.id`,
  );

export const ejectionsOf = (db: Db, user: string): Promise<Export['removed_from']> =>
  all(
    db,
    sql<Export['removed_from'][number]>`
      select c.club_name, e.ejected_at from ejections e join clubs c on c.id = e.club_id
      where e.user_id = ${user} order by e.ejected_at`,
  );

export const linksOf = (db: Db, user: string): Promise<Export['invite_links']> =>
  all(
    db,
    sql<Export['invite_links'][number]>`
      select c.club_name, l.created_at, l.expires_at from invite_links l join clubs c on c.id = l.club_id
      where l.created_by = ${user} order by l.created_at`,
  );

export const answersOf = (db: Db, user: string): Promise<Export['answers']> =>
  all(
    db,
    sql<Export['answers'][number]>`
      select e.name as event_name, c.club_name, e.start_time,
        case when a.host_no is null then 'attendee' else 'organiser' end as attendee_role, a.answer, a.guests, a.note, a.reply,
        a.answered_at, a.confirmed_at, a.via
      from answers a join events e on e.id = a.event_id join clubs c on c.id = e.owner_club_id
      where a.user_id = ${user} order by e.start_time, e.id`,
  );

export const votesOf = (db: Db, user: string): Promise<Export['votes']> =>
  all(
    db,
    sql<Export['votes'][number]>`
      select e.name as event_name, c.club_name, t.start_time, t.end_time, v.vote, v.voted_at
      from time_votes v join event_times t on t.id = v.time_id join events e on e.id = v.event_id
      join clubs c on c.id = e.owner_club_id
      where v.user_id = ${user} order by t.start_time, t.id`,
  );

export const daysAwayOf = (db: Db, user: string): Promise<Export['absences']> =>
  all(
    db,
    sql<Export['absences'][number]>`
      select first_on::text, last_on::text from absences where user_id = ${user} order by first_on, last_on`,
  );

interface StoredStandingAnswer extends Omit<Export['standing_answers'][number], 'repeats'> {
  repeats: Recurrence;
}

export const standingAnswersOf = (db: Db, user: string): Promise<StoredStandingAnswer[]> =>
  all(
    db,
    sql<StoredStandingAnswer>`
      select s.fields ->> 'name' as event_name, c.club_name, json_build_object(${recurrenceFields('s')}) as repeats, a.answer, a.guests, a.since
      from standing_answers a join series s on s.id = a.series_id join clubs c on c.id = s.club_id
      where a.user_id = ${user} order by a.since, s.id`,
  );

export const checkInsOfUser = (db: Db, user: string): Promise<Export['check_ins']> =>
  all(
    db,
    sql<Export['check_ins'][number]>`
      select e.name as event_name, c.club_name, e.start_time, i.came, i.came_at
      from check_ins i join events e on e.id = i.event_id join clubs c on c.id = e.owner_club_id
      where i.user_id = ${user} order by e.start_time, e.id`,
  );

export const slotsOfUser = (db: Db, user: string): Promise<Export['slots']> =>
  all(
    db,
    sql<Export['slots'][number]>`
      select e.name as event_name, club.club_name, e.start_time, s.kind, s.title, coalesce(c.places, 0) as taken,
        s.by_id is not distinct from ${user}::uuid as added
      from (
        select id from slots where by_id = ${user} union select slot_id from slot_claims where user_id = ${user}) as own
      join slots s using (id) left join slot_claims c on c.slot_id = s.id and c.user_id = ${user}
      join events e on e.id = s.event_id join clubs club on club.id = e.owner_club_id
      order by e.start_time, s.created_at, s.id`,
  );

export const answerChangesOf = (db: Db, user: string): Promise<Export['answer_changes']> =>
  all(
    db,
    sql<Export['answer_changes'][number]>`
      select e.name as event_name, c.club_name, e.start_time, a.changed_at
      from answer_changes a join events e on e.id = a.event_id join clubs c on c.id = e.owner_club_id
      where a.user_id = ${user} order by e.start_time, e.id`,
  );

export const eventChangesOf = (db: Db, user: string): Promise<Export['event_changes']> =>
  all(
    db,
    sql<Export['event_changes'][number]>`
      select e.name as event_name, c.club_name, e.start_time, h.kind, h.changed_at, h.reason, h.words
      from event_changes h join events e on e.id = h.event_id join clubs c on c.id = e.owner_club_id
      where h.actor_id = ${user} order by h.changed_at, h.id`,
  );

export const calendarFilesOf = (db: Db, user: string): Promise<Export['calendar_files']> =>
  all(
    db,
    sql<Export['calendar_files'][number]>`
      select e.name as event_name, c.club_name, e.start_time, f.invited
      from (select event_id, bool_or(invited) as invited from calendar_files where user_id = ${user} group by event_id) as f
      join events e on e.id = f.event_id join clubs c on c.id = e.owner_club_id order by e.start_time, e.id`,
  );

export const calendarFetchesOf = (db: Db, user: string): Promise<Export['calendar_fetches']> =>
  all(
    db,
    sql<Export['calendar_fetches'][number]>`
      select c.club_name, f.app, f.fetched_at
      from feed_fetches f left join clubs c on c.id = f.club_id where f.user_id = ${user} order by f.fetched_at, f.app`,
  );

export const followedEvents = (
  db: Db,
  table: 'favourites' | 'event_followers',
  user: string,
): Promise<Export['favourites']> =>
  all(
    db,
    sql<Export['favourites'][number]>`
      select e.name as event_name, c.club_name, e.start_time
      from ${sql.table(table)} k join events e on e.id = k.event_id join clubs c on c.id = e.owner_club_id
      where k.user_id = ${user} order by e.start_time, e.id`,
  );

export const retiredFeedsOf = (db: Db, user: string): Promise<Export['retired_calendar_links']> =>
  all(
    db,
    sql<Export['retired_calendar_links'][number]>`
      select c.club_name, f.retired_at, f.entries as events
      from retired_feeds f left join clubs c on c.id = f.club_id where f.user_id = ${user} order by f.retired_at`,
  );

export const questionsOf = (db: Db, user: string): Promise<Export['questions']> =>
  all(
    db,
    sql<Export['questions'][number]>`
      select e.name as event_name, c.club_name, e.start_time, q.question, q.asked_at, q.answer, q.answered_at, q.shared
      from questions q join events e on e.id = q.event_id join clubs c on c.id = e.owner_club_id
      where q.author_id = ${user} order by q.asked_at`,
  );

export const questionAnswersOf = (db: Db, user: string): Promise<Export['question_answers']> =>
  all(
    db,
    sql<Export['question_answers'][number]>`
      select e.name as event_name, c.club_name, e.start_time, q.answer, q.answered_at, q.shared
      from questions q join events e on e.id = q.event_id join clubs c on c.id = e.owner_club_id
      where q.answered_by = ${user} order by q.answered_at`,
  );

const picturesOf = (post: string) =>
  sql`array(select name from pictures f where f.update_id = ${sql.ref(post)}.id order by f.position)`;

const withUrls = <Row extends { pictures: string[] }>(rows: readonly Row[]): Row[] =>
  rows.map((row) => ({ ...row, pictures: row.pictures.map((name) => pictureUrl(name, 'update')) }));

export const updatesOf = async (db: Db, user: string): Promise<Export['updates']> =>
  withUrls(
    await all(
      db,
      sql<Export['updates'][number]>`
        select c.club_name, p.content, p.created_at, p.edited_at, ${picturesOf('p')} as pictures
        from posts p join clubs c on c.id = p.club_id
        where p.creator_id = ${user} and p.event_id is null order by p.created_at`,
    ),
  );

export const updateReadsOf = (db: Db, user: string): Promise<Export['update_reads']> =>
  all(
    db,
    sql<Export['update_reads'][number]>`
      select c.club_name, p.created_at as published_at, r.read_at, r.via
      from update_reads r join posts p on p.id = r.update_id join clubs c on c.id = p.club_id
      where r.user_id = ${user} order by r.read_at`,
  );

export const messagesOf = async (db: Db, user: string): Promise<Export['messages']> =>
  withUrls(
    await all(
      db,
      sql<Export['messages'][number]>`
        select e.name as event_name, c.club_name, e.start_time, p.audience as "to", p.content, p.created_at,
          p.edited_at, ${picturesOf('p')} as pictures
        from posts p join events e on e.id = p.event_id join clubs c on c.id = p.club_id
        where p.creator_id = ${user} order by p.created_at`,
    ),
  );

export const feedbackOf = (db: Db, user: string): Promise<Export['feedback']> =>
  all(
    db,
    sql<Export['feedback'][number]>`
      select feedback, created_at from feedback where user_id = ${user} order by created_at`,
  );
