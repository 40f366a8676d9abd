import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('search', {
  search: 'Search',
  searchEventsOrClubs: 'Search events or clubs',
  searchEventsOfClub: 'Search events of {club}',
  searchEventsPlaceholder: 'Search events...',
  searchPlaceholder: 'Search events or clubs...',
  searching: 'Searching',
  noResultsFound: 'No results found.',
  noResultsFoundText: 'We searched the names of your clubs and their events.',
  noResultsFoundInClub: 'We searched the names of the events of {club}.',
  cancelled: 'CANCELLED',
  events: 'Events',
  clubs: 'Clubs',
});
