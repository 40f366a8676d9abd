import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Config } from '#platform/config.ts';
import { isUuid, readClock } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import { emailIn } from '#platform/mail/message.ts';
import { isWithinLimit, limit } from '#platform/http/rate-limit.ts';
import { moveWeekly } from '#platform/notices/weekly.ts';
import { digest, hmac, lettersOf, randomToken } from '#platform/token.ts';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { addSeconds } from '#wire/instant.ts';
import { ApiError, fail } from '#wire/errors.ts';
import { redeemOwn } from '#features/auth/handlers.ts';
import { changeOfLink } from '#features/auth/mail.ts';
import { codeAlphabet, codeLength, normalCode } from '#features/auth/rules.ts';
import {
  emailOf,
  endAllSessions,
  endOtherSessions,
  forgetAddress,
  updateUser,
} from '#features/auth/store.ts';
import type { users } from '#features/users/contract.ts';
import * as mail from '#features/users/mail.ts';
import * as store from '#features/users/store.ts';

const hour = 60 * 60;
const day = 24 * hour;
const secondsToConfirm = 10 * 60;
/** Seconds during which the old address is reserved and can revert the change. */
const secondsToRevert = 7 * day;

/** Limit of change requests per user. */
const requestLimit = { max: 5, seconds: hour };
/** Limits of confirmation emails per new address, across all users. */
const recipientLimits = [
  { max: 3, seconds: hour },
  { max: 10, seconds: day },
];

export const handlers: Handlers<typeof users> = {
  me: ({ db, user, now }) => store.user(db, user.id, now),

  update: rereadable(async (context, { email, code, ...profile }) => {
    const { db, user, now } = context;
    const error = email === undefined ? undefined : await requestChange(context, email, code);
    if (error) return error;
    await updateUser(db, user.id, profile);
    if (profile.time_zone !== undefined || profile.device_zone !== undefined)
      await moveWeekly(db, user.id, now);
    return null;
  }, ownUser),

  confirmEmail: rereadable(async (context, { code }) => {
    const { db, user, now, config, record } = context;
    const { look } = (await store.lockUser(db, user.id)) ?? fail('not_signed_in');
    const change = await store.pendingChange(db, user.id, now);
    if (!change || !(await confirms(context, change, code))) {
      record('code_refused');
      // Returned instead of thrown, so that the count of wrong codes is committed.
      return new ApiError('wrong_code');
    }
    await store.setEmail(db, user.id, change.new_email, now);
    await store.finishChange(db, change.id, { now, ends_at: addSeconds(now, secondsToRevert) });
    await endOtherSessions(db, user);
    await enqueueEmail(db, {
      to: change.old_email,
      about: user.id,
      words: emailIn(toLook(look), () => mail.changeDoneEmail(config, change)),
    });
    record('email_changed');
    return null;
  }, ownUser),

  async emailChange({ db, config, clockOffset }, { token }) {
    const now = await readClock(db, clockOffset);
    return (await changeOfToken({ db, now, config }, token)) ?? fail('not_found');
  },

  async revertEmail({ db, now, config, record }, { token }) {
    const { user_id } = (await changeOfToken({ db, now, config }, token)) ?? fail('not_found');
    const account = await store.lockUser(db, user_id);
    // Read again: while this request waited for the lock, the change may have been reverted or the account deleted.
    const change = (await changeOfToken({ db, now, config }, token)) ?? fail('not_found');
    await store.deleteChangesSince(db, change);
    await endAllSessions(db, user_id);
    if (account && account.email !== change.old_email) {
      await store.setEmail(db, user_id, change.old_email, now);
      const words = emailIn(toLook(account.look), () => mail.changeRevertedEmail(config));
      await enqueueEmail(db, { to: account.email, about: user_id, words });
    }
    record('email_reverted', { owner: user_id });
    return { email: change.old_email };
  },
};

/**
 * Changes the email of an account without the confirmation of the new address, for the operator. Links that revert
 * earlier changes stop working, because somebody else may have the mailboxes to which they were sent.
 */
