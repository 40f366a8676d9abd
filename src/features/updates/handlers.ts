import type { Context } from '#platform/context.ts';
import type { Db } from '#platform/db/client.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { idsInToken } from '#platform/token.ts';
import { ApiError, fail, failIf } from '#wire/errors.ts';
import { addSeconds, secondsBetween, type Instant } from '#wire/instant.ts';
import { requireVersion } from '#platform/http/reply.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import { asRunner, eventInClub } from '#features/events/access.ts';
import { everyMember } from '#features/members/queries.ts';
import { asMember, asPlanner, asReadingMember, requireSameClub } from '#features/members/store.ts';
import { isPlanner, type PlannerOf } from '#features/members/rules.ts';
import { linkedUpdate, verifyReadLink } from '#features/updates/access.ts';
import type { updates } from '#features/updates/contract.ts';
import { nextReminderAt, whyCannotRemind, whyCannotSend } from '#features/updates/form-rules.ts';
import { clubUpdate, eventMessage, updateImportant } from '#features/updates/notices.ts';
import { membersOn } from '#features/updates/queries.ts';
import * as reads from '#features/updates/read-queries.ts';
import * as store from '#features/updates/store.ts';

const hour = 60 * 60;
const day = 24 * hour;

/** How many important updates a club can publish within 24 hours. */
const maxImportant = 3;

export const handlers: Handlers<typeof updates> = {
  publish: rereadable(async ({ db, user, now }, { club, clubId, content, pictures = [], important }) => {
    const planner = await asPlanner(db, user, club);
    await requireSameClub(db, planner, clubId);
    await limit(db, `updates-an-hour:${planner.club_id}`, { max: 5, seconds: hour, now });
    await limit(db, `updates-a-day:${planner.club_id}`, { max: 20, seconds: day, now });
    if (important) await limitImportant(db, planner, now);
    const id = await store.addUpdate(db, planner, { content, pictures, important }, now);
    const { club_id, user_id: actor } = planner;
    const facts = { club_id, update_id: id };
    const notice = important ? updateImportant : clubUpdate;
    await raise(db, notice, { facts, actor, dedupeKey: id, now }, everyMember(club_id));
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

  async read({ db, user, now }, { club, update }) {
    const member = await asMember(db, user, club);
    return { my_read_at: await store.markRead(db, member, update, 'app', now) };
  },

  async readers({ db, user }, { club, update, ...page }) {
    const member = await asReadingMember(db, user, club);
    if (!isPlanner(member)) fail('not_admin');
    return {
      ...(await reads.readCounts(db, member, update)),
      ...(await reads.pageOfReaders(db, update, page)),
    };
  },

  async remind({ db, user, now }, { club, update: update_id }) {
    const planner = await asPlanner(db, user, club);
    const counts = await reads.readCounts(db, planner, update_id);
    const error = whyCannotRemind(counts, now);
    if (error === 'reminded_lately')
      throw new ApiError(error, { retryAfter: secondsBetween(now, nextReminderAt(counts)) });
    failIf(error);
    const reminder = await store.addReminder(db, update_id, now);
    const { club_id, user_id: actor } = planner;
    const facts = { club_id, update_id, reminder };
    return { reminded: await raise(db, updateImportant, { facts, actor, now }, reads.unreadBy(update_id)) };
  },

  async ofLink(context, { token }) {
    const { now, link: found } = await reads.findReadLink(
      context.db,
      idsInToken(token) ?? nobody,
      context.clockOffset,
    );
    const link = (await verifyReadLink({ ...context, now }, token, found)) ?? fail('not_found');
    return linkedUpdate(link);
  },

  async readByLink(context, { token }) {
    const { db, now } = context;
    const { link: found } = await reads.findReadLink(db, idsInToken(token) ?? nobody);
    const link = await verifyReadLink(context, token, found);
    // Returned instead of thrown, so that the count of wrong tokens is committed.
    if (!link) return new ApiError('not_found');
    return linkedUpdate({ ...link, my_read_at: await store.markRead(db, link, link.id, 'link', now) });
  },
};

const nobody = [null, null] as const;

/**
 * Allows three important updates of a club in any 24 hours, and also counts those that were deleted, as their emails are
 * sent. The club must be locked.
 */
async function limitImportant(db: Db, planner: PlannerOf, now: Instant): Promise<void> {
  const key = `important-updates-a-day:${planner.club_id}`;
  await limit(db, key, { max: maxImportant, seconds: day, now });
  const since = addSeconds(now, -day);
  const oldest = await reads.importantSince(db, planner, { since, count: maxImportant });
  if (oldest === undefined) return;
  throw new ApiError('too_often', { retryAfter: secondsBetween(since, oldest) });
}

/** Reads the post after an edit. Requires a membership, which its author, planners and hosts have. */
async function updateOf({ db, user }: Context<'user'>, { club }: { club: string }, { id }: { id: string }) {
  await asMember(db, user, club);
  return store.postById(db, id);
}
