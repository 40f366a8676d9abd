import type { Handlers } from '#platform/http/endpoint.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import { limit } from '#platform/http/rate-limit.ts';
import type { feedback } from '#features/feedback/contract.ts';
import { feedbackEmail } from '#features/feedback/mail.ts';
import * as store from '#features/feedback/store.ts';
import * as users from '#features/users/store.ts';

const hour = 60 * 60;

export const handlers: Handlers<typeof feedback> = {
  async send({ db, user, now, config }, { feedback }) {
    await limit(db, `feedback-an-hour:${user.id}`, { max: 5, seconds: hour, now });
    await store.save(db, user.id, feedback, now);
    if (config.supportEmail) {
      const words = feedbackEmail(config.productName, await users.user(db, user.id, now), feedback);
      await enqueueEmail(db, { to: config.supportEmail, about: user.id, words });
    }
    return null;
  },
};
