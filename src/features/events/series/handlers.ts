import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import { jsonField, jsonSerializer, mergeJson, requireVersion } from '#platform/http/reply.ts';
import { fail, failIf } from '#wire/errors.ts';
import { editedTimeZone } from '#wire/time-zone.ts';
import { dateIn } from '#wire/wall-time.ts';
import { listOfSeries } from '#features/events/queries.ts';
import { emptyEventFields, eventFieldKeys } from '#features/events/field-contract.ts';
import { cancelledWith } from '#features/events/change-mail.ts';
import { changesGivenAnswers, isMove, whyCannotAsk } from '#features/events/form-rules.ts';
import { answerEvents, updateGivenAnswers } from '#features/events/absences/store.ts';
import type { StandingByLink } from '#features/events/answers/access.ts';
import type { MemberOf } from '#features/members/rules.ts';
import type { Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import { cardsFor, isSoon } from '#features/events/handlers.ts';
import { isWorthTelling } from '#features/events/mail-rules.ts';
import { cancelledEvents, followers, followersAndDecliners } from '#features/events/notice-queries.ts';
import { eventCancelled, eventUpdated } from '#features/events/notices.ts';
import { audienceAfter, lockUpcomingDates, type DateOfSeries } from '#features/events/access.ts';
import { cancelEvents, moveSlots, recordBreak, updateEvent, type EditNote } from '#features/events/store.ts';
import {
  addLogEntry,
  asAdmin,
  asMember,
  asPlanner,
  asReadingMember,
  memberships,
} from '#features/members/store.ts';
import { membersItIsFor } from '#features/sections/queries.ts';
import { Rule, Series, type series } from '#features/events/series/contract.ts';
import { versionOfBreaks } from '#features/events/series/form-rules.ts';
import {
  breaksOfRule,
  editDates,
  editedRule,
  isBreak,
  isInBreak,
  whyCannotRepeat,
  whyHasNoDates,
} from '#features/events/series/rules.ts';
import * as access from '#features/events/series/access.ts';
import * as queries from '#features/events/series/queries.ts';
import * as store from '#features/events/series/store.ts';

const day = 24 * 60 * 60;

/** The maximum number of running series in a club. */
const maxSeries = 20;

/** A series that everyone attends by default can be planned only in a club with at most this many members. */
const maxEverybody = 200;

const headJson = jsonSerializer(Series.omit({ events: true }));

export const handlers: Handlers<typeof series> = {
  async plan({ db, user, now }, { club, ...template }) {
    const planner = await asPlanner(db, user, club);
    failIf(
      whyCannotAsk(template) ?? whyCannotRepeat(template, await queries.breaksOf(db, planner.club_id), now),
    );
    if (template.everybody && (await memberships(db, planner)).length > maxEverybody)
      fail('too_many_members');
    if ((await store.countRunning(db, planner, now)) >= maxSeries) fail('too_many_series');
    await limit(db, `series-a-day:${planner.club_id}`, { max: 50, seconds: day, now });
    const audience = await audienceAfter(db, planner, emptyEventFields, template);
    const made = await store.createSeries(db, planner, { ...template, ...audience }, now);
    if (made.everybody) await store.addEverybody(db, made, now);
    const [first = fail('bad_input')] = (await store.makeMissingDates(db, made, now)).ids;
    await store.announce(db, made, first, membersItIsFor(first), now);
    return { id: made.id, slug: made.slug, name: made.fields.name };
  },

  async get({ db, user, now }, { series: ref }) {
    const { fields, hosts: _, breaks, ...series } = await queries.headFor(db, user.id, ref, now);
    if (!user.memberships.has(series.club_id)) fail('not_found');
    const events = await listOfSeries(db, user, now, series.id);
    const last = events.at(-1)?.start_time ?? now;
    const head = headJson({ ...fields, ...series, breaks: breaksOfRule(series, breaks, [now, last]) });
    return mergeJson(head, jsonField('events', await cardsFor(db, events, now)));
  },

  async edit(context, { series: ref, from: requestedFrom, announce, ask_again, reason, words, ...patch }) {
    const { db, user, now, ifVersion } = context;
    const { series: found } = await access.seriesOfMember(db, context, ref);
    const planner = await asPlanner(db, user, found.club_id);
    const series = await access.lockSeries(db, found);
    requireVersion(ifVersion, series.version);
    if (series.ended_at) fail('series_ended');
    const today = dateIn(series.time_zone, now);
    const from = requestedFrom && requestedFrom > today ? requestedFrom : today;
    const breaks = await queries.breaksOf(db, series.club_id);
    const time_zone = editedTimeZone(series.time_zone, patch.time_zone);
    const audience = await audienceAfter(db, planner, series.fields, patch);
    const template = {
      ...editedRule(series, { ...given(patch, ruleKeys), time_zone }, from, breaks),
      cutoff_minutes: patch.cutoff_minutes ?? series.cutoff_minutes,
      fields: { ...series.fields, ...given(patch, eventFieldKeys), ...audience },
    };
    failIf(whyCannotAsk(template.fields) ?? whyHasNoDates(template, breaks, now));
    const upcomingDates = await lockUpcomingDates(db, user.id, series.id, now);
    const edit = editDates(
      // Dates that a break cancelled do not move to a new day: the new rule has no days in breaks, so each of these
      // dates would take the new day of another date.
      upcomingDates.filter(({ slot_on, cancelled_by_break }) => slot_on >= from && !cancelled_by_break),
      {
        fields: { ...given(patch, eventFieldKeys), ...audience },
        before: series,
        after: template,
        breaks,
        from,
        started: await store.startedSlots(db, series, now),
        asks: ask_again,
        now,
      },
    );
    if (edit.cancelled.length > 0 && !series.hosts.includes(user.id)) fail('not_host');
    const mustTell = ask_again || edit.cancelled.length > 0 || edit.changed.some(isMoved);
    if (!announce && mustTell) fail('must_tell');
    const note = { actor: user.id, announced: announce, asksAgain: ask_again, reason, words, ofSeries: true };
    const changes = new Map<string, string | undefined>();
    for (const { date, next } of edit.changed) {
      const announced = announce && (ask_again || isWorthTelling(date.event, next));
      changes.set(date.event.id, await updateEvent(db, date.event, next, { ...note, announced }, now));
    }
    await moveSlots(db, edit.moves);
    await store.saveTemplate(db, series, template);
    const edited = await access.lockSeries(db, series);
    await store.makeMissingDates(db, edited, now);
    await answerMovedDates(context, edit);
    await announceEdit(context, edited, { ...edit, changes }, note);
    await store.announceSections(db, edited, series, edit.changed[0]?.date.event.id, now);
    return {
      id: edited.id,
      slug: edited.slug,
      name: edited.fields.name,
      changed: edit.changed.length,
      cancelled: edit.cancelled.length,
    };
  },

  async end(context, { series: ref, from }) {
    const { db, user, now } = context;
    const { series: found } = await access.seriesOfMember(db, context, ref);
    const series = await access.lockSeries(db, found);
    if (!series.hosts.includes(user.id)) fail('not_host');
    const { id, slug } = series;
    if (series.ended_at) return { id, slug, ended_at: series.ended_at, cancelled: 0 };
    await access.lockUnfinishedDates(db, series, now);
    const first = from ?? dateIn(series.time_zone, now);
    const dates = (await store.laterDates(db, series, now)).filter(({ day }) => day >= first);
    await store.endSeries(db, series, now);
    await cancelDates(context, idsOf(dates));
    return { id, slug, ended_at: now, cancelled: dates.length };
  },

  async standing(context, { series: ref, answer, guests }) {
    const { db, user, now } = context;
    const found = await access.seriesOfMember(db, context, ref, 'not_member');
    await limit(db, `standing:${found.series.id}:${user.id}`, { max: 10, seconds: 60, now });
    const series = await access.lockSeries(db, found.series);
    const { member } = await access.seriesOfMember(db, context, ref, 'not_member');
    await giveStanding(context, series, member, answer && { answer, guests });
    return { my_standing: await queries.myStanding(db, series, member, now) };
  },

  breaks: async ({ db, user }, { club }) =>
    queries.breaksOf(db, (await asReadingMember(db, user, club)).club_id),

  saveBreaks: rereadable(async (context, { club, breaks, cancel }) => {
    const { db, user, now, ifVersion } = context;
    const admin = await asAdmin(db, user, club);
    if (!breaks.every(isBreak)) fail('bad_input');
    const before = await queries.breaksOf(db, admin.club_id);
    requireVersion(ifVersion, versionOfBreaks(before));
    await store.saveBreaks(db, admin, breaks);
    const isChanged = versionOfBreaks(await queries.breaksOf(db, admin.club_id)) !== versionOfBreaks(before);
    if (isChanged) await addLogEntry(db, admin, { kind: 'settings', fields: ['breaks'] }, now);
    const added = breaks.filter(
      ({ first_on, last_on }) => !before.some((old) => old.first_on === first_on && old.last_on === last_on),
    );
    let [cancelled, planned] = [0, 0];
    for (const series of await store.runningSeries(db, admin)) {
      await access.lockUnfinishedDates(db, series, now);
      const dates = (await store.laterDates(db, series, now)).filter(({ day }) => isInBreak(added, day));
      if (dates.length > 0 && !cancel) fail('dates_in_break');
      if (dates.length > 0 && !series.hosts.includes(user.id)) fail('not_host');
      await cancelDates(context, idsOf(dates));
      await recordBreak(
        db,
        idsOf(dates.filter(({ slot_on, is_moved }) => !is_moved && isInBreak(added, slot_on))),
      );
      const { ids, again } = await store.makeMissingDates(db, series, now);
      const [next] = ids;
      cancelled += dates.length;
      if (!again || !next) continue;
      await limit(db, `dates-again:${admin.club_id}`, { max: 20, seconds: day, now });
      const of = { actor: user.id, dedupeKey: randomUUID(), dates: ids };
      await store.announce(db, series, next, membersItIsFor(next), now, of);
      planned += ids.length;
    }
    return { club_id: admin.club_id, cancelled, planned };
  }, savedBreaks),
};

/** Saves a standing answer that a member has given by link. */
export async function onStandingByLink(
  db: Db,
  { series_id, user, given, undoes }: StandingByLink,
  now: Instant,
): Promise<void> {
  const found = await access.seriesOfMember(db, { user }, series_id);
  const series = await access.lockSeries(db, found.series);
  const member = await asMember(db, user, series.club_id);
  const isLatest = undoes === undefined || undoes === (await store.standingVersion(db, series, member));
  if (!isLatest) fail('changed_meanwhile');
  await giveStanding({ db, now }, series, member, given);
}

/** Saves or ends a standing answer, and changes the member's answers to the upcoming dates accordingly. */
async function giveStanding(
  { db, now }: Pick<Context, 'db' | 'now'>,
  series: access.LockedSeries,
  member: MemberOf,
  given: StandingByLink['given'],
): Promise<void> {
  const dates = await access.lockUnfinishedDates(db, series, now);
  if (given) {
    if (series.ended_at) fail('series_ended');
    if (given.guests > series.fields.guests_max) fail('too_many_guests');
    const guests = given.answer === 'no' ? 0 : given.guests;
    await store.saveStanding(db, series, member, { answer: given.answer, guests }, now);
  } else await store.deleteStanding(db, series, member);
  await updateGivenAnswers(db, dates, now, [member.user_id]);
}

async function savedBreaks(
  { db, user }: Context<'user'>,
  _input: unknown,
  { club_id, ...counts }: { club_id: string; cancelled: number; planned: number },
) {
  return { breaks: await queries.breaksOf(db, (await asMember(db, user, club_id)).club_id), ...counts };
}

const idsOf = (dates: readonly { id: string }[]) => dates.map(({ id }) => id);

const { starts_on: _, ...editedRuleFields } = Rule.shape;
const ruleKeys = Object.keys(editedRuleFields) as (keyof typeof editedRuleFields)[];

/** The keys that a patch contains. */
const given = <Patch extends object, Key extends keyof Patch>(
  patch: Patch,
  keys: readonly Key[],
): Pick<Patch, Key> =>
  Object.fromEntries(keys.filter((key) => patch[key] !== undefined).map((key) => [key, patch[key]])) as Pick<
    Patch,
    Key
  >;

type Edit = ReturnType<typeof editDates<DateOfSeries>>;

const isMoved = ({ date: { event }, next }: Edit['changed'][number]) => isMove(event, next);

/** Absences and standing answers answer the dates that are on another day, or for other members. */
async function answerMovedDates({ db, now }: Context<'user'>, { changed }: Edit): Promise<void> {
  const moved = changed
    .filter(({ date, next }) => changesGivenAnswers(date.event, next))
    .sort((one, other) => (one.next.start_time < other.next.start_time ? -1 : 1));
  await answerEvents(db, { events: moved.map(({ date }) => date.event.id) }, now);
}

/** Cancels the surplus dates, and sends one notice about all changes. */
async function announceEdit(
  context: Context<'user'>,
  series: access.LockedSeries,
  { changed, cancelled, changes }: Edit & { changes: ReadonlyMap<string, string | undefined> },
  { announced, asksAgain, reason, words }: EditNote,
): Promise<void> {
  const { db, user, now } = context;
  const surplus = cancelled.map(({ event }) => event.id);
  const why = { ...(reason && { reason }), ...(words && { words }) };
  const announcedDates = changed.filter(({ date: { event }, next }) => isWorthTelling(event, next));
  const [first] = announcedDates;
  const change = first && changes.get(first.date.event.id);
  if (!first || !change) return cancelDates(context, surplus, why);
  if (surplus.length > 0) await cancelEvents(db, surplus, { actor: user.id, ...why }, now);
  if (!announced) return;
  const dates = [...announcedDates.map(({ date }) => date.event.id), ...surplus];
  const isUrgent =
    asksAgain || announcedDates.some(({ date, next }) => isSoon(date.event, now) || isSoon(next, now));
  const before = Object.fromEntries([
    ...announcedDates.flatMap(({ date: { event } }) => {
      const id = changes.get(event.id);
      return id ? [[event.id, id]] : [];
    }),
    ...surplus.map((id) => [cancelledWith(id), change]),
  ]) as Record<string, string>;
  const facts = {
    event_id: first.date.event.id,
    series_id: series.id,
    dates,
    change,
    before,
    moves: isMoved(first),
  };
  const audience = asksAgain && announcedDates.some(isMoved) ? followersAndDecliners : followers;
  const urgent = isUrgent ? { delay: 60 } : {};
  await raise(db, eventUpdated, { facts, actor: user.id, ...urgent, now }, audience(...dates));
}

/** Cancels dates of a series, which must be locked, and sends one notice for all of them. */
async function cancelDates(
  { db, user, now }: Context<'user'>,
  dates: readonly string[],
  why: Pick<EditNote, 'reason' | 'words'> = {},
): Promise<void> {
  const [event_id] = dates;
  if (event_id === undefined) return;
  await cancelEvents(db, dates, { actor: user.id, ...why }, now);
  const facts = { event_id, isSeries: dates.length > 1, ...(await cancelledEvents(db, dates)) };
  await raise(db, eventCancelled, { facts, actor: user.id, now }, followers(...dates));
}
