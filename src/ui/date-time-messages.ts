import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('ui.dateTime', {
  pickDateAndTime: 'Pick date and time',
  chooseADay: 'Choose a day',
  changeMonth: 'Change month',
  previousMonth: 'Go to the Previous Month',
  nextMonth: 'Go to the Next Month',
  currentDay: 'Today, {day}',
  time: 'Time',
  hour: 'Hour',
  minute: 'Minute',
  amOrPm: 'AM or PM',
  am: 'AM',
  pm: 'PM',
  yearOutOfRange: 'Choose a year from {first} to {last}.',
  unreadableDateTime: "We can't read this date and time. Try {day} {time} or {example}.",
  // The format of a field, such as 'MM/dd/yyyy hh:mm aa'. The language decides the order of day, month and year.
  dayPattern: 'dd',
  monthPattern: 'MM',
  yearPattern: 'yyyy',
  pattern12: 'hh:mm aa',
  pattern24: 'HH:mm',
  // Words that people type in a field. A comma separates words of the same meaning.
  today: 'today',
  tomorrow: 'tomorrow',
  next: 'next',
  noon: 'noon',
  midnight: 'midnight',
  at: 'at, on',
  oclock: "o'clock",
});
