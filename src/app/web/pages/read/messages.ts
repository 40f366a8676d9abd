import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('app.read', {
  importantUpdate: 'Important update',
  updateOf: 'Update of {day}',
  haveRead: 'I have read this',
  theySee: 'Those who run {club} see that you have.',
  youRead: 'You read this on {day}',
  openTheUpdates: 'Open the updates',
  linkNotValidText: 'Log in to see the updates of your clubs, or use the link in a newer email.',
});
