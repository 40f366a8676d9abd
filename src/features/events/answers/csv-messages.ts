import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.answers.csv', {
  fileName: 'Answers {event}',
  name: 'Name',
  sections: 'Sections',
  answer: 'Answer',
  going: 'Going',
  waiting: 'Waitlist',
  maybe: 'Maybe',
  no: "Can't go",
  silent: 'No answer',
  guests: 'Guests',
  reply: 'Reply',
  note: 'Note',
  came: 'Came',
  didCome: 'Yes',
  didNotCome: 'No',
});
