import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  attendees: 'Attendees',
  you: '(you)',
  organiser: 'Organiser',
  showAll: 'Show all {n}',
});
