import { canonicalAddress } from '#wire/email-address.ts';
import type { Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';

/** Lifetime of an invite link, in seconds. */
export const inviteLinkLifetime = 7 * 24 * 60 * 60;

/** An ejected user can only join with a link created after the ejection; older links no longer count for them. */
export function whyCannotJoin(
  link: { created_at: Instant },
  ejectedAt: Instant | undefined,
): ErrorCode | undefined {
  return ejectedAt !== undefined && link.created_at <= ejectedAt ? 'ejected' : undefined;
}

/** Records that a visitor pressed 'Accept Invite' before logging in. */
export interface JoinIntent {
  token: string;
  /** When the button was pressed, in milliseconds. */
  at: number;
  /** The email entered since then. */
  email: string;
}

/** Lifetime of the intent, in milliseconds. */
const joinIntentLifetime = 30 * 60_000;

/** Whether the user who logged in with `email` wanted to join with this invite. False if the clock was set back. */
export function isIntended(
  intent: { [Key in keyof JoinIntent]?: JoinIntent[Key] | undefined },
  { token, email, now }: { token: string; email: string | undefined; now: number },
): boolean {
  const age = now - (intent.at ?? Number.NaN);
  const isFresh = age >= 0 && age < joinIntentLifetime;
  const isOfUser = email !== undefined && canonicalAddress(intent.email ?? '') === canonicalAddress(email);
  return isFresh && isOfUser && intent.token === token;
}
