import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { fail, failIf } from '#wire/errors.ts';
import { requireVersion } from '#platform/http/reply.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import { asRunner, eventInClub } from '#features/events/access.ts';
import { everyMember } from '#features/members/queries.ts';
import { asMember, asPlanner, asReadingMember, requireSameClub } from '#features/members/store.ts';
import type { updates } from '#features/updates/contract.ts';
import { whyCannotSend } from '#features/updates/form-rules.ts';
import { clubUpdate, eventMessage } from '#features/updates/notices.ts';
import { membersOn } from '#features/updates/queries.ts';
import * as store from '#features/updates/store.ts';

const hour = 60 * 60;
const day = 24 * hour;

export const handlers: Handlers<typeof updates> = {
  publish: rereadable(async ({ db, user, now }, { club, clubId, content, pictures = [] }) => {
    const planner = await asPlanner(db, user, club);
    await requireSameClub(db, planner, clubId);
    await limit(db, `updates-an-hour:${planner.club_id}`, { max: 5, seconds: hour, now });
    await limit(db, `updates-a-day:${planner.club_id}`, { max: 20, seconds: day, now });
    const id = await store.addUpdate(db, planner, { content, pictures }, now);
    const { club_id, user_id: actor } = planner;
    const facts = { club_id, update_id: id };
    await raise(db, clubUpdate, { facts, actor, dedupeKey: id, now }, everyMember(club_id));
    return { id };
  }, updateOf),

  ofClub: async ({ db, user }, { club }) => store.newest(db, await asReadingMember(db, user, club), 200),

  edit: rereadable(async (context, { club, update, content, pictures }) => {
    const { db, now, ifVersion } = context;
    const editor = await store.asEditor(db, context, club, update);
    requireVersion(ifVersion, editor.version);
    await store.changeUpdate(db, editor, { content, pictures }, now);
    return { id: editor.update_id };
  }, updateOf),

  async remove(context, { club, update }) {
    const editor = await store.asEditor(context.db, context, club, update);
    await store.deleteUpdate(context.db, editor);
    return null;
  },

  sendMessage: rereadable(
    async (context, { event: ref, content, pictures = [], to }) => {
      const { db, user, now } = context;
      const event = await asRunner(db, context, ref);
      const lists = [...new Set(to)];
      failIf(whyCannotSend(event, lists, now));
      const { id: event_id, owner_club_id: club_id } = event;
      await limit(db, `messages-of-event:${event_id}`, { max: 10, seconds: day, now });
      await limit(db, `messages-of-club:${club_id}`, { max: 50, seconds: day, now });
      const id = await store.addMessage(db, event, user.id, { content, pictures, to: lists }, now);
      const facts = { event_id, post_id: id };
      const audience = membersOn(event_id, lists);
      const people = await raise(db, eventMessage, { facts, actor: user.id, dedupeKey: id, now }, audience);
      if (people === 0) fail('bad_input');
      return { id, people };
    },
    async (context, { event }, { id, people }) => {
      await eventInClub(context.db, context, event);
      return { message: await store.postById(context.db, id), people };
    },
  ),
};

/** Reads the post after an edit. Requires a membership, which its author, planners and hosts have. */
async function updateOf({ db, user }: Context<'user'>, { club }: { club: string }, { id }: { id: string }) {
  await asMember(db, user, club);
  return store.postById(db, id);
}
