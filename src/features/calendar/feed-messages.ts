import { defineMessages } from '#wire/messages.ts';

/** The texts of calendar feeds and files. */
export const t = defineMessages('calendar.feed', {
  myEvents: 'My {productName} events',
  noEvents: 'No events',
  cancelled: 'Cancelled',
  cancelledEvent: 'Cancelled: {event}',
  pollOfEvent: 'Time poll: {event}',
  waitingForEvent: 'Waitlist: {event}',
  maybeEvent: 'Maybe: {event}',
  movedFrom: 'Moved from {time}.',
  timeIsOpen: 'The time is not fixed yet. Vote on the page of the event.',
  confirmTime: 'Please confirm: the time has changed.',
  confirmPlace: 'Please confirm: the place has changed.',
  confirmEvent: 'Please confirm: the event has changed.',
  going: '{guests, plural, =0 {You are going.} other {You are going (+#).}}',
  waiting: '{guests, plural, =0 {You are on the waitlist.} other {You are on the waitlist (+#).}}',
  maybe: '{guests, plural, =0 {You may come.} other {You may come (+#).}}',
  no: "You can't go.",
  notAnswered: 'You have not answered.',
});
