import type { Config } from '#platform/config.ts';
import { enqueue } from '#platform/jobs/queue.ts';
import { cancelEmails } from '#platform/mail/mailer.ts';
import { forgetLimits, limit } from '#platform/http/rate-limit.ts';
import { allNotices } from '#platform/notices/bell.ts';
import { forgetInNotices } from '#platform/notices/raise.ts';
import { settingsOf } from '#platform/notices/settings.ts';
import { hmac } from '#platform/token.ts';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { fail, ApiError } from '#wire/errors.ts';
import { inLook } from '#wire/look.ts';
import type { account, Export } from '#features/account/contract.ts';
import { dayOf, outcomeFor, successorOf, type ClubOutcome } from '#features/account/rules.ts';
import * as store from '#features/account/store.ts';
import { redeemOwn } from '#features/auth/handlers.ts';
import { deviceName } from '#features/auth/rules.ts';
import { deleteUser, emailOf, forgetAddress, sessionsOf } from '#features/auth/store.ts';
import { handlers as clubs } from '#features/clubs/handlers.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import { removeWords } from '#features/events/store.ts';
import { handlers as members } from '#features/members/handlers.ts';
import { role } from '#features/members/rules.ts';
import { memberships } from '#features/members/store.ts';
import { disconnectLater } from '#features/payments/jobs.ts';
import { accountOf } from '#features/payments/store.ts';
import { removeLifts } from '#features/events/slots/store.ts';
import { reservedEmails } from '#features/users/store.ts';

const day = 24 * 60 * 60;

export const handlers: Handlers<typeof account> = {
  async deletion({ db, user }) {
    const all = await store.soleAdminships(db, user.id);
    return {
      need_choice: all.filter((club) => club.members.length > 0),
      go_along: all.filter((club) => club.members.length === 0),
    };
  },

  async remove(context, { code, choices }) {
    const { db, user, now } = context;
    const { email, error } = await redeemOwn(context, code, 'deletion');
    if (error) return error;
    const outcomes: [store.ClubOfAccount, ClubOutcome][] = [];
    const locked = await store.lockAccount(db, user.id, now);
    await requireEmail(context, email);
    for (const club of locked) {
      const choice = choices.find((each) => each.club === club.id);
      outcomes.push([club, outcomeFor(await memberships(db, { club_id: club.id }), user.id, choice)]);
    }
    requireChoices(outcomes);
    for (const [{ id }, outcome] of outcomes) await applyOutcome(context, id, outcome);
    await deleteAccount(context, email);
    context.record('account_deleted');
    return null;
  },

  export: rereadable(async (context, { code }) => {
    const { db, user, now } = context;
    const { email, error } = await redeemOwn(context, code, 'export');
    if (error) return error;
    await requireEmail(context, email);
    await limit(db, `export:${user.id}`, { max: 1, seconds: day, now });
    return null;
  }, exportOf),
};

/** Fails if the email has changed since the code was checked: the code proves nothing about the new address. */
async function requireEmail({ db, user }: Context<'user'>, email: string): Promise<void> {
  if ((await emailOf(db, user.id)) !== email) fail('wrong_code');
}

/** Throws, so that the rollback keeps the code usable for a retry with the missing choices. */
function requireChoices(outcomes: readonly [store.ClubOfAccount, ClubOutcome][]): void {
  const slugs = outcomes.filter(([, outcome]) => outcome === 'undecided').map(([{ slug }]) => slug);
  if (slugs.length > 0)
    throw new ApiError('choice_missing', {
      message: `For each of these clubs, choose a new admin or delete the club: ${slugs.join(', ')}.`,
    });
}

/** Calls the handlers that the user could have called, so that the same rules and notifications apply. */
async function applyOutcome(context: Context<'user'>, club: string, outcome: ClubOutcome): Promise<void> {
  if (outcome === 'goes') return void (await clubs.remove(context, { club }));
  if (typeof outcome === 'object')
    await members.changeRole(context, { club, member: outcome.successor, role: role.admin });
  await members.leave(context, { club });
}

