import { cancelEmailsAbout } from '#platform/mail/mailer.ts';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { requireVersion } from '#platform/http/reply.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { asAdmin, asMember, asReadingMember, requireSameClub } from '#features/members/store.ts';
import { everyMember } from '#features/notifications/queries.ts';
import { notify, quoteUpdate, withdrawUpdate } from '#features/notifications/store.ts';
import type { updates } from '#features/updates/contract.ts';
import * as store from '#features/updates/store.ts';

const hour = 60 * 60;

export const handlers: Handlers<typeof updates> = {
  publish: rereadable(async ({ db, user, now }, { club, clubId, content, pictures = [] }) => {
    const admin = await asAdmin(db, user, club);
    await requireSameClub(db, admin, clubId);
    await limit(db, `updates-an-hour:${admin.club_id}`, { max: 5, seconds: hour, now });
    await limit(db, `updates-a-day:${admin.club_id}`, { max: 20, seconds: 24 * hour, now });
    const id = await store.addUpdate(db, admin, { content, pictures }, now);
    const { club_id, user_id: actor } = admin;
    await notify(db, { kind: 'club_update', actor, club_id, cause: id, update: content, now }, everyMember);
    return { id };
  }, updateOf),

  ofClub: async ({ db, user }, { club }) => store.newest(db, await asReadingMember(db, user, club), 200),

  edit: rereadable(async ({ db, user, now, ifVersion }, { club, update, content, pictures }) => {
    const editor = await store.asEditor(db, user, club, update);
    requireVersion(ifVersion, editor.version);
    const isChanged = await store.changeUpdate(db, editor, { content, pictures }, now);
    if (isChanged && content !== undefined) await quoteUpdate(db, editor.update_id, content);
    return { id: editor.update_id };
  }, updateOf),

  async remove({ db, user }, { club, update }) {
    const editor = await store.asEditor(db, user, club, update);
    await store.deleteUpdate(db, editor);
    await withdrawUpdate(db, editor.update_id);
    await cancelEmailsAbout(db, editor.update_id);
    return null;
  },
};

/** The author and the admins are members. */
async function updateOf({ db, user }: Context<'user'>, { club }: { club: string }, { id }: { id: string }) {
  await asMember(db, user, club);
  return store.updateById(db, id);
}
