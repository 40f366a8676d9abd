import type { Config } from '#platform/config.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import { revertUrl } from '#features/auth/mail.ts';
import { t } from '#features/users/mail-messages.ts';

interface Change {
  id: string;
  new_email: string;
}

/** Sent to the current address when a change is requested. */
export function changeRequestedEmail(config: Config, { id, new_email: email }: Change): EmailContent {
  const product = config.productName;
  return {
    subject: t('requestedSubject', { product }),
    preview: t('requestedPreview'),
    paragraphs: [t('requestedText', { product, email }), t('requestedStop')],
    action: { label: t('stop'), url: revertUrl(config, id) },
    footer: t('requestedReason'),
  };
}

/** Sent to the new address, which becomes valid once the code is entered or the link is used. */
export function changeConfirmationEmail(
  { productName: product, publicUrl }: Config,
  { short, long }: { short: string; long: string },
): EmailContent {
  return {
    subject: t('confirmSubject', { product }),
    preview: t('confirmPreview'),
    paragraphs: [t('confirmText', { product })],
    code: short,
    action: {
      label: t('confirm'),
      url: `${publicUrl}/app/profile?${new URLSearchParams({ email_code: long })}`,
    },
    footer: t('confirmReason'),
  };
}

/** Sent to the old address after the change. */
export function changeDoneEmail(config: Config, { id, new_email: email }: Change): EmailContent {
  const product = config.productName;
  return {
    subject: t('changedSubject', { product }),
    preview: t('changedPreview'),
    paragraphs: [t('changedText', { product, email }), t('changedRevert')],
    action: { label: t('changeBack'), url: revertUrl(config, id) },
    footer: whomToAsk(config),
  };
}

/** Sent to the old and to the new address when the operator changes the email of an account. */
export function emailReplacedEmail(config: Config, email: string): EmailContent {
  const product = config.productName;
  return {
    subject: t('changedSubject', { product }),
    preview: t('replacedPreview', { email }),
    paragraphs: [t('replacedText', { product, email })],
    action: { label: t('open', { product }), url: `${config.publicUrl}/login` },
    footer: whomToAsk(config),
  };
}

/** Sent to the address that an account loses when an earlier address is restored. */
export function changeRevertedEmail(config: Config): EmailContent {
  const product = config.productName;
  return {
    subject: t('revertedSubject', { product }),
    preview: t('revertedPreview'),
    paragraphs: [t('revertedText', { product })],
    footer: whomToAsk(config),
  };
}

const whomToAsk = ({ supportEmail: email }: Config): string =>
  email ? t('askSupport', { email }) : t('askOperator');
