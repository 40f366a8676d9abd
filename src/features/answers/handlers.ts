import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { failIf } from '#wire/errors.ts';
import type { answers } from '#features/answers/contract.ts';
import * as store from '#features/answers/store.ts';
import { emailWithdrawal } from '#features/calendar/store.ts';
import { whyCannotAnswer, type MyAnswer } from '#features/answers/rules.ts';
import { whyCannotAttend, whyCannotUnattend } from '#features/events/rules.ts';
import { eventInClub, lockEvent, type EventInClub, type LockedEvent } from '#features/events/store.ts';

export const handlers: Handlers<typeof answers> = {
  async answer(context, { event: ref, answer, guests, note }) {
    const event = await lockForAnswer(context, ref);
    const wish = { answer, guests: guests ?? event.my_guests, note: note ?? event.my_note };
    failIf(whyCannotAnswer(event, wish, context.now));
    return saveAnswer(context, event, wish);
  },

  async attend(context, { event: ref }) {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotAttend(event, context.now));
    return saveAnswer(context, event, { answer: 'going', guests: event.my_guests, note: event.my_note });
  },

  async unattend(context, { event: ref }) {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotUnattend(event, event.my_role, context.now));
    return saveAnswer(context, event, { answer: 'no', guests: 0, note: event.my_note });
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

/** The same answer again changes nothing. */
async function saveAnswer(
  context: Context<'user'>,
  event: LockedEvent,
  wish: MyAnswer,
): Promise<EventInClub> {
  const { db, user, now } = context;
  const { id: event_id, owner_club_id: club_id } = event;
  const next = { ...wish, guests: wish.answer === 'no' ? 0 : wish.guests };
  const isChanged = next.answer !== event.my_answer || next.guests !== event.my_guests;
  if (!isChanged && next.note === event.my_note) return event;
  await store.saveAnswer(db, event, user.id, next, now);
  if (isChanged) await store.recordAnswers(db, user.id, [event_id], now);
  if (next.answer === 'going' && event.my_answer !== 'going')
    await store.confirmLater(db, event, user.id, now);
  if (next.answer !== 'going' && event.my_answer === 'going')
    await emailWithdrawal(db, 'unattended', { user_id: user.id, club_id, event_id }, now);
  return eventInClub(db, context, event_id);
}

/** All answers of a member to an event share one rate limit, so that going back and forth is limited too. */
async function lockForAnswer(context: Context<'user'>, ref: string): Promise<LockedEvent> {
  const { db, user, now } = context;
  const event = await lockEvent(db, context, ref);
  await limit(db, `answers:${event.id}:${user.id}`, { max: 10, seconds: 60, now });
  return event;
}
