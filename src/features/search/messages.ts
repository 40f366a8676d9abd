import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('search', {
  search: 'Search',
  searchEventsOrClubs: 'Search events or clubs',
  searchPlaceholder: 'Search events or clubs...',
  searching: 'Searching',
  noResultsFound: 'No results found.',
  noResultsFoundText: 'We searched the names of your clubs and their events.',
  cancelled: 'CANCELLED',
  moreDates: '{n, plural, one {# more date} other {# more dates}}',
  events: 'Events',
  clubs: 'Clubs',
});
