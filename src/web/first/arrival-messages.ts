import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('web.arrival', {
  eventYouWereSent: 'Log in to open the event you were sent',
  clubYouWereSent: 'Log in to open the club you were sent',
  pageYouWereSent: 'Log in to open the page you were sent',
});
