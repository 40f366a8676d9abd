import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { failIf } from '#wire/errors.ts';
import type { checkins } from '#features/events/checkins/contract.ts';
import { lastOfEach, whyCannotCheckIn } from '#features/events/checkins/rules.ts';
import * as store from '#features/events/checkins/store.ts';
import { asReadingRunner, asRunner, eventInClub, requireRunner } from '#features/events/access.ts';
import { asReadingMember } from '#features/members/store.ts';

export const handlers: Handlers<typeof checkins> = {
  list: async (context, { event, ...filter }) =>
    store.pageOfExpected(context.db, await asReadingRunner(context.db, context, event), filter, context),

  save: rereadable(
    async (context, { event: ref, users }) => {
      const { db, now } = context;
      const event = await asRunner(db, context, ref);
      failIf(whyCannotCheckIn(event, now));
      await store.saveCheckIns(db, event, lastOfEach(users), now);
      return null;
    },
    async (context, { event: ref, users }) => {
      const event = requireRunner(await eventInClub(context.db, context, ref));
      const ids = users.map(({ user_id }) => user_id);
      return { users: await store.checkInsOf(context.db, event, ids) };
    },
  ),

  attendance: async ({ db, user, now }, { club, after }) =>
    store.pageOfAttendance(db, await asReadingMember(db, user, club), { after, now }),
};
