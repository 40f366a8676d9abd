import { randomUUID } from 'node:crypto';
import { all, byRef, first, isUuid, run, sql, type Db } from '#platform/db/client.ts';
import type { Actor, Viewer } from '#platform/context.ts';
import { isAmong, type Users } from '#platform/db/users.ts';
import { randomToken } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { fail, type ErrorCode } from '#wire/errors.ts';
import type { Contact } from '#features/members/contract.ts';
import type { Afterwards } from '#features/members/handover-contract.ts';
import type { ClubSetting, SectionChange } from '#features/members/log-contract.ts';
import {
  isAdmin,
  isPlanner,
  role,
  type AdminOf,
  type MemberOf,
  type Membership,
  type PlannerOf,
} from '#features/members/rules.ts';
import type { ClubRole } from '#features/users/contract.ts';

/**
 * Locks the club's row, so that changes to its memberships are serialised. This lock is the first in the lock order.
 */
export async function lockClub(db: Db, club: string): Promise<string> {
  const row = await first(
    db,
    sql<{ id: string }>`select id from clubs where ${byRef('clubs', club)} for no key update`,
  );
  return row?.id ?? fail('not_found');
}

/** Checks that the user is a member. For non-members the club does not exist. */
export async function asMember(
  db: Db,
  user: Pick<Actor, 'id'>,
  club: string,
  otherwise: ErrorCode = 'not_found',
): Promise<MemberOf> {
  const membership = await first(
    db,
    sql<MemberOf>`
      select m.club_id, m.user_id, m.club_role, is_planner(m.club_role, organisers_plan)
      from clubs join members m on m.club_id = clubs.id
      where ${byRef('clubs', club)} and m.user_id = ${user.id}`,
  );
  return membership ?? fail(otherwise);
}

/** Checks that the user is an admin. The role is read after locking the club, so it is up to date. */
export async function asAdmin(db: Db, user: Pick<Actor, 'id'>, club: string): Promise<AdminOf> {
  const membership = await asMember(db, user, await lockClub(db, club));
  return isAdmin(membership) ? membership : fail('not_admin');
}

/** Checks that the user plans the events of the club. The role is read after locking the club, so it is up to date. */
export async function asPlanner(db: Db, user: Actor, club: string): Promise<PlannerOf> {
  const membership = await asMember(db, user, await lockClub(db, club));
  return isPlanner(membership) ? membership : fail('not_admin');
}

/** The rights of the operator, who may act as an admin of every club and is a member of none. */
export const asOperator = async (db: Db, club: string): Promise<AdminOf> =>
  ({
    club_id: await lockClub(db, club),
    user_id: '',
    club_role: role.admin,
    is_planner: true,
  }) as unknown as AdminOf;

/**
 * Checks that a viewer who only reads is a member. The role was read with the session. For non-members the club does
 * not exist.
 */
export async function asReadingMember(
  db: Db,
  { id: user_id, memberships }: Viewer,
  club: string,
): Promise<MemberOf> {
  const club_id = isUuid(club) ? club.toLowerCase() : await idOfSlug(db, club);
  const membership = memberships.get(club_id ?? '') ?? fail('not_found');
  return { club_id, user_id, ...membership } as MemberOf;
}

const idOfSlug = async (db: Db, slug: string): Promise<string | undefined> =>
  (await first(db, sql<{ id: string }>`select id from clubs where slug = ${slug}`))?.id;

/**
 * Checks that a viewer who only reads is an admin. Takes no lock, so the result is not an `AdminOf` and no write
 * accepts it.
 */
export async function asReadingAdmin(db: Db, user: Viewer, club: string): Promise<MemberOf> {
  const membership = await asReadingMember(db, user, club);
  return isAdmin(membership) ? membership : fail('not_admin');
}

