import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  attendEvent: 'Attend Event',
  attending: 'Attending',
  waiting: 'Waitlist',
  maybe: 'Maybe',
  cantGo: "Can't go",
  went: 'went',
  going: 'going',
  conflictingEvent: 'Conflicting Event',
  full: 'Full',
  seatsLeft: '{n, plural, one {# seat left} other {# seats left}}',
  open: 'Open',
  closesSoon: 'Closes Soon',
  closed: 'Closed',
  cancelled: 'CANCELLED',
  youHosted: 'You hosted',
  youWent: 'You went',
  hosting: 'Hosting',
  moved: 'Moved',
  moreDates: '{n, plural, one {# more date} other {# more dates}}',
  nowUntil: 'Now, until {time}',
});
