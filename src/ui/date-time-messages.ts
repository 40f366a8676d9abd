import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('ui.dateTime', {
  pickDateAndTime: 'Pick date and time',
  chooseADay: 'Choose a day',
  time: 'Time',
  hour: 'Hour',
  minute: 'Minute',
  amOrPm: 'AM or PM',
  am: 'AM',
  pm: 'PM',
  yearOutOfRange: 'Choose a year from {first} to {last}.',
  unreadableDateTime: "We can't read this date and time. Try 21 Jun 7:30 pm or 06/21/2026 07:30 PM.",
});
