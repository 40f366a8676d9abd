import { randomUUID } from 'node:crypto';
import { all, first, inTransaction, run, sql, type Clock, type Db } from '#platform/db/client.ts';
import { fail } from '#wire/errors.ts';
import type { Instant } from '#wire/instant.ts';
import { withdrawFile } from '#features/calendar/store.ts';
import type { Absence } from '#features/events/absences/contract.ts';
import type { Days } from '#features/events/absences/form-rules.ts';
import {
  clubOf,
  clubsOf,
  eventsOfMembers,
  eventsToAnswer,
  seatedBefore,
  standingAnswersTo,
} from '#features/events/absences/queries.ts';
import { givenAnswers, type Given } from '#features/events/absences/rules.ts';
import { notifyHosts } from '#features/events/answers/notices.ts';
import { moveUp, saveGiven } from '#features/events/answers/store.ts';
import { lockClub } from '#features/members/store.ts';

/**
 * Locks a user, so that absences and memberships of the user begin one after the other: whichever comes second sees the
 * other one.
 */
export const lockUser = (db: Db, user: string) =>
  run(db, sql`select from users where id = ${user} for update`);

/** Saves the days of a new absence. The same days again are the absence that exists. Returns its id. */
export async function addAbsence(db: Db, user: string, { first_on, last_on }: Days): Promise<string> {
  const row = await first(
    db,
    sql<{ id: string }>`
      insert into absences (id, user_id, first_on, last_on) values (${randomUUID()}, ${user}, ${first_on}, ${last_on})
      on conflict (user_id, first_on, last_on) do update set last_on = excluded.last_on returning id`,
  );
  return row?.id ?? fail('not_found');
}

/** Changes the days of an absence of this user. */
export async function changeAbsence(db: Db, user: string, { id, first_on, last_on }: Absence): Promise<void> {
  const sameDays = sql`user_id = ${user} and first_on = ${first_on} and last_on = ${last_on}`;
  await run(db, sql`delete from absences where ${sameDays} and id <> ${id}`);
  const changed = await run(
    db,
    sql`update absences set first_on = ${first_on}, last_on = ${last_on} where id = ${id} and user_id = ${user}`,
  );
  if (changed === 0) fail('not_found');
}

/** Deletes an absence of this user. */
export async function deleteAbsence(db: Db, user: string, id: string): Promise<void> {
  const deleted = await run(db, sql`delete from absences where id = ${id} and user_id = ${user}`);
  if (deleted === 0) fail('not_found');
}

/** Deletes the absences whose last day is before this day. */
export const deletePastAbsences = (db: Db, before: string) =>
  run(db, sql`delete from absences where last_on < ${before}`);

/** Locks events, so that nobody answers, changes or cancels them until the transaction ends. */
const lockEvents = (db: Db, events: readonly string[]) =>
  run(db, sql`select from events where id = any(${events}::uuid[]) order by id for no key update`);

/** Whether a change leaves fewer seats taken than before. */
const freesSeats = ({ answer, guests, before }: Given) =>
  before?.answer === 'going' && (answer !== 'going' || guests < before.guests);

/** Withdraws the calendar files of members who are not going any more. */
async function withdrawFiles(db: Db, changes: readonly Given[], now: Instant): Promise<void> {
  const left = changes.filter(({ answer, before }) => before?.answer === 'going' && answer !== 'going');
  if (left.length === 0) return;
  const files = await all(
    db,
    sql<{ user_id: string; club_id: string; event_id: string }>`
      select distinct f.user_id, e.owner_club_id as club_id, f.event_id
      from unnest(${left.map(({ event_id }) => event_id)}::uuid[], ${left.map(({ user_id }) => user_id)}::uuid[])
        as l (event_id, user_id)
      join calendar_files f on f.event_id = l.event_id and f.user_id = l.user_id join events e on e.id = f.event_id`,
  );
  for (const file of files) await withdrawFile(db, file, now);
}

/**
 * Brings the answers that absences and standing answers give to these events up to date, for all members or for these
 * users: the one place that writes and takes back given answers. Every cause calls it, with the club and the events
 * locked. Members get no notice, except that their calendar files are withdrawn; the hosts are told about changes
 * shortly before an event. Freed seats go to the waitlists.
 */
export async function updateGivenAnswers(
  db: Db,
  events: readonly string[],
  now: Instant,
  users?: readonly string[],
): Promise<void> {
  const found = await eventsToAnswer(db, events, now, users);
  const freed = new Set<string>();
  const soon = new Set(found.filter(({ is_late }) => is_late).map(({ event_id }) => event_id));
  for (const [series, dates] of Map.groupBy(found, ({ series_id }) => series_id)) {
    const standing = series ? await standingAnswersTo(db, series, users) : [];
    const [first] = dates;
    const earlier =
      series && first && standing.length > 0 ? await seatedBefore(db, series, first.start_time) : [];
    const changes = [...givenAnswers(dates, standing, earlier)].flat();
    if (changes.length === 0) continue;
    await saveGiven(db, changes, now);
    await withdrawFiles(db, changes, now);
    for (const change of changes) if (freesSeats(change)) freed.add(change.event_id);
    for (const { event_id, user_id: member, answer, guests, before } of changes)
      if (before && soon.has(event_id))
        await notifyHosts(
          db,
          {
            event_id,
            member,
            before: { ...before, note: '', note_hash: '' },
            after: { answer, guests, note: '' },
          },
          now,
        );
  }
  if (freed.size > 0) await moveUp(db, [...freed], now);
}

