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