/** Two club ids in one request must refer to the same club, otherwise access to one would grant access to the other. */
export async function requireSameClub(db: Db, { club_id }: MemberOf, other?: string): Promise<void> {
  if (other === undefined || other === club_id) return;
  const same = sql`select 1 from clubs where clubs.id = ${club_id} and ${byRef('clubs', other)}`;
  if (!(await first(db, same))) fail('ids_disagree');
}

export const memberships = (db: Db, { club_id }: { club_id: string }): Promise<Membership[]> =>
  all(
    db,
    sql<Membership>`select user_id, club_role from members where club_id = ${club_id} order by joined_at, user_id`,
  );

type NewMembership = Membership & { club_id: string; first_steps?: 'open' | null };

/**
 * Called when a membership starts. `app/features.ts` registers listeners of features that this one cannot import. The
 * club is locked.
 */
export const onMembershipStarted: ((
  db: Db,
  started: { club_id: string; user_id: string },
  now: Instant,
) => Promise<unknown>)[] = [];

export async function addMember(
  db: Db,
  { club_id, user_id, club_role, first_steps = null }: NewMembership,
  now: Instant,
): Promise<void> {
  await run(
    db,
    sql`insert into members (club_id, user_id, club_role, calendar_secret, joined_at, first_steps)
        values (${club_id}, ${user_id}, ${club_role}, ${randomToken(128)}, ${now}, ${first_steps})`,
  );
  if (onMembershipStarted.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onMembershipStarted) await listener(db, { club_id, user_id }, now);
}

/** Records the calendar as added, or hides the first steps. Once hidden, they stay hidden. */
export const setFirstSteps = (
  db: Db,
  { club_id, user_id }: AdminOf,
  first_steps: 'calendar_added' | null,
): Promise<number> =>
  run(
    db,
    sql`update members set first_steps = ${first_steps}
        where club_id = ${club_id} and user_id = ${user_id} and first_steps is not null`,
  );

export async function clubNameOf(db: Db, { club_id }: MemberOf): Promise<string> {
  const club = await first(db, sql<{ club_name: string }>`select club_name from clubs where id = ${club_id}`);
  return club?.club_name ?? fail('not_found');
}

/** Changes the role of a member. Offers to hand over the club are made by admins, so a demotion ends the offer. */
export async function changeRole(
  db: Db,
  { club_id }: AdminOf,
  member: string,
  next: ClubRole,
): Promise<void> {
  await run(
    db,
    sql`update members set club_role = ${next} where club_id = ${club_id} and user_id = ${member}`,
  );
  if (next !== role.admin)
    await run(db, sql`delete from handovers where club_id = ${club_id} and from_id = ${member}`);
}

/** Replaces the secret of the member's calendar feed of the club. */
export const setCalendarSecret = (db: Db, { club_id, user_id }: MemberOf, secret: string) =>
  run(
    db,
    sql`update members set calendar_secret = ${secret} where club_id = ${club_id} and user_id = ${user_id}`,
  );

/** Revokes all answer links that were sent to these users. */
export const replaceAnswerKeys = (db: Db, users: Users) =>
  run(db, sql`update members set answer_key = default where ${isAmong('user_id', users)}`);

/** Replaces the secrets of the calendar feeds of clubs. */
export const replaceClubCalendarSecrets = (db: Db, users: Users) =>
  run(db, sql`update members set calendar_secret = gen_random_uuid() where ${isAmong('user_id', users)}`);

/**
 * Locks all events of a club that have not ended, cancelled ones included. This waits for concurrent requests to attend
 * or cancel, and later requests see the changes of this transaction. The club must be locked.
 */
export const lockUpcomingEvents = (db: Db, club_id: string, now: Instant) =>
  all(
    db,
    sql<{ id: string; series_id: string | null; deleted_at: Instant | null }>`
      select id, series_id, deleted_at from events where owner_club_id = ${club_id} and end_time > ${now}
      order by id for no key update`,
  );

