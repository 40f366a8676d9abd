import type { Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';

/** How long a link lives, in seconds. */
export const inviteLinkDays = 7 * 24 * 60 * 60;

/** Whoever was removed needs a link made since: the one they may still hold is no invitation any more. */
export function whyCannotJoin(
  link: { created_at: Instant },
  ejectedAt: Instant | undefined,
): ErrorCode | undefined {
  return ejectedAt !== undefined && link.created_at <= ejectedAt ? 'ejected' : undefined;
}
