import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.answers.notices', {
  answered:
    '{actor} put you down as {answer, select, going {going} waiting {waiting} maybe {maybe going} other {not going}} to “{event}”.',
  goingSubject: "You're going: {event}, {when}",
  maybeSubject: 'Maybe: {event}, {when}',
  noSubject: "You can't go: {event}",
  attending: "You're attending “{event}” in {club}.",
  nudged: "{actor} would like to know if you're coming to “{event}”.",
  nudgedSubject: 'Are you coming? {event}, {when}',
  seatGiven: 'You have a seat at “{event}”.',
  seatGivenSubject: 'You have a seat: {event}, {when}',
  giveItBack: "Can't come after all? Say so, and the next person gets your seat.",
  seatsAlways: 'Seats from the waitlist are always sent.',
  seatFree: 'A seat is free at “{event}”.',
  seatFreeSubject: 'A seat is free: {event}, {when}',
});