/**
 * Called when the sections of members changed. `app/features.ts` registers listeners of features that this one cannot
 * import. The club is locked.
 */
export const onSectionsChanged: ((
  db: Db,
  changed: { club_id: string; users: readonly string[] },
  now: Instant,
) => Promise<unknown>)[] = [];

/**
 * Adds members to a section and removes others. Users who are no members are left out. Returns whether the section has
 * changed.
 */
export async function changeSection(
  db: Db,
  { club_id }: AdminOf,
  section: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
  now: Instant,
): Promise<boolean> {
  const changed = await all(
    db,
    sql<{ user_id: string }>`update members set section_ids = case when user_id = any(${add}::uuid[])
          then array_append(section_ids, ${section}::uuid) else array_remove(section_ids, ${section}::uuid) end
        where club_id = ${club_id} and user_id = any(case when ${section}::uuid = any(section_ids)
          then ${remove}::uuid[] else ${add}::uuid[] end)
        returning user_id`,
  );
  if (changed.length === 0) return false;
  if (onSectionsChanged.length === 0) throw new Error('app/features.ts is not loaded');
  const users = changed.map(({ user_id }) => user_id);
  for (const listener of onSectionsChanged) await listener(db, { club_id, users }, now);
  return true;
}

/** Ends the memberships in sections that are removed. */
export const endSections = (db: Db, { club_id }: AdminOf, sections: readonly string[]): Promise<number> =>
  run(
    db,
    sql`update members set section_ids = array(select id from unnest(section_ids) as id where id <> all(${sections}::uuid[]))
        where club_id = ${club_id} and section_ids && ${sections}::uuid[]`,
  );

/** A membership that has just ended. The club is locked. */
export interface EndedMembership {
  club_id: string;
  user_id: string;
  /** The secret of the member's calendar feed of the club. */
  calendar_secret: string;
  /** The member who takes over hosting. */
  successor: string;
  /** The deduplication key of the notice if an admin removed the member. */
  removal?: string;
}

/**
 * Called in the order of registration when a membership ends. `app/features.ts` registers listeners of features that
 * this one cannot import.
 */
export const onMembershipEnded: ((db: Db, ended: EndedMembership, now: Instant) => Promise<unknown>)[] = [];

/** Removes a member from a club, with everything that the member stored there. The club must be locked. */
export async function removeMember(
  db: Db,
  removed: Omit<EndedMembership, 'calendar_secret'>,
  now: Instant,
): Promise<void> {
  const { club_id, user_id } = removed;
  const membership = await first(
    db,
    sql<{ calendar_secret: string }>`
      delete from members where club_id = ${club_id} and user_id = ${user_id} returning calendar_secret`,
  );
  if (!membership) fail('not_found');
  if (onMembershipEnded.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onMembershipEnded) await listener(db, { ...removed, ...membership }, now);
}

/**
 * An invite link created while the ejection waited for the lock counts as older than the ejection, whatever the clock
 * says.
 */
export const recordEjection = (db: Db, { club_id }: AdminOf, member: string, now: Instant) =>
  run(
    db,
    sql`insert into ejections (club_id, user_id, ejected_at)
        select ${club_id}, ${member}, greatest(${now}, max(created_at)) from invite_links where club_id = ${club_id}
        on conflict (club_id, user_id) do update set ejected_at = excluded.ejected_at`,
  );

interface Offer {
  to_id: string;
  afterwards: Afterwards;
  until: Instant;
}

/** Chooses who sees the phone of a member. */
export const setContact = (
  db: Db,
  { club_id, user_id }: MemberOf,
  phone_for: Contact['phone_for'],
): Promise<number> =>
  run(
    db,
    phone_for === 'nobody'
      ? sql`delete from contacts where club_id = ${club_id} and user_id = ${user_id}`
      : sql`insert into contacts (club_id, user_id, phone_for) values (${club_id}, ${user_id}, ${phone_for})
          on conflict (club_id, user_id) do update set phone_for = excluded.phone_for`,
  );

