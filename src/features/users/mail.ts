import type { Config } from '#platform/config.ts';
import type { Words } from '#platform/mail.ts';

/** To the new address of an account, which comes into force with the link. */
export function newAddressLetter(config: Config, code: string): Words {
  return {
    subject: `Confirm your new address for ${config.productName}`,
    preview: 'Your account keeps its old address until you confirm this one.',
    paragraphs: [
      `You asked to use this address for your ${config.productName} account. Open the link where you are logged in, within 10 minutes, and the new address is in force.`,
    ],
    action: {
      label: 'Confirm this address',
      url: `${config.publicUrl}/app/profile?${new URLSearchParams({ email_code: code })}`,
    },
    footer: `If you did not ask for this, ignore this mail: the link works only for the account that asked.`,
  };
}

/** To the old address, once another one is in force. */
export function addressChangedLetter(config: Config, next: string): Words {
  return {
    subject: `Your ${config.productName} address was changed`,
    preview: `From now on you log in with another address.`,
    paragraphs: [
      `The address of your ${config.productName} account is now ${next}. Codes and notices go there from now on.`,
    ],
    footer: config.supportEmail
      ? `If that was not you, write to ${config.supportEmail} at once.`
      : `If that was not you, tell the people who run this site at once.`,
  };
}
