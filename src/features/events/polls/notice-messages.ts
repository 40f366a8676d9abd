import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.polls.notices', {
  fixed: '{actor} chose the time of “{event}”: {when}.',
  fixedSubject: 'Fixed: {event}, {when}',
  votersAlways: 'The result of a vote is always sent to those who voted.',
});