/** Mutes the club for a member, or ends that. The club is locked, so the membership cannot end meanwhile. */
export const setMuted = (db: Db, { club_id, user_id }: MemberOf, muted: boolean): Promise<number> =>
  run(
    db,
    muted
      ? sql`insert into club_mutes (club_id, user_id) values (${club_id}, ${user_id}) on conflict do nothing`
      : sql`delete from club_mutes where club_id = ${club_id} and user_id = ${user_id}`,
  );

/** Offers to hand over the club. An admin has one offer at a time in a club: the last one. Returns its id. */
export async function addOffer(
  db: Db,
  { club_id, user_id }: AdminOf,
  { to_id, afterwards, until }: Offer,
): Promise<string> {
  const id = randomUUID();
  await run(
    db,
    sql`insert into handovers (id, club_id, from_id, to_id, afterwards, until)
        values (${id}, ${club_id}, ${user_id}, ${to_id}, ${afterwards}, ${until})
        on conflict (club_id, from_id) do update set
          id = excluded.id, to_id = excluded.to_id, afterwards = excluded.afterwards, until = excluded.until`,
  );
  return id;
}

/** Ends the offer of an admin. Returns to whom it was made, undefined if there is no open one. */
export const withdrawOffer = (db: Db, { club_id, user_id }: AdminOf, now: Instant) =>
  first(
    db,
    sql<{ to_id: string }>`
      delete from handovers where club_id = ${club_id} and from_id = ${user_id} and until > ${now} returning to_id`,
  );

/** Ends an offer to this member, which they accept or decline. The club must be locked. */
export async function takeOffer(
  db: Db,
  { club_id, user_id }: MemberOf,
  from: string,
  now: Instant,
): Promise<{ id: string; afterwards: Afterwards }> {
  const offer = await first(
    db,
    sql<{ id: string; afterwards: Afterwards }>`
      delete from handovers where club_id = ${club_id} and from_id = ${from} and to_id = ${user_id} and until > ${now}
      returning id, afterwards`,
  );
  return offer ?? fail('offer_ended');
}

export const deletePastOffers = (db: Db, now: Instant) =>
  run(db, sql`delete from handovers where until <= ${now}`);

/** What an admin did, or a member with an offer. The roles and the names of fields are stored, but no names and no texts. */
export type LoggedChange =
  | { kind: 'founded' | 'link_made' | 'link_deleted' }
  | { kind: 'ejected'; user_id: string }
  | { kind: 'role'; user_id: string; role: { before: ClubRole; now: ClubRole } }
  | { kind: 'settings'; fields: readonly ClubSetting[] }
  | { kind: 'sections'; sections: readonly SectionChange[] }
  | { kind: 'export'; list: 'members' }
  | { kind: 'handover_offered' | 'handover_accepted'; user_id: string; afterwards: Afterwards }
  | { kind: 'handover_ended'; user_id: string; reason: 'withdrawn' | 'declined' };

/** Adds an entry to the log of a club, in the transaction of its cause. The operator has no user id. */
export function addLogEntry(
  db: Db,
  { club_id, user_id: actor }: Pick<MemberOf, 'club_id' | 'user_id'>,
  change: LoggedChange,
  now: Instant,
): Promise<number> {
  const { kind, user_id = null, ...details } = { user_id: undefined, ...change };
  return run(
    db,
    sql`insert into club_log (id, club_id, at, kind, actor_id, user_id, details)
        values (${randomUUID()}, ${club_id}, ${now}, ${kind}, ${actor || null}, ${user_id}, ${JSON.stringify(details)})`,
  );
}

export const deletePastLogEntries = (db: Db, before: Instant) =>
  run(db, sql`delete from club_log where at < ${before}`);

export const deletePastEjections = (db: Db, before: Instant) =>
  run(db, sql`delete from ejections where ejected_at < ${before}`);
