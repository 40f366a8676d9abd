import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('auth.mail', {
  codeSubject: '{code} is your {product} code',
  codePreview: 'Enter it within 10 minutes to log in to {product}.',
  codeText: "Here's your code to log in to {product}. It works once, for 10 minutes.",
  useLink: 'Log in with this link instead',
  codeReason:
    "Someone entered your email to get this code. If it wasn't you, you can ignore this email. No one can log in without the code.",
  emailChangeSubject: '{code}: change your {product} email',
  emailChangeText: 'This code lets you change the email of your {product} account.',
  exportSubject: '{code}: download your {product} data',
  exportText: 'This code downloads a copy of your {product} data.',
  deletionSubject: '{code}: delete your {product} account',
  deletionText: 'This code deletes your {product} account for good.',
  ownCodeText: 'Enter it where you asked for it. It works once, for 10 minutes.',
  ownCodeReason:
    "Someone who is logged in as you asked for this code. If it wasn't you, don't pass it on, and log out everywhere in My Account.",
  formerSubject: 'This is no longer your {product} email',
  formerPreview: 'Log in with your new email, or go back to this one.',
  formerText:
    'Someone asked for a code to log in to {product} with this email. Your account now uses a different email. Log in with that one.',
  formerRevert: "If you didn't change it, go back to this email. That logs out every device.",
  revert: 'Go back to this email',
  formerReason: "If you didn't ask for a code, you can ignore this email.",
});
