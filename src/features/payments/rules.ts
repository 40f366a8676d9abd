import { canonicalAddress } from '#wire/email-address.ts';
import { secondsBetween, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';

/** Seconds that a user has to complete an authorisation at the provider. */
export const authorisationTimeout = 10 * 60;

/** Maximum age of a signed webhook event, in seconds. */
export const webhookTolerance = 300;

/** An account as the provider describes it. */
export interface ProviderAccount {
  account: string;
  email: string | null;
  is_ready: boolean;
  changed_at: Instant;
}

/** A user who wants to take payments. */
export interface Payee {
  is_admin: boolean;
  email: string;
}

const isSame = (address: string, other: string | null) =>
  canonicalAddress(address) === canonicalAddress(other ?? '');

export function whyCannotOpen(payee: Payee, email: string): ErrorCode | undefined {
  if (!payee.is_admin) return 'not_admin';
  return isSame(payee.email, email) ? undefined : 'bad_input';
}

/**
 * Only the state in the redirect identifies the returning user, so the account's email must match the user's as well.
 * Otherwise an attacker could send their own authorisation link to another person and obtain that person's account.
 */
export const whyCannotConnect = (payee: Payee | undefined, found: ProviderAccount): ErrorCode | undefined =>
  payee?.is_admin && isSame(payee.email, found.email) ? undefined : 'bad_input';

export const isReady = (account: {
  details_submitted?: boolean;
  charges_enabled?: boolean;
  payouts_enabled?: boolean;
}): boolean =>
  account.details_submitted === true && account.charges_enabled === true && account.payouts_enabled === true;

/**
 * One idempotency key for all attempts within an hour, so that a double click or a lost response opens no second
 * account. The key changes after an hour, because the provider replays the first response of a key even if the account
 * was deleted since.
 */
export const openingKey = (user: string, email: string, now: Instant): string =>
  `muster account ${user} ${email} ${now.slice(0, 13)}`;

/** Whether a signature is neither too old nor too far in the future (clock skew). */
export const isTimely = (signedAt: Instant, now: Instant): boolean =>
  Math.abs(secondsBetween(signedAt, now)) <= webhookTolerance;
