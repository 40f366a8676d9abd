import type { Feature } from '#platform/http/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { notices } from '#platform/notices/notice.ts';
import { handlers as absences } from '#features/events/absences/handlers.ts';
import { handlers as account } from '#features/account/handlers.ts';
import { onStandingByLink } from '#features/events/answers/access.ts';
import {
  answerEvents,
  answerForMember,
  onSectionsChanged as answerForSections,
  updateGivenAnswers,
} from '#features/events/absences/store.ts';
import { handlers as answers } from '#features/events/answers/handlers.ts';
import { notices as ofAnswers } from '#features/events/answers/notices.ts';
import {
  moveUp,
  onEventsCreated as addHost,
  onMembershipEnded as endAttendances,
} from '#features/events/answers/store.ts';
import { handlers as auth } from '#features/auth/handlers.ts';
import { onAccessEnded } from '#features/auth/store.ts';
import { handlers as calendar } from '#features/calendar/handlers.ts';
import { notices as ofCalendar } from '#features/calendar/notices.ts';
import { onMembershipEnded as endFeed } from '#features/calendar/store.ts';
import { handlers as checkins } from '#features/events/checkins/handlers.ts';
import { handlers as clubs } from '#features/clubs/handlers.ts';
import { notices as ofClubs } from '#features/clubs/notices.ts';
import { handlers as events } from '#features/events/handlers.ts';
import { notices as ofEvents } from '#features/events/notices.ts';
import { onEventEdited, onEventMoved, onEventsCreated } from '#features/events/store.ts';
import { handlers as feedback } from '#features/feedback/handlers.ts';
import { handlers as hosts } from '#features/events/hosts/handlers.ts';
import { notices as ofHosts } from '#features/events/hosts/notices.ts';
import { handlers as invites } from '#features/invites/handlers.ts';
import { notices as ofInvites } from '#features/invites/notices.ts';
import { onMembershipEnded as endLinks } from '#features/invites/store.ts';
import { handlers as media } from '#features/media/handlers.ts';
import { onPicturesChosen as choosePictures } from '#features/media/store.ts';
import { handlers as members } from '#features/members/handlers.ts';
import { notices as ofMembers } from '#features/members/notices.ts';
import {
  onMembershipEnded,
  onMembershipStarted,
  onSectionsChanged,
  replaceAnswerKeys,
} from '#features/members/store.ts';
import { handlers as notifications } from '#features/notifications/handlers.ts';
import { handlers as payments } from '#features/payments/handlers.ts';
import { handlers as polls } from '#features/events/polls/handlers.ts';
import { notices as ofPolls } from '#features/events/polls/notices.ts';
import { onMembershipEnded as endVotes } from '#features/events/polls/store.ts';
import { handlers as push } from '#features/push/handlers.ts';
import { handlers as questions } from '#features/events/questions/handlers.ts';
import { notices as ofQuestions } from '#features/events/questions/notices.ts';
import { onMembershipEnded as endQuestions } from '#features/events/questions/store.ts';
import { notices as ofReach } from '#features/events/reach/notices.ts';
import { handlers as search } from '#features/search/handlers.ts';
import { handlers as sections } from '#features/sections/handlers.ts';
import { handlers as series, onStandingByLink as giveStanding } from '#features/events/series/handlers.ts';
import { notices as ofSeries } from '#features/events/series/notices.ts';
import {
  onMembershipEnded as endStanding,
  onMembershipStarted as startStanding,
} from '#features/events/series/store.ts';
import { handlers as slots } from '#features/events/slots/handlers.ts';
import { notices as ofSlots } from '#features/events/slots/notices.ts';
import { onMembershipEnded as endClaims } from '#features/events/slots/store.ts';
import { handlers as updates } from '#features/updates/handlers.ts';
import { notices as ofUpdates } from '#features/updates/notices.ts';
import { onPicturesChosen } from '#features/updates/store.ts';
import { handlers as users } from '#features/users/handlers.ts';

// Registers listeners with features that cannot import them. The order matters: the calendar files of a former member
// are withdrawn after their answers have ended, and given answers follow from standing answers and leave out hosts.
onMembershipEnded.push(endLinks, endAttendances, endVotes, endQuestions, endStanding, endClaims, endFeed);
onMembershipStarted.push(startStanding, answerForMember);
onEventsCreated.push(addHost, (db, { ids }, now) => answerEvents(db, { events: ids }, now));
onSectionsChanged.push(answerForSections);
onAccessEnded.push(replaceAnswerKeys);
onEventEdited.push(moveUp);
onEventMoved.push((db, ids, now) => updateGivenAnswers(db, ids, now));
onPicturesChosen.push(choosePictures);
onStandingByLink.push(giveStanding);

notices.push(
  ...ofMembers,
  ...ofInvites,
  ...ofEvents,
  ...ofCalendar,
  ...ofAnswers,
  ...ofHosts,
  ...ofQuestions,
  ...ofPolls,
  ...ofReach,
  ...ofSeries,
  ...ofSlots,
  ...ofUpdates,
  ...ofClubs,
);

const handlers = {
  absences,
  account,
  answers,
  auth,
  calendar,
  checkins,
  clubs,
  events,
  feedback,
  hosts,
  invites,
  media,
  members,
  notifications,
  payments,
  polls,
  push,
  questions,
  search,
  sections,
  series,
  slots,
  updates,
  users,
};

/** Every contract paired with its handlers, in the order of the contracts. */
export const features: Feature[] = Object.entries(contracts).map(([name, contract]) => ({
  contract,
  handlers: handlers[name as keyof typeof contracts] as Feature['handlers'],
}));
