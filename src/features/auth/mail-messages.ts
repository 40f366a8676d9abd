import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('auth.mail', {
  codeSubject: '{code} is your {product} code',
  codePreview: 'Enter it within 10 minutes to log in to {product}.',
  codeText: "Here's your code to log in to {product}. It works once, for 10 minutes.",
  useLink: 'Log in with this link instead',
  codeReason:
    "Someone entered your email to get this code. If it wasn't you, you can ignore this email. No one can log in without the code.",
  formerSubject: 'This is no longer your {product} email',
  formerPreview: 'Log in with your new email, or go back to this one.',
  formerText:
    'Someone asked for a code to log in to {product} with this email. Your account now uses a different email. Log in with that one.',
  formerRevert: "If you didn't change it, go back to this email. That logs out every device.",
  revert: 'Go back to this email',
  formerReason: "If you didn't ask for a code, you can ignore this email.",
});
