import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('updates.notices', {
  published: '{actor} published an update in {club}.',
  picture: 'Picture {n}',
  subject: '{club}: {text}',
  messageSent: '{actor} wrote about “{event}”.',
  messageSubject: '{event}, {day}: {text}',
  pollMessageSubject: '{event}: {text}',
});
