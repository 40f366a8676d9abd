import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('time', {
  today: 'Today',
  tomorrow: 'Tomorrow',
  todayInSentence: 'today',
  tomorrowInSentence: 'tomorrow',
  justNow: 'just now',
  minutesAgo: '{n}m ago',
  hoursAgo: '{n}h ago',
  daysAgo: '{n}d ago',
  time24: '{time}',
  dayAndTime: '{day}, {time}',
  span: '{start} to {end}',
  inPlace: '{here} ({there} in {place})',
  timeLeft: '{days}d {hours}h {minutes}m',
  duration:
    '{days, plural, =0 {} one {# day } other {# days }}{hours, plural, =0 {} other {# h }}{minutes, plural, =0 {} other {# min}}',
  minutes: '{n} min',
});
