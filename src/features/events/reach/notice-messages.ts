import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.reach.notices', {
  notReached: '{n, plural, one {# person was} other {# people were}} not reached: {event}, {day}',
  notReachedNames:
    '{n, plural, one {# person was} other {# people were}} not reached: {event}, {day}: {names}',
  namesAndMore: '{names} and {n} more',
  notDelivered: '{name} (not delivered)',
  onItsWay: '{name} (on its way)',
  reachThem:
    'Your change has not reached {n, plural, one {this person} other {these people}} yet. A call is the safest way.',
});
