import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.sections', {
  forWhom: 'For {sections}',
  alsoForYou: 'This is for {sections}. You can come too.',
  goesAhead: 'Goes ahead',
  short: 'Short: {missing}',
  shortPeople: '{n, plural, one {# person} other {# people}}',
  shortOf: '{n} {section}',
  ofSections: 'Sections',
  goingOf: '{section} {n} of {needed}',
  going: '{section} {n}',
  maybeCount: '{n} maybe',
  silentCount: '{n} no answer',
  nudge: 'Nudge {sections}',
});
