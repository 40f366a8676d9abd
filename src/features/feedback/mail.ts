import type { Words } from '#platform/mail/mailer.ts';
import type { User } from '#features/users/contract.ts';
import { fullName } from '#features/users/rules.ts';

/** To the people who run the site. */
export const feedbackLetter = (product: string, user: User, feedback: string): Words => ({
  subject: `Feedback about ${product}`,
  preview: feedback.slice(0, 100),
  paragraphs: feedback.split(/\s*\n\s*/),
  footer: `Sent by ${fullName(user)}, ${user.email}. Answer there.`,
});
