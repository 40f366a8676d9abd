import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('updates.notices', {
  published: '{actor} published an update in {club}.',
  updateFrom: 'Update from {actor}',
  publishedImportant: '{actor} published an important update in {club}.',
  reminded: '{actor} asks you to read an important update in {club}.',
  importantSubject: 'Important: {club}: {text}',
  reminderSubject: 'Please read: {club}: {text}',
  confirmRead: 'Please confirm that you have read it. Those who run {club} see that you have.',
  iHaveRead: 'I have read this',
  picture: 'Picture {n}',
  subject: '{club}: {text}',
  messageSent: '{actor} wrote about “{event}”.',
  messageSubject: '{event}, {day}: {text}',
  pollMessageSubject: '{event}: {text}',
});
