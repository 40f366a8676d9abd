import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.questions.notices', {
  asked: '{actor} has a question about “{event}”.',
  askedSubject: '{n, plural, one {Question: {event}} other {# questions: {event}}}',
  answered: '{actor} answered your question about “{event}”.',
  answeredSubject: 'Answer: {event}',
  youAsked: 'You asked:',
  eventOnDay: '{event}, {day}',
});
