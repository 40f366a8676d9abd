import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('calendar', {
  addToCalendar: 'Add to calendar',
  onceOnly: "Add once (won't update)",
  downloadIcs: 'Download (.ics)',
  keptUpToDate: 'Subscribe to everything you attend (updates automatically)',
  myCalendar: 'My Calendar',
  googleCalendar: 'Google Calendar',
  outlook: 'Outlook',
  fileNotDownloaded: "The event wasn't downloaded",
});
