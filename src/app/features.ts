import type { Feature } from '#platform/http/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { handlers as account } from '#features/account/handlers.ts';
import { handlers as attendance } from '#features/attendance/handlers.ts';
import { handlers as auth } from '#features/auth/handlers.ts';
import { handlers as calendar } from '#features/calendar/handlers.ts';
import { handlers as clubs } from '#features/clubs/handlers.ts';
import { handlers as events } from '#features/events/handlers.ts';
import { handlers as feedback } from '#features/feedback/handlers.ts';
import { handlers as invites } from '#features/invites/handlers.ts';
import { handlers as media } from '#features/media/handlers.ts';
import { handlers as members } from '#features/members/handlers.ts';
import { handlers as notifications } from '#features/notifications/handlers.ts';
import { handlers as payments } from '#features/payments/handlers.ts';
import { handlers as search } from '#features/search/handlers.ts';
import { handlers as updates } from '#features/updates/handlers.ts';
import { handlers as users } from '#features/users/handlers.ts';

const handlers = {
  auth,
  users,
  notifications,
  members,
  invites,
  events,
  attendance,
  updates,
  clubs,
  calendar,
  media,
  search,
  feedback,
  payments,
  account,
};

/** Every contract paired with its handlers. */
export const features: Feature[] = Object.entries(handlers).map(([name, implementation]) => ({
  contract: contracts[name as keyof typeof contracts],
  handlers: implementation as Feature['handlers'],
}));
