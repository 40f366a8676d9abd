import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.questions.form', {
  question: 'Your question',
  withoutName: 'Hosts may answer everyone, without your name.',
  send: 'Send',
  sending: 'Sending',
  sent: 'Question sent',
  notSent: "Your question wasn't sent",
});
