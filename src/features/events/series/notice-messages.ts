import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.series.notices', {
  planned: '{actor} planned “{event}”, {repeats}, in {club}.',
  plannedForAll: '{actor} planned “{event}”, {repeats}, in {club}. You are going unless you say no.',
  newSeriesSubject: 'New event: {event}, {repeats}',
  repeats: 'Repeats: {repeats}',
});
