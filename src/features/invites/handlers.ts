import { readClock } from '#platform/db/client.ts';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limitLookups } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import { fail, failIf } from '#wire/errors.ts';
import type { invites } from '#features/invites/contract.ts';
import { memberJoined } from '#features/invites/notices.ts';
import { whyCannotJoin } from '#features/invites/rules.ts';
import * as store from '#features/invites/store.ts';
import { adminsOf } from '#features/members/queries.ts';
import { role } from '#features/members/rules.ts';
import {
  addLogEntry,
  addMember,
  asAdmin,
  asReadingAdmin,
  lockClub,
  memberships,
} from '#features/members/store.ts';

export const handlers: Handlers<typeof invites> = {
  async create({ db, user, now, record }, { club_id, if_none }) {
    const admin = await asAdmin(db, user, club_id);
    const link = await store.createLink(db, admin, { replaces: !if_none, now });
    if (!link) return store.linkOf(db, admin);
    await addLogEntry(db, admin, { kind: 'link_made' }, now);
    record('invite_made', { club: admin.club_id, link: link.id });
    return link;
  },

  ofClub: async ({ db, user }, { club }) => store.linkOf(db, await asReadingAdmin(db, user, club)),

  async get({ db, clockOffset, caller, config }, { invite }) {
    const now = await readClock(db, clockOffset);
    await limitLookups({ db, now, config, caller }, 'invite');
    return store.inviteOf(db, invite, now);
  },

  async join({ db, user, now, record }, { invite, ...names }) {
    await lockClub(db, (await store.activeLink(db, invite, now)).club_id);
    // Read again: the link may have been replaced while this request waited for the lock.
    const link = await store.activeLink(db, invite, now);
    const club = { id: link.club_id, slug: link.slug };
    if ((await memberships(db, link)).some((membership) => membership.user_id === user.id)) return club;
    failIf(whyCannotJoin(link, await store.ejectedAt(db, link.club_id, user.id)));
    // Before `addMember`, because this takes a stronger lock on the user. Deleting the account waits for either lock.
    await store.fillNames(db, user.id, names);
    await admit({ db, now }, { club_id: link.club_id, user_id: user.id });
    record('invite_used', { club: link.club_id, link: link.id });
    return club;
  },

  async remove({ db, user, now }, { invite }) {
    const admin = await asAdmin(db, user, await store.clubOf(db, invite));
    if ((await store.deleteLink(db, admin, invite)) === 0) fail('not_found');
    await addLogEntry(db, admin, { kind: 'link_deleted' }, now);
    return null;
  },
};

/** Makes a user a member of a club and notifies its admins. The club must be locked. */
export async function admit(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { club_id, user_id }: { club_id: string; user_id: string },
): Promise<void> {
  await addMember(db, { club_id, user_id, club_role: role.member }, now);
  const facts = { club_id, before: { [user_id]: true as const } };
  await raise(db, memberJoined, { facts, actor: user_id, now }, adminsOf(club_id));
}
