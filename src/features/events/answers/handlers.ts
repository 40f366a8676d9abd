import type { Actor, Context } from '#platform/context.ts';
import { lookOfUser } from '#platform/db/look.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { readAfterCommit } from '#platform/http/rereadable.ts';
import { raise } from '#platform/notices/raise.ts';
import { idsInToken } from '#platform/token.ts';
import { ApiError, fail, failIf } from '#wire/errors.ts';
import { secondsBetween, type Instant } from '#wire/instant.ts';
import {
  lockForAnswer,
  limitAnswers,
  linkedAnswer,
  saveStandingByLink,
  secondsToTakeBack,
  standingTakenBack,
  takenBack,
  undoOf,
  undoOfStanding,
  verifyLink,
  type TakenBack,
} from '#features/events/answers/access.ts';
import type { answers } from '#features/events/answers/contract.ts';
import {
  answerTo,
  needsExtraSeats,
  nextNudgeAt,
  whyCannotNudge,
  whyNoSeat,
} from '#features/events/answers/form-rules.ts';
import { answerFile } from '#features/events/answers/csv.ts';
import * as queries from '#features/events/answers/queries.ts';
import * as store from '#features/events/answers/store.ts';
import {
  answerKey,
  answeredForYou,
  answerWanted,
  attending,
  seatGiven,
  notifyHosts,
} from '#features/events/answers/notices.ts';
import { withdrawFile } from '#features/calendar/store.ts';
import {
  requestOf,
  isLate,
  whyCannotAnswer,
  whyCannotBeAnswered,
  whyCannotReply,
  type MyAnswer,
  type OwnAnswer,
} from '#features/events/answers/rules.ts';
import { whyCannotAttend, whyCannotUnattend } from '#features/events/rules.ts';
import {
  asReadingRunner,
  asRunner,
  eventInClub,
  eventOfMember,
  requireRunner,
  readingEvent,
  type EventInClub,
  type LockedEvent,
} from '#features/events/access.ts';
import { recordNudge } from '#features/events/store.ts';
import { limitLists } from '#features/members/handlers.ts';
import { membersAmong } from '#features/members/queries.ts';
import { replaceAnswerKeys } from '#features/members/store.ts';

