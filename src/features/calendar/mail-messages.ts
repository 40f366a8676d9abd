import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('calendar.mail', {
  linkSubject: 'Calendar link for your computer: {calendar}',
  linkPreview: 'Two steps, once. Then your phone shows it too.',
  linkText: 'Open this email on your computer to add “{calendar}” to Google Calendar:',
  linkCopy: '1. Copy this link: {url}',
  linkPaste: '2. Open Google Calendar, paste the link as the URL of the calendar, and press “Add calendar”.',
  linkThen: 'It then appears in Google Calendar on your phone as well, and stays up to date.',
  openGoogle: 'Open Google Calendar',
  linkReason:
    'You asked for this email in {product}. Anyone with the link can see this calendar, so keep it to yourself.',
});
