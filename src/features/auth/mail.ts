import type { Config } from '#platform/config.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import { signed, signedParts } from '#platform/token.ts';

interface LoginEmailOptions {
  email: string;
  short: string;
  long: string;
  /** A path of this app, already validated. */
  returnTo: string | undefined;
}

/** The login code. The link opens a page with a button, so a mail scanner that follows it does not redeem the code. */
export function loginEmail(
  config: Config,
  { email, short, long, returnTo }: LoginEmailOptions,
): EmailContent {
  const query = new URLSearchParams({ email, code: long, ...(returnTo ? { rUrl: returnTo } : {}) });
  return {
    subject: `${short} is your ${config.productName} code`,
    preview: `Enter it within 10 minutes to log in to ${config.productName}.`,
    paragraphs: [`Here's your code to log in to ${config.productName}. It works once, for 10 minutes.`],
    code: short,
    action: { label: 'Log in with this link instead', url: `${config.publicUrl}/confirm?${query}` },
    footer: `Someone entered your email to get this code. If it wasn't you, you can ignore this email. No one can log in without the code.`,
  };
}

/**
 * Sent instead of a login code to a former address of an account while the address is still reserved for that account.
 */
export function addressReplacedEmail(config: Config, change: string): EmailContent {
  return {
    subject: `This is no longer your ${config.productName} email`,
    preview: `Log in with your new email, or go back to this one.`,
    paragraphs: [
      `Someone asked for a code to log in to ${config.productName} with this email. Your account now uses a different email. Log in with that one.`,
      `If you didn't change it, go back to this email. That logs out every device.`,
    ],
    action: { label: 'Go back to this email', url: revertUrl(config, change) },
    footer: `If you didn't ask for a code, you can ignore this email.`,
  };
}

/** The link that reverts an email change, sent to the old address. It opens a page whose button performs the revert. */
export const revertUrl = ({ publicUrl, secretKey }: Config, change: string): string =>
  `${publicUrl}/revert-email?${new URLSearchParams({ token: signed(secretKey, 'revert-email', change) })}`;

/** The id of the email change in a revert link, or undefined if the signature is invalid. */
export const changeOfLink = ({ secretKey }: Config, token: string): string | undefined =>
  signedParts(secretKey, 'revert-email', token)?.[0];
