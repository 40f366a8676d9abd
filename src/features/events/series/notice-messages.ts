import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.series.notices', {
  planned: '{actor} planned “{event}”, {repeats}, in {club}.',
  plannedForAll: '{actor} planned “{event}”, {repeats}, in {club}. You are going unless you say no.',
  furtherDates: 'Further dates',
  /** In emails without HTML. */
  breakLabel: 'Break',
  newSeriesSubject: 'New event: {event}, {repeats} from {day}',
});
