import { randomUUID, timingSafeEqual } from 'node:crypto';
import { batched } from '#platform/db/batch-loader.ts';
import type { Config } from '#platform/config.ts';
import { isUuid, type Db } from '#platform/db/client.ts';
import type { Context, FindSession, Handlers } from '#platform/http/endpoint.ts';
import type { Note } from '#platform/log.ts';
import { isPostShut, post } from '#platform/mail/mailer.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { digest, randomFrom, randomToken, seal, signed, signedParts } from '#platform/token.ts';
import type { AuthData } from '#wire/client.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { refuse, Refused } from '#wire/errors.ts';
import type { auth } from '#features/auth/contract.ts';
import { addressReplacedEmail, loginLetter } from '#features/auth/mail.ts';
import * as rules from '#features/auth/rules.ts';
import * as store from '#features/auth/store.ts';

/** Looks up all sessions of one moment together. The clock runs `ahead.seconds` before the database's, 0 outside of tests. */
export function sessionFinder(db: Db, ahead: { seconds: number }): FindSession {
  const find = batched((hashes: readonly (Buffer | null)[]) => store.findSessions(db, hashes, ahead.seconds));
  return (token) => find(token ? digest(token) : null);
}

export const handlers: Handlers<typeof auth> = {
  async login({ db, now, config, caller, note }, { email, rUrl }) {
    // Rather this than a wait for a code that does not come.
    if (await isPostShut(db)) throw new Refused('unavailable', { retryAfter: 30 });
    if (config.limitsPerAddress) await limit(db, `codes:${caller.ip}`, { most: 30, seconds: 60 * 60, now });
    // Only a digest that differs per address: nobody can read from it who asked.
    const network = config.limitsPerAddress ? seal(config.secretKey, 'network', email, caller.ip) : null;
    await store.lockGuard(db, email, now);
    if (rules.maySend(await store.sentCodes(db, email, { network, now }), now)) {
      await mailCode({ db, now, config }, { email, network, rUrl });
      note('code_sent');
    }
    return { from: config.mailFrom };
  },

  async confirm({ db, now, config, caller, note }, { email, code }) {
    const refused = await redeem({ db, now, config, note }, email, code);
    if (refused) return refused;
    const user_id = await store.accountOf(db, email, now);
    return startSession({ db, now, config, note }, user_id, caller.device);
  },

  /**
   * The successor of a refresh token follows from it, so a token that comes a second time (two tabs, a lost answer)
   * gets the same one. An issued token older than the direct parent was stolen or copied: the whole session ends. One
   * that was never issued changes nothing, as the id of a session is no secret; tokens of the release before carry no
   * proof of issue and count as such.
   */
  async refresh({ db, now, config, note }, { token }) {
    const [id = ''] = token.split('.');
    const session = isUuid(id) ? await store.lockSession(db, id, now) : undefined;
    if (!session) return refuse('not_signed_in');
    const presented = digest(token);
    if (!presented.equals(session.refresh_hash) && !session.parent_hash?.equals(presented)) {
      if (!signedParts(config.secretKey, 'issued', token)) return refuse('not_signed_in');
      await store.endSession(db, id);
      note('session_reused', { session: id, owner: session.user_id });
      return new Refused('not_signed_in');
    }
    const secret = seal(config.secretKey, 'refresh', token).toString('base64url');
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
      is_current: row.id === user.session_id,
    }));
  },

  async endSession({ db, user }, { session }) {
    if ((await store.endSessionOf(db, user.id, session)) === 0) refuse('not_found');
    return null;
  },
};

type Desk = { db: Db; now: Instant; config: Config };
type GuardedDesk = Desk & { note: Note };

/**
 * Uses up a code of an address. Return the refusal, don't throw it: a wrong guess is counted, and the counter must be
 * committed.
 */
export async function redeem(
  { db, now, config, note }: GuardedDesk,
  email: string,
  code: string,
): Promise<Refused | undefined> {
  const guard = await store.lockGuard(db, email, now);
  const isShort = code.length < 20;
  const shut = isShort ? rules.secondsShut(guard, now) : 0;
  if (shut > 0) return new Refused('too_often', { retryAfter: shut });

  const hash = hashCode(config, email, isShort ? rules.normalCode(code) : code);
  const codes = await store.recentCodes(db, email, now);
  const match = codes.find((known) => timingSafeEqual(isShort ? known.short_hash : known.long_hash, hash));
  if (isShort && !match) {
    await store.countWrongTry(db, email, now);
    const next = rules.afterWrongGuess(guard, now);
    await store.saveGuard(db, email, next);
    if (rules.secondsShut(next, now) > 0) note('login_shut');
  }
  if (!match?.live || !(await store.useCode(db, match.id, now))) {
    note('code_refused');
    return new Refused('wrong_code');
  }
  await store.forgetGuard(db, email);
  return undefined;
}

/** Uses up a code of the own address, for what a session alone may not do. A wrong code for an account that is gone counts nowhere. */
export async function redeemOwn(context: Context<'user'>, code: string) {
  const { db, user } = context;
  const email = await store.emailOf(db, user.id);
  const refused = await redeem(context, email, code);
  if (refused) await store.emailOf(db, user.id);
  return { email, refused };
}

async function mailCode(
  { db, now, config }: Desk,
  { email, network, rUrl }: { email: string; network: Buffer | null; rUrl: string | undefined },
): Promise<void> {
  const short = randomFrom(rules.codeAlphabet, rules.codeLength);
  const long = randomToken();
  const [short_hash, long_hash] = [hashCode(config, email, short), hashCode(config, email, long)];
  await store.addCode(db, { email, network, short_hash, long_hash, now });
  const reservation = await store.reservationOf(db, email, now);
  const words = reservation
    ? addressReplacedEmail(config, reservation.id)
    : loginLetter(config, { email, short, long, returnTo: rules.localPath(rUrl) });
  await post(db, { to: email, words, until: addSeconds(now, rules.lifetimes.code) });
}

async function startSession(
  { db, now, config, note }: GuardedDesk,
  user_id: string,
  device: string,
): Promise<AuthData> {
  const id = randomUUID();
  const { auth, hashes } = tokensOf(config, signed(config.secretKey, 'issued', id, randomToken()));
  await store.addSession(db, { id, user_id, device, now, ...hashes });
  note('session_started', { session: id, owner: user_id });
  return auth;
}

function tokensOf(config: Config, refresh: string) {
  const access = seal(config.secretKey, 'access', refresh).toString('base64url');
  const auth: AuthData = { AccessToken: { Token: access }, RefreshToken: { Token: refresh } };
  return { auth, hashes: { access_hash: digest(access), refresh_hash: digest(refresh) } };
}

const hashCode = (config: Config, email: string, code: string) => seal(config.secretKey, 'code', email, code);
