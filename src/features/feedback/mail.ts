import type { EmailContent } from '#platform/mail/message.ts';
import type { User } from '#features/users/contract.ts';
import { fullName } from '#features/users/rules.ts';

/** Sent to the operators of the site, in English, like everything that they read. */
export const feedbackEmail = (product: string, user: User, feedback: string): EmailContent => ({
  subject: `Feedback about ${product}`,
  preview: feedback.slice(0, 100),
  paragraphs: feedback.split(/\s*\n\s*/),
  footer: `Sent by ${fullName(user)}, ${user.email}. Reply to that email.`,
});
