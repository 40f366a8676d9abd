import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.slots.notices', {
  claimed: '{actor} takes a seat in your lift “{lift}” to “{event}”.',
  released: '{actor} gave back a seat in your lift “{lift}” to “{event}”.',
  gone: '{actor} cancelled the lift “{lift}” to “{event}”.',
  liftSubject: 'Your lift: {event}, {when}',
  goneSubject: 'Your lift was cancelled: {event}, {when}',
});
