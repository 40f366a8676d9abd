import type { Config } from '#platform/config.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import { revertUrl } from '#features/auth/mail.ts';

interface Change {
  id: string;
  new_email: string;
}

/** Sent to the current address when a change is requested. */
export function changeRequestedEmail(config: Config, { id, new_email }: Change): EmailContent {
  return {
    subject: `Someone asked to change your ${config.productName} email`,
    preview: `Nothing has changed yet. If this wasn't you, stop it.`,
    paragraphs: [
      `Someone used a code sent here to ask to change your ${config.productName} email to ${new_email}. Nothing changes until the new email is confirmed.`,
      `If this wasn't you, stop it. That logs out every device. You don't need to log in, and the link works for seven days, even after the change.`,
    ],
    action: { label: 'Stop the change', url: revertUrl(config, id) },
    footer: `If this was you, enter the code we sent to the new email.`,
  };
}

/** Sent to the new address, which becomes valid once the code is entered or the link is used. */
export function changeConfirmationEmail(
  config: Config,
  { short, long }: { short: string; long: string },
): EmailContent {
  return {
    subject: `Confirm your new email for ${config.productName}`,
    preview: 'Your account keeps its current email until you confirm this one.',
    paragraphs: [
      `You asked to use this email for your ${config.productName} account. Enter this code in My Account within 10 minutes, or open the link on a device where you're logged in.`,
    ],
    code: short,
    action: {
      label: 'Confirm this email',
      url: `${config.publicUrl}/app/profile?${new URLSearchParams({ email_code: long })}`,
    },
    footer: `If you didn't ask for this, you can ignore this email. The code and link only work for the account that asked.`,
  };
}

/** Sent to the old address after the change. */
export function changeDoneEmail(config: Config, { id, new_email }: Change): EmailContent {
  return {
    subject: `Your ${config.productName} email was changed`,
    preview: `From now on, log in with the new email. If this wasn't you, change it back.`,
    paragraphs: [
      `Your ${config.productName} email is now ${new_email}. Codes and notifications go there from now on, and your other devices were logged out.`,
      `If this wasn't you, change it back. That logs out every device. You don't need to log in, and the link works for seven days. Until then, no one else can use this email.`,
    ],
    action: { label: 'Change it back', url: revertUrl(config, id) },
    footer: config.supportEmail
      ? `Questions? Write to ${config.supportEmail}.`
      : `Questions? Ask the people who run this site.`,
  };
}

/** Sent to the old and to the new address when the operator changes the email of an account. */
export function emailReplacedEmail(
  { productName, publicUrl, supportEmail }: Config,
  new_email: string,
): EmailContent {
  return {
    subject: `Your ${productName} email was changed`,
    preview: `Log in with ${new_email} from now on.`,
    paragraphs: [
      `The people who run this site changed your ${productName} email to ${new_email}. Log in with it from now on. Every device was logged out.`,
    ],
    action: { label: `Open ${productName}`, url: `${publicUrl}/login` },
    footer: supportEmail
      ? `Questions? Write to ${supportEmail}.`
      : `Questions? Ask the people who run this site.`,
  };
}

/** Sent to the address that an account loses when an earlier address is restored. */
export function changeRevertedEmail({ productName, supportEmail }: Config): EmailContent {
  return {
    subject: `Your ${productName} email was changed back`,
    preview: 'You can no longer log in with this email.',
    paragraphs: [
      `This is no longer your ${productName} email. It was changed back to an earlier one with the link we sent there, and every device was logged out.`,
    ],
    footer: supportEmail
      ? `Questions? Write to ${supportEmail}.`
      : `Questions? Ask the people who run this site.`,
  };
}
