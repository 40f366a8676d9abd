import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('search.home', {
  search: 'Search',
});
