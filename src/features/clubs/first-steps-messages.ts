import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('clubs.firstSteps', {
  title: 'First steps',
  hide: 'Hide',
  inviteSomeone: 'Invite someone',
  invite: 'Invite',
  planAnEvent: 'Plan an event',
  plan: 'Plan',
  addTheCalendar: 'Add the calendar',
  add: 'Add',
  done: '(done)',
});
