import { absences } from '#features/events/absences/contract.ts';
import { account } from '#features/account/contract.ts';
import { answers } from '#features/events/answers/contract.ts';
import { auth } from '#features/auth/contract.ts';
import { calendar } from '#features/calendar/contract.ts';
import { checkins } from '#features/events/checkins/contract.ts';
import { clubs } from '#features/clubs/contract.ts';
import { events } from '#features/events/contract.ts';
import { feedback } from '#features/feedback/contract.ts';
import { hosts } from '#features/events/hosts/contract.ts';
import { invites } from '#features/invites/contract.ts';
import { media } from '#features/media/contract.ts';
import { members } from '#features/members/contract.ts';
import { notifications } from '#features/notifications/contract.ts';
import { payments } from '#features/payments/contract.ts';
import { polls } from '#features/events/polls/contract.ts';
import { push } from '#features/push/contract.ts';
import { questions } from '#features/events/questions/contract.ts';
import { search } from '#features/search/contract.ts';
import { sections } from '#features/sections/contract.ts';
import { series } from '#features/events/series/contract.ts';
import { slots } from '#features/events/slots/contract.ts';
import { updates } from '#features/updates/contract.ts';
import { users } from '#features/users/contract.ts';

/**
 * The contracts of all endpoints of the API, for the server and the browser. Their order limits imports: on the server,
 * a feature may import only features that precede it in this list.
 */
export const contracts = {
  auth,
  users,
  notifications,
  push,
  members,
  sections,
  invites,
  events,
  calendar,
  checkins,
  answers,
  absences,
  hosts,
  questions,
  polls,
  series,
  slots,
  updates,
  clubs,
  media,
  search,
  feedback,
  payments,
  account,
};
