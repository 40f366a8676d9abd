import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('notices', {
  sender: '{name} via {product}',
  unsubscribe: 'Unsubscribe from these emails',
  andMore: '{first} and {n} more',
  collected: 'You had a lot of emails within an hour, so these {n} came together.',
});