/** The number of events that are answered in one transaction. */
const eventsAtOnce = 100;

/**
 * The number of answers that one transaction brings up to date, unless a single event has more: sixty dates of 200
 * members, the largest club for which a series for everybody can be planned.
 */
const answersAtOnce = 12_000;

/** Events of a club, the earliest first. */
export interface EventsToAnswer {
  events: readonly string[];
  /** The members whose answers may change. Without them, those of all members may. */
  users?: readonly string[] | undefined;
}

/** The earliest of these events that one transaction answers. */
async function earliestOf(db: Db, { events, users }: EventsToAnswer): Promise<readonly string[]> {
  const [first] = events;
  if (!first || events.length === 1) return events;
  const members = users?.length ?? (await clubOf(db, first)).members;
  return events.slice(0, Math.max(1, Math.min(eventsAtOnce, Math.floor(answersAtOnce / members))));
}

/** Brings the given answers to the `earliest` of these events up to date, and enqueues a job for the others. */
async function answer(
  db: Db,
  { events, users }: EventsToAnswer,
  earliest: readonly string[],
  now: Instant,
): Promise<void> {
  await updateGivenAnswers(db, earliest, now, users);
  const others = events.slice(earliest.length);
  if (others.length > 0)
    await run(
      db,
      sql`select enqueue_job('answer_events', ${JSON.stringify({ events: others, users })}::jsonb)`,
    );
}

/**
 * Brings the given answers to events up to date: those to the earliest in this transaction, and the others by a job,
 * because a large club gives 300,000 answers to a series. The club and the events must be locked.
 */
export const answerEvents = async (db: Db, work: EventsToAnswer, now: Instant): Promise<void> =>
  answer(db, work, await earliestOf(db, work), now);

/** Like `answerEvents`, but locks the events that this transaction answers. The club must be locked. */
async function lockAndAnswer(db: Db, work: EventsToAnswer, now: Instant): Promise<void> {
  const earliest = await earliestOf(db, work);
  await lockEvents(db, earliest);
  await answer(db, work, earliest, now);
}

/** Answers the events that an earlier transaction has left to a job. */
export const answerRemaining = (db: Db, work: EventsToAnswer, clock: Clock): Promise<void> =>
  inTransaction(db, async (transaction) => {
    const [first = fail('not_found')] = work.events;
    await lockClub(transaction, (await clubOf(transaction, first)).id);
    await lockAndAnswer(transaction, work, await clock(transaction));
  });

/** A member of a club. */
export interface MemberToAnswer {
  club_id: string;
  user_id: string;
}

/** Locks these events and brings the given answers of members to them up to date. The club must be locked. */
async function lockAndUpdate(
  db: Db,
  events: readonly string[],
  now: Instant,
  users: readonly string[],
): Promise<void> {
  if (events.length === 0) return;
  await lockEvents(db, events);
  await updateGivenAnswers(db, events, now, users);
}

/**
 * Brings the given answers of a member in a club up to date, such as those of a new member: those to the nearest events
 * in this transaction, and the others by a job, because there may be thousands. The club must be locked.
 */
export async function answerForMember(db: Db, member: MemberToAnswer, now: Instant): Promise<void> {
  const events = await eventsOfMembers(db, member.club_id, [member.user_id], now);
  await lockAndUpdate(db, events.slice(0, eventsAtOnce), now, [member.user_id]);
  if (events.length > eventsAtOnce)
    await run(db, sql`select enqueue_job('answer_for_member', ${JSON.stringify(member)}::jsonb)`);
}

/** Brings the given answers of members up to date after a change of their sections. The club must be locked. */
export async function onSectionsChanged(
  db: Db,
  { club_id, users }: { club_id: string; users: readonly string[] },
  now: Instant,
): Promise<void> {
  const events = await eventsOfMembers(db, club_id, users, now);
  if (events.length > 0) await lockAndAnswer(db, { events, users }, now);
}

/**
 * Brings all given answers of a member in a club up to date. Uses short transactions, because nobody else can answer
 * these events while they are locked. Events that are created after the first transaction are answered with it.
 */
export async function updateAnswersOfMember(
  db: Db,
  { club_id, user_id }: MemberToAnswer,
  clock: Clock,
): Promise<void> {
  let left: readonly string[] | undefined;
  do {
    left = await inTransaction(db, async (transaction) => {
      await lockClub(transaction, club_id);
      const now = await clock(transaction);
      const events = left ?? (await eventsOfMembers(transaction, club_id, [user_id], now));
      await lockAndUpdate(transaction, events.slice(0, eventsAtOnce), now, [user_id]);
      return events.slice(eventsAtOnce);
    });
  } while (left.length > 0);
}

/** Brings the given answers of a user up to date, club by club, so that no transaction locks several clubs. */
export async function updateAnswersOfUser(db: Db, user: string, clock: Clock): Promise<void> {
  for (const club_id of await clubsOf(db, user))
    await updateAnswersOfMember(db, { club_id, user_id: user }, clock);
}
