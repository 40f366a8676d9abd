import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { failIf } from '#wire/errors.ts';
import type { attendance } from '#features/attendance/contract.ts';
import * as store from '#features/attendance/store.ts';
import { emailWithdrawal } from '#features/calendar/store.ts';
import { whyCannotAttend, whyCannotUnattend } from '#features/events/rules.ts';
import { eventInClub, lockEvent, type LockedEvent } from '#features/events/store.ts';

export const handlers: Handlers<typeof attendance> = {
  async attend(context, { event: ref }) {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotAttend(event, context.now));
    const isNew = await store.attend(context.db, event, context.user.id, context.now);
    if (isNew) await store.confirmLater(context.db, event, context.user.id, context.now);
    return eventInClub(context.db, context, event.id);
  },

  async unattend(context, { event: ref }) {
    const event = await lockForAnswer(context, ref);
    failIf(whyCannotUnattend(event, event.my_role, context.now));
    const { db, user, now } = context;
    const { id: event_id, owner_club_id: club_id } = event;
    if (await store.unattend(db, event, user.id, now))
      await emailWithdrawal(db, 'unattended', { user_id: user.id, club_id, event_id }, now);
    return eventInClub(db, context, event_id);
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

/** `attend` and `unattend` share one rate limit, so that toggling back and forth is limited too. */
async function lockForAnswer(context: Context<'user'>, ref: string): Promise<LockedEvent> {
  const { db, user, now } = context;
  const event = await lockEvent(db, context, ref);
  await limit(db, `attendance:${event.id}:${user.id}`, { max: 10, seconds: 60, now });
  return event;
}
