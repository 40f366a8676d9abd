import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('notices', {
  unsubscribe: 'Unsubscribe from these emails',
  andMore: '{first} and {n} more',
  collected: 'You had a lot of emails within an hour, so these {n} came together.',
});
