import type { Config } from '#platform/config.ts';
import type { Actor, Context } from '#platform/context.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { isSameToken, signed, signedParts } from '#platform/token.ts';
import { fail } from '#wire/errors.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { answerLimitKey, type LinkedEvent } from '#features/events/answers/queries.ts';
import { lockEvent, type EventInClub, type LockedEvent } from '#features/events/access.ts';
import { Answer } from '#features/events/contract.ts';
import { answerToken } from '#features/events/mail.ts';

/**
 * Checks the token of an answer link. The response is the same for all wrong tokens, and the number of wrong tokens
 * from one network is limited.
 */
export async function verifyLink(
  { db, now, config, caller }: Pick<Context, 'db' | 'now' | 'config' | 'caller'>,
  token: string,
  link: LinkedEvent | undefined,
): Promise<LinkedEvent | undefined> {
  const { user_id = '', id: event_id = '', answer_key = '' } = link ?? {};
  if (isSameToken(token, answerToken(config, { user_id, event_id, answer_key }))) return link;
  if (config.limitsPerAddress) await limit(db, `answer-links:${caller.ip}`, { max: 60, seconds: 60, now });
  return undefined;
}

/** Seconds during which an answer by link can be undone. The page offers to undo it for only ten seconds. */
export const secondsToTakeBack = 60;

/**
 * A signed token that contains the previous answer and the answer that replaced it, so that the server stores nothing
 * for an undo. The previous release compares the replacing answer itself, and ignores its version.
 */
export const undoOf = (
  { secretKey }: Config,
  { user_id, id }: Pick<LinkedEvent, 'user_id' | 'id'>,
  { before, saved }: Record<'before' | 'saved', EventInClub>,
  now: Instant,
) =>
  signed(
    secretKey,
    'undo-answer',
    ...[user_id, id, Date.parse(now), saved.my_answer, saved.my_guests].map(String),
    ...[before.my_answer ?? '', before.my_guests, Date.parse(before.my_answered_at ?? now)].map(String),
    String(saved.my_answer_version),
    before.must_confirm ? 'unconfirmed' : '',
  );

export interface TakenBack {
  saved: { at: Instant; answer: string; version: string | undefined };
  before: { answer: Answer | undefined; guests: number; since: Instant; must_confirm: boolean };
}

export function takenBack(
  { secretKey }: Config,
  { user_id, id }: Pick<LinkedEvent, 'user_id' | 'id'>,
  undo: string,
): TakenBack {
  const [user, event, at, answer, , before, guestsBefore, since, version, confirmation] =
    signedParts(secretKey, 'undo-answer', undo) ?? [];
  if (user !== user_id || event !== id) fail('not_found');
  return {
    saved: { at: instant(Number(at)), answer: String(answer), version },
    before: {
      answer: Answer.options.find((each) => each === before),
      guests: Number(guestsBefore),
      since: instant(Number(since)),
      must_confirm: confirmation === 'unconfirmed',
    },
  };
}

/** All answers of a member to an event share one rate limit, so that switching back and forth is limited too. */
export async function lockForAnswer(
  context: Pick<Context, 'db' | 'now' | 'config'> & { user: Pick<Actor, 'id'> },
  ref: string,
): Promise<LockedEvent> {
  const { db, user, now } = context;
  await limit(db, answerLimitKey(user.id, ref), { max: 10, seconds: 60, now });
  return lockEvent(db, context, ref);
}
