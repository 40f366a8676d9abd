import { first, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { Contact } from '#features/members/contract.ts';
import type { MemberOf } from '#features/members/rules.ts';

/** Who sees the phone of a member in a club. */
export async function contactOf(db: Db, { club_id, user_id }: MemberOf): Promise<Contact> {
  const row = await first(
    db,
    sql<Contact>`select phone_for from contacts where club_id = ${club_id} and user_id = ${user_id}`,
  );
  return row ?? { phone_for: 'nobody' };
}

/**
 * The members of a club whose phone a member may see (CONTACT-02), as rows of `user_id` and `phone`: it is for all
 * members, or it is for hosts and the viewer is an admin, or hosts an event around this time to which the other person
 * answered themselves that they are going.
 */
export const phonesSeenBy = (
  { club_id, user_id }: Pick<MemberOf, 'club_id' | 'user_id'>,
  now: Instant,
) => sql`(
  select c.user_id, u.phone
  from contacts c
  join users u on u.id = c.user_id
  join members m on m.club_id = c.club_id and m.user_id = ${user_id}
  where c.club_id = ${club_id} and u.phone <> '' and (c.phone_for = 'members' or m.club_role = 200 or exists (
    select from events e
    join answers h on h.event_id = e.id and h.user_id = m.user_id and h.host_no is not null
    join answers a on a.event_id = e.id and a.user_id = c.user_id and a.answer = 'going' and a.via in ('app', 'link')
    where e.owner_club_id = c.club_id and e.deleted_at is null and not e.polling
      and ${now} >= e.start_time - interval '24 hours'
      and ${now} < least(e.end_time + interval '24 hours', e.start_time + interval '3 days'))))`;

/** Whether a member may call the person in this column, who is somebody else. */
export const canCall = (
  person: string,
  viewer: Pick<MemberOf, 'club_id' | 'user_id'>,
  now: Instant,
) => sql<boolean>`(
  ${sql.ref(person)} <> ${viewer.user_id} and ${sql.ref(person)} in (select user_id from ${phonesSeenBy(viewer, now)} as p))`;

/** The phone of a member, if the viewer may see it. */
export async function phoneOf(
  db: Db,
  viewer: MemberOf,
  member: string,
  now: Instant,
): Promise<string | undefined> {
  const row = await first(
    db,
    sql<{ phone: string }>`select phone from ${phonesSeenBy(viewer, now)} as p where user_id = ${member}`,
  );
  return row?.phone;
}
