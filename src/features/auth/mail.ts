import type { Config } from '#platform/config.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import { signed, signedParts } from '#platform/token.ts';
import type { OwnPurpose } from '#features/auth/contract.ts';
import { t } from '#features/auth/mail-messages.ts';

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
  const product = config.productName;
  return {
    subject: t('codeSubject', { code: short, product }),
    preview: t('codePreview', { product }),
    paragraphs: [t('codeText', { product })],
    code: short,
    action: { label: t('useLink'), url: `${config.publicUrl}/confirm?${query}` },
    footer: t('codeReason'),
  };
}

/** A code for an operation of a user who is logged in. It has no link, because the operation waits where it was begun. */
export function ownCodeEmail(
  { productName: product }: Config,
  purpose: OwnPurpose,
  code: string,
): EmailContent {
  const texts: Record<OwnPurpose, [subject: string, text: string]> = {
    email_change: [t('emailChangeSubject', { code, product }), t('emailChangeText', { product })],
    export: [t('exportSubject', { code, product }), t('exportText', { product })],
    deletion: [t('deletionSubject', { code, product }), t('deletionText', { product })],
  };
  const [subject, text] = texts[purpose];
  return {
    subject,
    preview: text,
    paragraphs: [text, t('ownCodeText')],
    code,
    footer: t('ownCodeReason'),
  };
}

/**
 * Sent instead of a login code to a former address of an account while the address is still reserved for that account.
 */
export function addressReplacedEmail(config: Config, change: string): EmailContent {
  const product = config.productName;
  return {
    subject: t('formerSubject', { product }),
    preview: t('formerPreview'),
    paragraphs: [t('formerText', { product }), t('formerRevert')],
    action: { label: t('revert'), url: revertUrl(config, change) },
    footer: t('formerReason'),
  };
}

/** The link that reverts an email change, sent to the old address. It opens a page whose button performs the revert. */
export const revertUrl = ({ publicUrl, secretKey }: Config, change: string): string =>
  `${publicUrl}/revert-email?${new URLSearchParams({ token: signed(secretKey, 'revert-email', change) })}`;

/** The id of the email change in a revert link, or undefined if the signature is invalid. */
export const changeOfLink = ({ secretKey }: Config, token: string): string | undefined =>
  signedParts(secretKey, 'revert-email', token)?.[0];
