import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { requireVersion } from '#platform/http/reply.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import { everyMember } from '#features/members/queries.ts';
import { asMember, asPlanner, asReadingMember, requireSameClub } from '#features/members/store.ts';
import type { updates } from '#features/updates/contract.ts';
import { clubUpdate } from '#features/updates/notices.ts';
import * as store from '#features/updates/store.ts';

const hour = 60 * 60;

export const handlers: Handlers<typeof updates> = {
  publish: rereadable(async ({ db, user, now }, { club, clubId, content, pictures = [] }) => {
    const planner = await asPlanner(db, user, club);
    await requireSameClub(db, planner, clubId);
    await limit(db, `updates-an-hour:${planner.club_id}`, { max: 5, seconds: hour, now });
    await limit(db, `updates-a-day:${planner.club_id}`, { max: 20, seconds: 24 * hour, now });
    const id = await store.addUpdate(db, planner, { content, pictures }, now);
    const { club_id, user_id: actor } = planner;
    const facts = { club_id, update_id: id };
    await raise(db, clubUpdate, { facts, actor, dedupeKey: id, now }, everyMember(club_id));
    return { id };
  }, updateOf),

  ofClub: async ({ db, user }, { club }) => store.newest(db, await asReadingMember(db, user, club), 200),

  edit: rereadable(async ({ db, user, now, ifVersion }, { club, update, content, pictures }) => {
    const editor = await store.asEditor(db, user, club, update);
    requireVersion(ifVersion, editor.version);
    await store.changeUpdate(db, editor, { content, pictures }, now);
    return { id: editor.update_id };
  }, updateOf),

  async remove({ db, user }, { club, update }) {
    const editor = await store.asEditor(db, user, club, update);
    await store.deleteUpdate(db, editor);
    return null;
  },
};

/** Reads the update after an edit. Requires a membership, which its author and planners have. */
async function updateOf({ db, user }: Context<'user'>, { club }: { club: string }, { id }: { id: string }) {
  await asMember(db, user, club);
  return store.updateById(db, id);
}
