import { secondsBetween, type Instant } from '#wire/instant.ts';
import type { ErrorCode } from '#wire/errors.ts';

/** How long an authorisation may take at the provider, in seconds. */
export const authorisationLasts = 10 * 60;

/** How long a signed message of the provider is worth anything, in seconds. */
export const messageLasts = 300;

/** An account as the provider describes it. */
export interface ProviderAccount {
  account: string;
  email: string | null;
  is_ready: boolean;
  changed_at: Instant;
}

/** Somebody who wants to take payments. */
export interface Payee {
  is_admin: boolean;
  email: string;
}

const isSame = (address: string, other: string | null) => address.toLowerCase() === other?.toLowerCase();

export function whyCannotOpen(payee: Payee, email: string): ErrorCode | undefined {
  if (!payee.is_admin) return 'not_admin';
  return isSame(payee.email, email) ? undefined : 'bad_input';
}

/**
 * Nothing but its address in the redirect tells whose browser comes back from the provider, so the account must name the
 * user too: otherwise somebody could send another person their own link and have that person's account.
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
 * One key for all tries of an hour, so that a double click or a lost answer makes no second account. No longer: the
 * provider answers a known key with what it said then, even when the account is gone since.
 */
export const openingKey = (user: string, email: string, now: Instant): string =>
  `muster account ${user} ${email} ${now.slice(0, 13)}`;

/** Signed for a moment that is neither too long ago nor, for a clock that is ahead, to come. */
export const isTimely = (signedAt: Instant, now: Instant): boolean =>
  Math.abs(secondsBetween(signedAt, now)) <= messageLasts;
