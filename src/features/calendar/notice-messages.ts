import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('calendar.notices', {
  cannotGo: "You can't go to “{event}” in {club}.",
  cannotGoSubject: "You can't go: {event}",
  notAttending: "You're no longer attending “{event}” in {club}.",
  notAttendingSubject: 'No longer attending: {event}, {when}',
  left: 'You left {club}.',
  leftSubject: 'You left {club}',
  withdrawnFile: 'Open the attached file to remove it from your calendar. If it stays, delete it there.',
});