export const handlers: Handlers<typeof answers> = {
  people: async (context, { event, ...page }) =>
    queries.pageOfPeople(context.db, await readingEvent(context.db, context, event), page),

  list: async (context, { event, ...page }) =>
    queries.pageOfAnswers(context.db, await asReadingRunner(context.db, context, event), page, context),

  async export(context, { event: ref }) {
    const event = requireRunner(await eventInClub(context.db, context, ref));
    await limitLists(context);
    const answers = await queries.allAnswers(context.db, event);
    return answerFile(await lookOfUser(context.db, context.user.id), event, answers);
  },

  async answerFor(context, { event: ref, user: member, over, ...input }) {
    const { db, user, now } = context;
    await limit(db, `answers-for:${user.id}`, { max: 60, seconds: 60, now });
    const runner = await asRunner(db, context, ref);
    const event = await eventOfMember(db, runner, member);
    const requested = requestOf(event, input);
    failIf(whyCannotBeAnswered(event, requested, now) ?? whyCannotReply(event, input.reply));
    const isOver = needsExtraSeats(event, requested);
    if (isOver && !over) fail('event_full');
    const given: Answering =
      member === user.id ? { member, via: 'app' } : { member, via: 'runner', by: user.id };
    await saveAnswer(context, event, { ...requested, over: isOver }, given);
    const { my_answer, my_guests, my_note, ...saved } = await eventOfMember(db, runner, member);
    return { ...saved, answer: my_answer ?? requested.answer, guests: my_guests, note: my_note };
  },

  answer: readAfterCommit(async (context, { event: ref, ...input }) => {
    const event = await lockForAnswer(context, ref);
    const requested = requestOf(event, input);
    failIf(whyCannotAnswer(event, requested, context.now) ?? whyCannotReply(event, input.reply));
    return saveOwnAnswer(context, event, requested);
  }, savedAnswer),

  attend: readAfterCommit(async (context, { event: ref }) => {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotAttend(event, context.now));
    return saveOwnAnswer(context, event, requestOf(event, { answer: 'going' }));
  }, ownAnswer),

  unattend: readAfterCommit(async (context, { event: ref }) => {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotUnattend(event, event.my_role, context.now));
    return saveOwnAnswer(context, event, requestOf(event, { answer: 'no' }));
  }, ownAnswer),

  undoAnswer: readAfterCommit(async (context, { event: ref, undo }) => {
    const event = await lockForAnswer(context, ref);
    const member = { user_id: context.user.id, id: event.id };
    await takeBack(context, event, takenBack(context.config, member, undo), 'app');
    return event;
  }, ownAnswer),

  async ofLink(context, { token }) {
    const { now, link: found } = await queries.findLink(
      context.db,
      idsInToken(token) ?? nobody,
      context.clockOffset,
    );
    const link = (await verifyLink({ ...context, now }, token, found)) ?? fail('not_found');
    failIf(whyCannotBeAnswered(link, { answer: 'going', guests: 0 }, now));
    return linkedAnswer(link, now);
  },

  async answerByLink(context, { token, answer, guests, undo }) {
    const { db, config, now } = context;
    const found = await queries.findLink(db, idsInToken(token) ?? nobody);
    const link = await verifyLink(context, token, found.link);
    // Returned instead of thrown, so that the count of wrong tokens is committed.
    if (!link) return new ApiError('not_found');
    // Previews are off here, so that a membership that has just ended gives `not_found`.
    const member = { db, now, config: { ...config, eventPreview: false }, user: { id: link.user_id } };
    const standing = undo === undefined ? undefined : standingTakenBack(config, link, undo);
    if (answer === 'every' || standing) return answerSeriesByLink(member, link, { guests, standing });
    const event = await lockForAnswer(member, link.id);
    const taken = undo === undefined ? undefined : takenBack(config, link, undo);
    if (taken) await takeBack(member, event, taken, 'link');
    else {
      const requested = requestOf(event, { answer: answer ?? fail('bad_input'), guests });
      failIf(whyCannotAnswer(event, requested, now));
      await saveRequested(member, event, requested, { member: link.user_id, via: 'link' });
    }
    const saved = await eventInClub(db, member, event.id);
    return {
      ...linkedAnswer({ ...link, ...saved }, now),
      undo: isChanged(event, saved) && !taken ? undoOf(config, link, { before: event, saved }, now) : null,
    };
  },

  async replaceLinks({ db, user, record }) {
    await replaceAnswerKeys(db, user.id);
    record('answer_links_replaced');
    return null;
  },

  async nudge(context, { event: ref, to, section_ids }) {
    const { db, user, now } = context;
    const event = await asRunner(db, context, ref);
    const error = whyCannotNudge(event, to, now);
    if (error === 'nudged_lately')
      throw new ApiError(error, { retryAfter: secondsBetween(now, nextNudgeAt(event, to)) });
    failIf(error);
    const facts = { event_id: event.id, list: to };
    const audience = queries.nudgedMembers(to, event.id, section_ids);
    const nudged = await raise(db, answerWanted, { facts, actor: user.id, now }, audience);
    if (nudged > 0) await recordNudge(db, event, to, now);
    return { nudged };
  },

  async favourite(context, { event: ref, favourite }) {
    const { db, user } = context;
    const event = await eventInClub(db, context, ref);
    await (favourite
      ? store.addFollow(db, 'favourite', event, user.id)
      : store.removeFollow(db, 'favourite', event.id, user.id));
    return { favourite };
  },

  async subscribe(context, { event: ref }) {
    const event = await eventInClub(context.db, context, ref);
    await store.addFollow(context.db, 'follower', event, context.user.id);
    return { subscribed: true };
  },

  /** Outsiders get the same response, so that it does not reveal whether the event exists. */
  async unsubscribe({ db, user }, { event }) {
    await store.removeFollow(db, 'follower', event, user.id);
    return { subscribed: false };
  },
};

/** Returns the event as it was before the answer. */
async function saveOwnAnswer(context: Context<'user'>, event: LockedEvent, requested: OwnAnswer) {
  await saveRequested(context, event, requested, { member: context.user.id, via: 'app' });
  return event;
}

function ownAnswer(context: Context<'user'>, _input: unknown, { id }: LockedEvent) {
  return eventInClub(context.db, context, id);
}

async function savedAnswer(context: Context<'user'>, input: unknown, before: LockedEvent) {
  const saved = await ownAnswer(context, input, before);
  const member = { user_id: context.user.id, id: saved.id };
  const undo = undoOf(context.config, member, { before, saved }, context.now);
  return { ...saved, undo_answer: before.must_confirm || isChanged(before, saved) ? undo : null };
}

const isChanged = (before: EventInClub, saved: EventInClub): boolean =>
  saved.my_answer !== before.my_answer || saved.my_guests !== before.my_guests;

/** Saves the answer that a member asks for: a seat, or else a place on the waitlist. */
async function saveRequested(
  context: Pick<Context, 'db' | 'now'>,
  event: LockedEvent,
  requested: OwnAnswer,
  given: Answering,
): Promise<void> {
  failIf(whyNoSeat(event, requested));
  await saveAnswer(context, event, { ...requested, answer: answerTo(event, requested) }, given);
}

/**
 * Saves an answer. Repeating the same answer changes nothing, unless it has to be confirmed, or was given by a standing
 * answer or an absence: then it becomes the member's own. `event` is as the member
 * sees it, and `by` is the runner who answers for them. With `by`, the notice to the member contains the calendar file,
 * so no confirmation email follows.
 */
