import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.form', {
  question: 'Question with the answer',
  questionHint: 'For example “Which menu?”. Only the hosts read the replies.',
  choices: 'Choices',
  choicesHint: 'Up to {n}. Without choices, members reply in their own words.',
  choice: 'Choice {n}',
  choiceTwice: 'You have this choice already.',
});
