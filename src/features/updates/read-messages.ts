import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('updates.reads', {
  haveRead: 'I have read this',
  theySee: 'Those who run {club} see that you have.',
  youRead: 'You read this on {day}',
  readCount: '{n} of {all} have read this',
  readers: 'Who has read this',
  unread: 'Not read yet',
  read: 'Read',
  nobodyYet: 'Nobody yet',
  showMore: 'Show more',
  readersNotLoaded: "We couldn't load the names. Try again in a moment.",
  remind: '{n, plural, one {Remind the other} other {Remind the # others}}',
  reminded: '{n, plural, one {# member was reminded} other {# members were reminded}}',
  lastReminded: 'Last reminded {when}.',
  remindAgain: 'You can remind again {day}, {time}.',
  remindedEnough: 'You have used all {n} reminders.',
});