/**
 * Deletes a user who is not asked what happens to their clubs, for example because a database restore brought them back: the
 * default successor takes over.
 */
export async function deleteWithoutChoices(context: Context<'user'>): Promise<void> {
  const { db, user, now } = context;
  const email = await emailOf(db, user.id);
  for (const { id } of await store.lockAccount(db, user.id, now)) {
    const all = await memberships(db, { club_id: id });
    const successor = successorOf(all, user.id);
    const choice = successor ? { club: id, successor } : undefined;
    await applyOutcome(context, id, outcomeFor(all, user.id, choice));
  }
  await deleteAccount(context, email);
}

export const deletionDigest = ({ secretKey }: Config, user: string): string =>
  hmac(secretKey, 'erased', user).toString('base64url');

async function deleteAccount({ db, user, now, config }: Context<'user'>, email: string): Promise<void> {
  await disconnectLater(db, config, user.id);
  await store.recordDeletion(db, { digest: deletionDigest(config, user.id), deleted_on: dayOf(now) });
  await enqueue(db, 'reconcile_deletions', {});
  await forgetInNotices(db, user.id);
  await removeWords(db, user.id);
  await removeLifts(db, user.id);
  const emails = new Set([email, ...(await reservedEmails(db, user.id, now))]);
  await deleteUser(db, user.id);
  for (const address of emails) {
    await forgetAddress(db, address);
    await cancelEmails(db, { address, account: user.id });
  }
  await forgetLimits(db, user.id);
}

/** Notices may mention other users, so each message is rendered without names. */
async function exportOf({ db, user: { id }, now }: Context<'user'>): Promise<Export> {
  const notices = await allNotices(db, id);
  const sessions = await sessionsOf(db, id, now);
  const profile = await store.profileOf(db, id, now);
  const standing = await store.standingAnswersOf(db, id);
  return {
    made_at: now,
    profile,
    email_changes: await store.emailChangesOf(db, id),
    email_rejections: await store.emailRejectionsOf(db, id),
    clubs: await store.clubsOf(db, id),
    club_log: await store.logEntriesOf(db, id),
    handovers: await store.handoversOf(db, id),
    removed_from: await store.ejectionsOf(db, id),
    invite_links: await store.linksOf(db, id),
    answers: await store.answersOf(db, id),
    votes: await store.votesOf(db, id),
    absences: await store.daysAwayOf(db, id),
    standing_answers: inLook({ language: profile.language, clock: profile.clock }, () =>
      standing.map((answer) => ({ ...answer, repeats: repeatText(answer.repeats) })),
    ),
    check_ins: await store.checkInsOfUser(db, id),
    slots: await store.slotsOfUser(db, id),
    answer_changes: await store.answerChangesOf(db, id),
    event_changes: await store.eventChangesOf(db, id),
    calendar_files: await store.calendarFilesOf(db, id),
    calendar_fetches: await store.calendarFetchesOf(db, id),
    favourites: await store.followedEvents(db, 'favourites', id),
    subscriptions: await store.followedEvents(db, 'event_followers', id),
    retired_calendar_links: await store.retiredFeedsOf(db, id),
    updates: await store.updatesOf(db, id),
    update_reads: await store.updateReadsOf(db, id),
    questions: await store.questionsOf(db, id),
    question_answers: await store.questionAnswersOf(db, id),
    messages: await store.messagesOf(db, id),
    notifications: notices.map(({ message, created_at, seen_at, actioned_at }) => ({
      message,
      created_at,
      seen_at,
      actioned_at,
    })),
    deliveries: await store.deliveriesOf(db, id),
    notification_settings: await settingsOf(db, id),
    feedback: await store.feedbackOf(db, id),
    payment_account: (await accountOf(db, id)) ?? null,
    sessions: sessions.map(({ device, ...times }) => ({ ...times, device: deviceName(device) })),
  };
}
