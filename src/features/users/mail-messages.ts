import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('users.mail', {
  requestedSubject: 'Someone asked to change your {product} email',
  requestedPreview: "Nothing has changed yet. If this wasn't you, stop it.",
  requestedText:
    'Someone used a code sent here to ask to change your {product} email to {email}. Nothing changes until the new email is confirmed.',
  requestedStop:
    "If this wasn't you, stop it. That logs out every device. You don't need to log in, and the link works for seven days, even after the change.",
  stop: 'Stop the change',
  requestedReason: 'If this was you, enter the code we sent to the new email.',
  confirmSubject: 'Confirm your new email for {product}',
  confirmPreview: 'Your account keeps its current email until you confirm this one.',
  confirmText:
    "You asked to use this email for your {product} account. Enter this code in My Account within 10 minutes, or open the link on a device where you're logged in.",
  confirm: 'Confirm this email',
  confirmReason:
    "If you didn't ask for this, you can ignore this email. The code and link only work for the account that asked.",
  changedSubject: 'Your {product} email was changed',
  changedPreview: "From now on, log in with the new email. If this wasn't you, change it back.",
  changedText:
    'Your {product} email is now {email}. Codes and notifications go there from now on, and your other devices were logged out.',
  changedRevert:
    "If this wasn't you, change it back. That logs out every device. You don't need to log in, and the link works for seven days. Until then, no one else can use this email.",
  changeBack: 'Change it back',
  replacedPreview: 'Log in with {email} from now on.',
  replacedText:
    'The people who run this site changed your {product} email to {email}. Log in with it from now on. Every device was logged out.',
  open: 'Open {product}',
  revertedSubject: 'Your {product} email was changed back',
  revertedPreview: 'You can no longer log in with this email.',
  revertedText:
    'This is no longer your {product} email. It was changed back to an earlier one with the link we sent there, and every device was logged out.',
  askSupport: 'Questions? Write to {email}.',
  askOperator: 'Questions? Ask the people who run this site.',
});