async function saveAnswer(
  { db, now }: Pick<Context, 'db' | 'now'>,
  event: LockedEvent,
  saved: MyAnswer & { over?: boolean },
  { member: user_id, via, by, since }: Answering,
): Promise<void> {
  const { id: event_id, owner_club_id: club_id } = event;
  const { answer } = saved;
  const isChanged = answer !== event.my_answer || saved.guests !== event.my_guests;
  const letsPass = answer === 'waiting' && saved.lets_pass !== event.my_lets_pass;
  const isSame = saved.note === event.my_note && saved.reply === event.my_reply;
  if (!isChanged && !letsPass && isSame && !event.must_confirm && !event.is_answer_given) return;
  await store.saveAnswer(db, event, user_id, { ...saved, via, by, since, isChanged }, now);
  if (by) {
    const audience = membersAmong(club_id, [user_id]);
    const before = { answer: answerKey({ answer: event.my_answer, guests: event.my_guests }) };
    if (event.my_answer === 'waiting' && answer === 'going')
      await raise(db, seatGiven, { facts: { event_id }, actor: by, now }, audience);
    else await raise(db, answeredForYou, { facts: { event_id, answer, before }, actor: by, now }, audience);
  } else if (!since && isLate(event, now)) {
    const before = {
      answer: event.my_answer,
      guests: event.my_guests,
      note: event.my_note,
      note_hash: event.my_note_hash,
    };
    await notifyHosts(db, { event_id, member: user_id, before, after: saved }, now);
  }
  if (!by && answer === 'going' && event.my_answer !== 'going')
    await raise(db, attending, { facts: { event_id }, now }, membersAmong(club_id, [user_id]));
  // Somebody else may have used the link, so an email confirms a 'no' to the member, unless an undo restored the 'no'.
  const isConfirmed = via === 'link' && !since && answer === 'no' && event.my_answer !== 'no';
  if (isConfirmed || (answer !== 'going' && event.my_answer === 'going'))
    await withdrawFile(db, { user_id, club_id, event_id, isConfirmed }, now);
  if (event.waiting_count > 0) await store.moveUp(db, [event_id], now);
}

const nobody = [null, null] as const;

/** The member whose answer it is, and who gave the answer. `since` is the time of an answer that is restored. */
interface Answering {
  member: string;
  via: 'app' | 'link' | 'runner';
  by?: string;
  since?: Instant;
}

/**
 * Gives the standing answer 'going' to the series of an event, or restores the one before. That fails if the standing
 * answer has been written again since, even with the same value.
 */
async function answerSeriesByLink(
  context: Pick<Context<'user'>, 'db' | 'now' | 'config'> & { user: Pick<Actor, 'id'> },
  link: queries.LinkedEvent,
  { guests = 0, standing }: { guests: number | undefined; standing: ReturnType<typeof standingTakenBack> },
) {
  const { db, config, now, user } = context;
  const { id: event_id, series_id = null } = link;
  await limitAnswers(context, event_id);
  failIf(whyCannotBeAnswered(link, { answer: 'going', guests: 0 }, now));
  if (series_id === null) fail('bad_input');
  if (standing && secondsBetween(standing.at, now) > secondsToTakeBack) fail('changed_meanwhile');
  const given = standing ? standing.before : { answer: 'going' as const, guests };
  await saveStandingByLink(db, { series_id, user, given, undoes: standing?.version }, now);
  const { link: saved = fail('not_found') } = await queries.findLink(db, [user.id, event_id]);
  return {
    ...linkedAnswer(saved, now),
    undo: standing ? null : undoOfStanding(config, { before: link, saved }, now),
  };
}

/**
 * Restores the previous answer, even after the cut-off. Fails if the answer has been written again since, even with the
 * same value.
 */
async function takeBack(
  context: Pick<Context<'user'>, 'db' | 'now'> & { user: Pick<Actor, 'id'> },
  event: LockedEvent,
  { saved, before: { answer, guests, since, must_confirm } }: TakenBack,
  via: 'app' | 'link',
): Promise<void> {
  const { db, now, user } = context;
  const isLatest = event.my_answer_version === saved.version;
  if (!isLatest || secondsBetween(saved.at, now) > secondsToTakeBack) fail('changed_meanwhile');
  // A member who was waiting, or whose seat is taken, joins the end of the waitlist.
  const choice = answer === 'waiting' ? 'going' : answer;
  failIf(whyCannotBeAnswered(event, { answer: choice ?? 'no', guests: 0 }, now));
  const { id: event_id, owner_club_id: club_id } = event;
  if (choice) {
    const requested = requestOf(event, { answer: choice, guests });
    await saveRequested(context, event, requested, { member: user.id, via, since });
    if (must_confirm) await store.removeConfirmation(db, event, user.id);
    return;
  }
  await store.deleteAnswer(db, event, user.id);
  await store.recordAnswers(db, user.id, [event_id], now);
  if (saved.answer === 'going') await withdrawFile(db, { user_id: user.id, club_id, event_id }, now);
  if (event.waiting_count > 0) await store.moveUp(db, [event_id], now);
}
