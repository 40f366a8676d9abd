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
  changed:
    "{change, select, no {{name} can't come to “{event}”.} maybe {{name} said maybe to “{event}”.} fewer {{name} brings fewer guests to “{event}”.} other {{name} wrote a note about “{event}”.}}",
  changedInList:
    "{change, select, no {{name} can't come.} maybe {{name} said maybe.} fewer {{name} brings fewer guests.} other {{name} wrote a note.}}",
  changedSubject:
    "{change, select, no {{name} can't come: {event}, {day}} maybe {{name} said maybe: {event}, {day}} fewer {{name} brings fewer guests: {event}, {day}} other {{name} wrote a note: {event}, {day}}}",
  changesSubject: '{n, plural, one {# change} other {# changes}}: {event}, {day}',
  countsNow:
    "Now: {going} going{guests, plural, =0 {} one { + # guest} other { + # guests}}, {maybe} maybe, {no} can't go.",
});
