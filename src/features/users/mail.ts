import type { Config } from '#platform/config.ts';
import type { EmailContent } from '#platform/mail/mailer.ts';
import { revertUrl } from '#features/auth/mail.ts';

interface Change {
  id: string;
  new_email: string;
}

/** To the current address, when a change is requested. */
export function changeRequestedEmail(config: Config, { id, new_email }: Change): EmailContent {
  return {
    subject: `Someone asked to change the email of your ${config.productName} account`,
    preview: `Nothing has changed yet. If this wasn't you, stop it.`,
    paragraphs: [
      `With a code from this inbox, someone asked to change the email of your ${config.productName} account to ${new_email}. Nothing has changed yet: the new email counts once it is confirmed.`,
      `If this wasn't you, stop the change. That logs out every device. You don't need to log in for this, and the link works for seven days, also when the email was changed by then.`,
    ],
    action: { label: 'Stop the change', url: revertUrl(config, id) },
    footer: `If this was you, enter the code that we sent to the new email.`,
  };
}

/** To the new address, which becomes valid once the code is entered or the link is used. */
export function changeConfirmationEmail(
  config: Config,
  { short, long }: { short: string; long: string },
): EmailContent {
  return {
    subject: `Confirm your new email for ${config.productName}`,
    preview: 'Your account keeps its current email until you confirm this one.',
    paragraphs: [
      `You asked to use this email for your ${config.productName} account. Enter this code in My Account within 10 minutes. Or open the link, on a device where you are logged in.`,
    ],
    code: short,
    action: {
      label: 'Confirm this email',
      url: `${config.publicUrl}/app/profile?${new URLSearchParams({ email_code: long })}`,
    },
    footer: `If you did not ask for this, ignore this email: code and link work only for the account that asked.`,
  };
}

/** To the old address, after the change. */
export function changeDoneEmail(config: Config, { id, new_email }: Change): EmailContent {
  return {
    subject: `The email of your ${config.productName} account was changed`,
    preview: `From now on you log in with another email. If this wasn't you, change it back.`,
    paragraphs: [
      `The email of your ${config.productName} account is now ${new_email}. Codes and notifications go there from now on, and other devices were logged out.`,
      `If this wasn't you, change it back. That logs out every device. You don't need to log in for this, and the link works for seven days. Until then nobody else can use this email.`,
    ],
    action: { label: 'Change it back', url: revertUrl(config, id) },
    footer: config.supportEmail
      ? `Questions? Write to ${config.supportEmail}.`
      : `Questions? Ask the people who run this site.`,
  };
}

/** To the address that an account loses when an earlier one is restored. */
export function changeRevertedEmail({ productName, supportEmail }: Config): EmailContent {
  return {
    subject: `The email of your ${productName} account was changed back`,
    preview: 'You no longer log in with this email.',
    paragraphs: [
      `This is no longer the email of your ${productName} account: it was changed back to an earlier one, with the link that we sent there. Every device was logged out.`,
    ],
    footer: supportEmail
      ? `Questions? Write to ${supportEmail}.`
      : `Questions? Ask the people who run this site.`,
  };
}
