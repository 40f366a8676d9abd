import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('time', {
  today: 'Today',
  tomorrow: 'Tomorrow',
  justNow: 'just now',
  minutesAgo: '{n}m ago',
  hoursAgo: '{n}h ago',
  daysAgo: '{n}d ago',
  time24: '{time}',
  dayAndTime: '{day}, {time}',
  span: '{start} to {end}',
  inPlace: '{here} ({there} in {place})',
  timeLeft: '{days}d {hours}h {minutes}m',
  days: '{n, plural, one {# day} other {# days}}',
  hours: '{n} h',
  minutes: '{n} min',
});
