import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { failIf } from '#wire/errors.ts';
import type { answers } from '#features/answers/contract.ts';
import * as store from '#features/answers/store.ts';
import { emailWithdrawal } from '#features/calendar/store.ts';
import { whyCannotAnswer, whyCannotBeAnswered, type MyAnswer } from '#features/answers/rules.ts';
import { whyCannotHandOver } from '#features/events/form-rules.ts';
import { whyCannotAttend, whyCannotUnattend } from '#features/events/rules.ts';
import { hostOf } from '#features/events/queries.ts';
import {
  asNextHost,
  asReadingRunner,
  asRunner,
  eventInClub,
  eventOfMember,
  lockEvent,
  recordChange,
  type LockedEvent,
} from '#features/events/store.ts';
import type { NewHost } from '#features/notifications/rules.ts';
import { notify, onlyMember } from '#features/notifications/store.ts';

export const handlers: Handlers<typeof answers> = {
  list: async (context, { event, ...page }) =>
    store.pageOfAnswers(context.db, await asReadingRunner(context.db, context, event), page),

  async answerFor(context, { event: ref, user: member, ...input }) {
    const { db, user, now } = context;
    const runner = await asRunner(db, context, ref);
    await limit(db, `answers-for:${user.id}`, { max: 60, seconds: 60, now });
    const event = await eventOfMember(db, runner, member);
    const wish = wishOf(event, input);
    failIf(whyCannotBeAnswered(event, wish, now));
    const isOwn = member === user.id;
    await saveAnswer(context, event, wish, isOwn ? { member } : { member, by: user.id });
    const { my_guests, my_note, ...saved } = await eventOfMember(db, runner, member);
    return { ...saved, answer: wish.answer, guests: my_guests, note: my_note };
  },

  async answer(context, { event: ref, ...input }) {
    const event = await lockForAnswer(context, ref);
    const wish = wishOf(event, input);
    failIf(whyCannotAnswer(event, wish, context.now));
    return saveOwnAnswer(context, event, wish);
  },

  async attend(context, { event: ref }) {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotAttend(event, context.now));
    return saveOwnAnswer(context, event, wishOf(event, { answer: 'going' }));
  },

  async unattend(context, { event: ref }) {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotUnattend(event, event.my_role, context.now));
    return saveOwnAnswer(context, event, wishOf(event, { answer: 'no' }));
  },

  /** The same host again changes nothing. */
  async handOver(context, { event: ref, user_id: next }) {
    const { db, user, now } = context;
    const runner = await asRunner(db, context, ref);
    failIf(whyCannotHandOver(runner, now));
    const nextHost = await asNextHost(db, runner, next);
    if (nextHost.my_role !== 'organiser') {
      const former = await store.handOver(db, nextHost, next, now);
      if (nextHost.my_answer !== 'going') await store.recordAnswers(db, next, [runner.id], now);
      const cause = await recordChange(db, runner, { kind: 'host', actor: user.id, host: next }, now);
      const change = { actor: user.id, club_id: runner.owner_club_id, event_id: runner.id, cause, now };
      const tell = (member: string, host: NewHost) =>
        notify(db, { kind: 'role_changed', ...change, member, host }, onlyMember(member));
      await tell(next, 'you');
      if (former) await tell(former, next === user.id ? 'actor' : 'other');
    }
    return hostOf(db, user.id, runner.id);
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

  /** Always the same response, for outsiders too, so that it does not reveal whether the event exists. */
  async unsubscribe({ db, user }, { event }) {
    await store.removeFollow(db, 'follower', event, user.id);
    return { subscribed: false };
  },
};

/** What is not sent stays as it was. */
const wishOf = (
  event: LockedEvent,
  { answer, guests = event.my_guests, note = event.my_note }: Pick<MyAnswer, 'answer'> & Partial<MyAnswer>,
): MyAnswer => ({ answer, guests: answer === 'no' ? 0 : guests, note });

async function saveOwnAnswer(context: Context<'user'>, event: LockedEvent, wish: MyAnswer) {
  await saveAnswer(context, event, wish, { member: context.user.id });
  return eventInClub(context.db, context, event.id);
}

/**
 * Saves an answer; the same one again changes nothing, unless it has to be confirmed. `event` is as the member sees it, `by` is who answers for them. The
 * email about that brings the calendar file along, so no confirmation follows it.
 */
async function saveAnswer(
  { db, now }: Context<'user'>,
  event: LockedEvent,
  wish: MyAnswer,
  { member: user_id, by }: { member: string; by?: string },
): Promise<void> {
  const { id: event_id, owner_club_id: club_id } = event;
  const isChanged = wish.answer !== event.my_answer || wish.guests !== event.my_guests;
  if (!isChanged && wish.note === event.my_note && !event.must_confirm) return;
  await store.saveAnswer(db, event, user_id, { ...wish, by }, now);
  if (isChanged) await store.recordAnswers(db, user_id, [event_id], now);
  if (by) {
    const { answer } = wish;
    const told = { actor: by, club_id, event_id, cause: randomUUID(), member: user_id, answer, now };
    await notify(db, { kind: 'answered_for_you', ...told }, onlyMember(user_id));
  } else if (wish.answer === 'going' && event.my_answer !== 'going')
    await store.confirmLater(db, event, user_id, now);
  if (wish.answer !== 'going' && event.my_answer === 'going')
    await emailWithdrawal(db, 'unattended', { user_id, club_id, event_id }, now);
}

/** All answers of a member to an event share one rate limit, so that going back and forth is limited too. */
async function lockForAnswer(context: Context<'user'>, ref: string): Promise<LockedEvent> {
  const { db, user, now } = context;
  const event = await lockEvent(db, context, ref);
  await limit(db, `answers:${event.id}:${user.id}`, { max: 10, seconds: 60, now });
  return event;
}
