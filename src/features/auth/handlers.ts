import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Language } from '#languages/languages.ts';
import { batchLoader } from '#platform/db/batch-loader.ts';
import type { Config } from '#platform/config.ts';
import { isUuid, type Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import type { Context } from '#platform/context.ts';
import type { FindSession, Handlers } from '#platform/http/endpoint.ts';
import type { RecordAudit } from '#platform/log.ts';
import { mailboxText } from '#platform/mail/address.ts';
import { isMailServerDown, enqueueEmail } from '#platform/mail/mailer.ts';
import { emailIn } from '#platform/mail/message.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { clearRejections } from '#platform/notices/deliveries.ts';
import { digest, randomFrom, randomToken, hmac, signed, signedParts } from '#platform/token.ts';
import type { AuthData } from '#wire/client.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail, ApiError } from '#wire/errors.ts';
import type { auth, CodeStatus, OwnPurpose, Purpose } from '#features/auth/contract.ts';
import { addressReplacedEmail, loginEmail, ownCodeEmail } from '#features/auth/mail.ts';
import * as queries from '#features/auth/queries.ts';
import * as rules from '#features/auth/rules.ts';
import * as store from '#features/auth/store.ts';

/** Batches all session look-ups of the same tick into one query. `clockOffset.seconds` is 0 outside of tests. */
export function sessionFinder(db: Db, clockOffset: { seconds: number }): FindSession {
  const find = batchLoader((hashes: readonly (Buffer | null)[]) =>
    store.findSessions(db, hashes, clockOffset.seconds),
  );
  return (token) => find(token ? digest(token) : null);
}

export const handlers: Handlers<typeof auth> = {
  login: (context, { email, rUrl }) => requestCode(context, { email, purpose: 'login', rUrl }),

  async sendCode(context, { purpose }) {
    const { db, user } = context;
    const status = await requestCode(context, { email: await store.emailOf(db, user.id), purpose });
    // Throws if the account was deleted while this request waited for its throttle.
    await store.emailOf(db, user.id);
    return status;
  },

  async confirm({ db, now, config, caller, record }, { email, code }) {
    const error = await redeem({ db, now, config, record }, { email, code, purpose: 'login' });
    if (error) return error;
    // Only people who may register have got a code, unless the settings have changed since.
    const user_id = rules.mayRegister(config, { email, isInvited: true })
      ? await store.findOrCreateAccount(db, email, { language: caller.language, now })
      : await store.findAccount(db, email);
    const auth = user_id && (await startSession({ db, now, config, record }, user_id, caller.device));
    if (!auth) return new ApiError('wrong_code');
    await clearRejections(db, user_id);
    return auth;
  },

  /**
   * The next refresh token is derived from the current one, so a token that is sent twice (two tabs, a lost response)
   * yields the same successor. An issued token older than the direct parent was stolen or copied: the session ends. A
   * token that was never issued changes nothing, because session ids are not secret. Tokens of the previous release
   * have no proof of issue, so they are treated like tokens that were never issued.
   */
  async refresh({ db, now, config, record }, { token }) {
    const [id = ''] = token.split('.');
    const session = isUuid(id) ? await store.lockSession(db, id, now) : undefined;
    if (!session) return fail('not_signed_in');
    const presented = digest(token);
    if (!presented.equals(session.refresh_hash) && !session.parent_hash?.equals(presented)) {
      if (!signedParts(config.secretKey, 'issued', token)) return fail('not_signed_in');
      await store.endSession(db, id);
      record('session_reused', { session: id, owner: session.user_id });
      return new ApiError('not_signed_in');
    }
    const secret = hmac(config.secretKey, 'refresh', token).toString('base64url');
    const tokens = tokensOf(config, signed(config.secretKey, 'issued', id, secret));
    await store.renewSession(db, { id, parent_hash: presented, now, ...tokens.hashes });
    return tokens.auth;
  },

  async logout({ db, user }, { all }) {
    await (all ? store.endAllSessions(db, user.id) : store.endSession(db, user.session_id));
    return null;
  },

  async sessions({ db, user, now }) {
    const rows = await store.sessionsOf(db, user.id, now);
    return rows.map(({ device, ...row }) => ({
      ...row,
      device: rules.deviceName(device),
      ...rules.deviceOf(device),
      is_current: row.id === user.session_id,
    }));
  },

  async endSession({ db, user }, { session }) {
    if ((await store.endSessionOf(db, user.id, session)) === 0) fail('not_found');
    return null;
  },
};

type AuthContext = { db: Db; now: Instant; config: Config };
type ThrottledContext = AuthContext & { record: RecordAudit };

/** Emails a code, unless one was just sent for this purpose, and returns the status of the newest. */
async function requestCode(
  { db, now, config, caller, record }: Context,
  { email, purpose, rUrl }: { email: string; purpose: Purpose; rUrl?: string | undefined },
): Promise<CodeStatus> {
  // Fail early: otherwise the user waits for a code that is not sent.
  if (await isMailServerDown(db)) throw new ApiError('unavailable', { retryAfter: 30 });
  if (config.limitsPerAddress) await limit(db, `codes:${caller.ip}`, { max: 30, seconds: 60 * 60, now });
  // Store a keyed digest that differs per email address, so the row does not reveal the client's network.
  const network = config.limitsPerAddress ? hmac(config.secretKey, 'network', email, caller.ip) : null;
  await store.lockThrottle(db, email, now);
  const sent = await store.sentCodes(db, email, { network, purpose, now });
  const wait = rules.secondsUntilSend(sent, now);
  if (wait === 0) {
    const { language } = caller;
    const isSent = await mailCode({ db, now, config }, { email, purpose, network, rUrl, language });
    record(isSent ? 'code_sent' : 'code_withheld');
    sent.push({
      created_at: now,
      used_at: null,
      good_until: addSeconds(now, rules.lifetimes.code),
      same_network: network !== null,
      same_purpose: true,
    });
  } else if (!sent.some(({ same_purpose }) => same_purpose)) {
    // The limits count all codes. Without a code of this purpose, there is no status.
    throw new ApiError('too_often', { retryAfter: wait });
  }
  return { from: mailboxText(config.mailFrom), ...rules.codeStatus(sent, now) };
}

/**
 * Redeems a code of an email address, if it was requested for this purpose. Callers return the error instead of throwing it: the transaction must
 * commit the count of wrong guesses.
 */
export async function redeem(
  { db, now, config, record }: ThrottledContext,
  { email, code, purpose }: { email: string; code: string; purpose: Purpose },
): Promise<ApiError | undefined> {
  const throttle = await store.lockThrottle(db, email, now);
  const isShort = code.length < 20;
  const retryAfter = isShort ? rules.secondsLocked(throttle, now) : 0;
  if (retryAfter > 0) return new ApiError('too_often', { retryAfter });

  const hash = hashCode(config, email, isShort ? rules.normalCode(code) : code);
  const codes = await store.recentCodes(db, email, now);
  const matching = codes.filter((stored) =>
    timingSafeEqual(isShort ? stored.short_hash : stored.long_hash, hash),
  );
  const match = matching.find((stored) => stored.purpose === purpose);
  if (isShort && matching.length === 0) {
    await store.countWrongTry(db, email, now);
    const next = rules.afterWrongGuess(throttle, now);
    await store.saveThrottle(db, email, next);
    if (rules.secondsLocked(next, now) > 0) record('login_shut');
  }
  if (!match?.live || !(await store.useCode(db, match.id, now))) {
    record('code_refused');
    return new ApiError('wrong_code');
  }
  await store.deleteThrottle(db, email);
  return undefined;
}

/**
 * Redeems a code of the user's own address, for an operation that needs more than a session. The second look-up throws if
 * the account was deleted meanwhile, so that the wrong guess is not counted.
 */
export async function redeemOwn(context: Context<'user'>, code: string, purpose: OwnPurpose) {
  const { db, user } = context;
  const email = await store.emailOf(db, user.id);
  const error = await redeem(context, { email, code, purpose });
  if (error) await store.emailOf(db, user.id);
  return { email, error };
}

interface CodeRequest {
  email: string;
  purpose: Purpose;
  network: Buffer | null;
  rUrl: string | undefined;
  /** The language of the email if the address has no account. */
  language: Language;
}

/**
 * Emails a code, unless the account is disabled or the person may not register. The steps are the same in either case,
 * so that their time does not reveal whether an account exists: a code that is not sent matches no hash, and its email
 * has expired before a worker takes it. Returns whether the code is sent.
 */
async function mailCode(
  { db, now, config }: AuthContext,
  { email, purpose, network, rUrl, language }: CodeRequest,
): Promise<boolean> {
  const short = randomFrom(rules.codeAlphabet, rules.codeLength);
  const long = randomToken();
  const returnTo = rules.localPath(rUrl);
  const reservation = await store.reservationOf(db, email, now);
  const account = await queries.accountFor(db, { email, reservedFor: reservation?.user_id });
  const invite = config.registration === 'invited' ? rules.inviteIn(returnTo) : undefined;
  const isInvited = invite !== undefined && (await queries.isLiveInvite(db, invite, now));
  const isSent = account?.is_enabled ?? rules.mayRegister(config, { email, isInvited });
  const [short_hash, long_hash] = (isSent ? [short, long] : [randomToken(), randomToken()]).map((code) =>
    hashCode(config, email, code),
  ) as [Buffer, Buffer];
  await store.addCode(db, { email, purpose, network, short_hash, long_hash, now });
  const look = account ? toLook(account.look) : ({ language, clock: 'auto' } as const);
  const words = emailIn(look, () =>
    reservation
      ? addressReplacedEmail(config, reservation.id)
      : purpose === 'login'
        ? loginEmail(config, { email, short, long, returnTo })
        : ownCodeEmail(config, purpose, short),
  );
  await enqueueEmail(db, {
    to: email,
    words,
    until: addSeconds(now, isSent ? rules.lifetimes.code : 0),
  });
  return isSent;
}

/** Starts a session for a user who has proved their identity, and returns its tokens: undefined for a disabled account. */
export async function startSession(
  { db, now, config, record }: ThrottledContext,
  user_id: string,
  device: string,
): Promise<AuthData | undefined> {
  const id = randomUUID();
  const { auth, hashes } = tokensOf(config, signed(config.secretKey, 'issued', id, randomToken()));
  if (!(await store.addSession(db, { id, user_id, device, now, ...hashes }))) return undefined;
  record('session_started', { session: id, owner: user_id });
  return auth;
}

function tokensOf(config: Config, refresh: string) {
  const access = hmac(config.secretKey, 'access', refresh).toString('base64url');
  const auth: AuthData = { AccessToken: { Token: access }, RefreshToken: { Token: refresh } };
  return { auth, hashes: { access_hash: digest(access), refresh_hash: digest(refresh) } };
}

const hashCode = (config: Config, email: string, code: string) => hmac(config.secretKey, 'code', email, code);
