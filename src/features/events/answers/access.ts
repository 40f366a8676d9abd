import type { Config } from '#platform/config.ts';
import type { Actor, Context } from '#platform/context.ts';
import { limit, limitLookups } from '#platform/http/rate-limit.ts';
import { isSameToken, signed, signedParts } from '#platform/token.ts';
import type { Db } from '#platform/db/client.ts';
import { fail } from '#wire/errors.ts';
import { instant, type Instant } from '#wire/instant.ts';
import type { LinkedAnswer } from '#features/events/answers/contract.ts';
import { guestsLimit, whyNoSeat } from '#features/events/answers/form-rules.ts';
import { whyCannotAnswer } from '#features/events/answers/rules.ts';
import { isClosed } from '#features/events/rules.ts';
import { readerFrom } from '#platform/db/look.ts';
import { answerLimitKey, type LinkedEvent } from '#features/events/answers/queries.ts';
import { lockEvent, type EventInClub, type LockedEvent } from '#features/events/access.ts';
import { Answer, Choice } from '#features/events/choice-contract.ts';
import { answerToken } from '#features/events/mail.ts';

/**
 * Checks the token of an answer link. The response is the same for all wrong tokens, and the number of wrong tokens
 * from one network is limited.
 */
export async function verifyLink(
  context: Pick<Context, 'db' | 'now' | 'config' | 'caller'>,
  token: string,
  link: LinkedEvent | undefined,
): Promise<LinkedEvent | undefined> {
  const { user_id = '', id: event_id = '', answer_key = '' } = link ?? {};
  if (isSameToken(token, answerToken(context.config, { user_id, event_id, answer_key }))) return link;
  await limitLookups(context, 'answer-links');
  return undefined;
}

/** What a link shows to its member. */
export const linkedAnswer = (link: LinkedEvent, now: Instant): LinkedAnswer => ({
  ...link,
  choices: Choice.options.filter(
    (answer) =>
      !(whyCannotAnswer(link, { answer, guests: 0 }, now) ?? whyNoSeat(link, { answer, guests: 0 })),
  ),
  guests_max: guestsLimit(link, now),
  closed: isClosed(link, now),
  reader: readerFrom(link.look),
});

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

/**
 * A signed token that contains the standing answer before an answer by link to all dates of a series, and the version of
 * the standing answer that replaced it.
 */
export const undoOfStanding = (
  { secretKey }: Config,
  { before, saved }: Record<'before' | 'saved', LinkedEvent>,
  now: Instant,
) =>
  signed(
    secretKey,
    'undo-standing-answer',
    saved.user_id,
    saved.id,
    String(Date.parse(now)),
    before.my_standing ?? '',
    String(before.my_standing_guests ?? 0),
    String(saved.my_standing_version),
  );

/** The standing answer before an answer by link. Undefined if the token undoes something else. */
export function standingTakenBack({ secretKey }: Config, link: LinkedEvent, undo: string) {
  const [user, event, at, answer, guests, version = ''] =
    signedParts(secretKey, 'undo-standing-answer', undo) ?? [];
  if (user !== link.user_id || event !== link.id) return undefined;
  const given = (['going', 'no'] as const).find((each) => each === answer);
  const before = given ? { answer: given, guests: Number(guests) } : null;
  return { at: instant(Number(at)), version, before };
}

/** A standing answer that a member gives by link, or null to end it. */
export interface StandingByLink {
  series_id: string;
  user: Pick<Actor, 'id'>;
  given: { answer: 'going' | 'no'; guests: number } | null;
  /** The version of the standing answer that this undoes. */
  undoes?: string | undefined;
}

/**
 * Called with a standing answer that a member gives by link. `app/features.ts` registers the listener of the part
 * `series`, which this one cannot import.
 */
export const onStandingByLink: ((db: Db, standing: StandingByLink, now: Instant) => Promise<unknown>)[] = [];

export async function saveStandingByLink(db: Db, standing: StandingByLink, now: Instant): Promise<void> {
  if (onStandingByLink.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onStandingByLink) await listener(db, standing, now);
}

/** All answers of a member to an event share one rate limit, so that switching back and forth is limited too. */
export async function lockForAnswer(
  context: Pick<Context, 'db' | 'now' | 'config'> & { user: Pick<Actor, 'id'> },
  ref: string,
): Promise<LockedEvent> {
  await limitAnswers(context, ref);
  return lockEvent(context.db, context, ref);
}

export const limitAnswers = (
  { db, user, now }: Pick<Context, 'db' | 'now'> & { user: Pick<Actor, 'id'> },
  event: string,
): Promise<void> => limit(db, answerLimitKey(user.id, event), { max: 10, seconds: 60, now });
