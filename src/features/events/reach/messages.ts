import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.reach', {
  reached: '{n} of {all} reached',
  telling: 'Telling {n, plural, one {# person} other {# people}}…',
  notReached: 'Not reached: {names}',
  allNotReached: 'All {n} who were not reached',
  notDelivered: '{name} (not delivered)',
  onItsWay: '{name} (on its way)',
  how: 'How they were reached',
  answered: '{n} answered',
  seen: '{n} saw it in the app',
  calendar: '{n} by calendar',
  push: '{n} by push',
  email: '{n, plural, one {# email} other {# emails}} accepted',
});