export async function replaceEmail(
  { db, now, config, record }: Pick<Context, 'db' | 'now' | 'config' | 'record'>,
  { user_id, new_email }: { user_id: string; new_email: string },
): Promise<void> {
  const { email: old_email, look } = (await store.lockUser(db, user_id)) ?? fail('not_found');
  await store.deleteChanges(db, user_id);
  await store.setEmail(db, user_id, new_email, now);
  await endAllSessions(db, user_id);
  await forgetAddress(db, old_email);
  const words = emailIn(toLook(look), () => mail.emailReplacedEmail(config, new_email));
  for (const to of [old_email, new_email]) await enqueueEmail(db, { to, about: user_id, words });
  record('email_replaced', { owner: user_id });
}

function ownUser({ db, user, now }: Context<'user'>) {
  return store.user(db, user.id, now);
}

/**
 * Asks the new address for confirmation and informs the current one, which remains valid until then. The response does
 * not reveal whether the new address belongs to another account.
 */
async function requestChange(
  context: Context<'user'>,
  new_email: string,
  code: string | undefined,
): Promise<ApiError | undefined> {
  const { db, user, now, config, record } = context;
  if (new_email === (await emailOf(db, user.id))) return undefined;
  if (code === undefined) return fail('code_missing');
  const { email: old_email, error } = await redeemOwn(context, code, 'email_change');
  if (error) return error;
  await limit(db, `new-address:${user.id}`, { ...requestLimit, now });
  // Fail if the email has changed since the code was checked: the code proves nothing about the new address.
  const account = await store.lockUser(db, user.id);
  if (account?.email !== old_email) return fail('wrong_code');

  const change = { id: randomUUID(), user_id: user.id, old_email, new_email };
  const newCode = randomToken();
  const code_ends_at = addSeconds(now, secondsToConfirm);
  await store.addEmailChange(db, {
    ...change,
    code_hash: digest(newCode),
    code_ends_at,
    requested_at: now,
    ends_at: addSeconds(now, secondsToRevert),
  });
  const accountId = user.id;
  const look = toLook(account.look);
  await enqueueEmail(db, {
    to: old_email,
    about: accountId,
    words: emailIn(look, () => mail.changeRequestedEmail(config, change)),
  });
  if (await mayBeMailed({ db, now, config }, change))
    await enqueueEmail(db, {
      to: new_email,
      about: accountId,
      words: emailIn(look, () =>
        mail.changeConfirmationEmail(config, { short: shortCode(config, change.id), long: newCode }),
      ),
      until: code_ends_at,
    });
  record('email_requested');
  return undefined;
}

/**
 * The code in the email to the new address: short enough to type on another device. It is derived from the change, so
 * nothing is stored.
 */
const shortCode = (config: Config, change: string): string =>
  lettersOf(codeAlphabet, codeLength, hmac(config.secretKey, 'confirm-email', change));

/** Limit of attempts with a short code for one change. The code in the link is not limited. */
const guessLimit = { max: 5, seconds: secondsToConfirm };

/** Whether this is the short code of the change or the code in its link. */
async function confirms(
  { db, user, now, config }: Context<'user'>,
  { id, code_hash }: { id: string; code_hash: Buffer },
  code: string,
): Promise<boolean> {
  if (code.length >= 20) return timingSafeEqual(digest(code), code_hash);
  const isAllowed = await isWithinLimit(db, `email-code:${user.id}:${id}`, { ...guessLimit, now });
  return isAllowed && timingSafeEqual(digest(normalCode(code)), digest(shortCode(config, id)));
}

type Dependencies = Pick<Context, 'db' | 'now' | 'config'>;

async function mayBeMailed(
  { db, now, config }: Dependencies,
  { user_id, new_email }: { user_id: string; new_email: string },
): Promise<boolean> {
  const isTaken = await store.isTaken(db, new_email, { but: user_id, now });
  const recipient = hmac(config.secretKey, 'recipient', new_email).toString('base64url');
  for (const { max, seconds } of recipientLimits)
    if (!(await isWithinLimit(db, `new-email-${seconds}:${recipient}`, { max, seconds, now }))) return false;
  return !isTaken;
}

/** The email change of a revert link, if it can still be reverted. */
async function changeOfToken({ db, now, config }: Dependencies, token: string) {
  const id = changeOfLink(config, token);
  return id && isUuid(id) ? store.revertibleChange(db, id, now) : undefined;
}
