import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.form', {
  forWhom: 'For',
  forHint: 'Everybody in the club can see it.',
  needed: 'How many are needed',
  neededHint: 'Everybody sees whether enough people come.',
  neededInAll: 'In all, with guests',
  question: 'Question with the answer',
  questionHint: 'For example “Which menu?”. Only the hosts read the replies.',
  choices: 'Choices',
  choicesHint: 'Up to {n}. Without choices, members reply in their own words.',
  choice: 'Choice {n}',
  choiceTwice: 'You have this choice already.',
});
