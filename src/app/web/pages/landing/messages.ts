import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('app.landing', {
  organiseYourClub: 'Organise your Club',
  organiseYourClubText: 'Start planning events with just your email and club name.',
  getStarted: 'Get started',
  learnMore: 'Learn more',
  whyTitle: 'Why {productName}?',
  easyEvents: 'Events are easy, and free',
  easyEventsText:
    "All it takes is a title, a place and a time. Members see it right away and reply with one tap, so you know who's coming. Free for everyone.",
  yourCalendar: 'In the calendar you already use',
  yourCalendarText:
    'Every club has a calendar of its events, and you have one with everything you attend. Add either to your phone or computer once, and it stays up to date.',
  createAClub: 'Create a club and invite your members',
  createYourClub: 'Create Your Club',
  logIn: 'Log in',
  dismiss: 'Dismiss',
  calendarPicture: 'A month in a calendar with the events of several clubs',
  june: 'June',
  clubPicture: 'Club members around their next event',
  clubEveningTime: 'Tomorrow · 7:30 pm',
  clubEvening: 'Club evening',
  clubEveningReplies: 'All seven are going',
  attending: 'Attending',
  eventPicture: 'An event card with a date, a place and the people who are going',
  weekday: 'SUN',
  month: 'Jun',
  morningRow: 'Morning row',
  morningRowTimeAndPlace: '8:30 am · The old boathouse',
  open: 'Open',
  morningRowReplies: '14 going',
});
