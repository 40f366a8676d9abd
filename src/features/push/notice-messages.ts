import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('push.notices', {
  test: 'Notifications work on this device.',
  openToKeep: 'Open {product} to keep notifications on this device.',
  logInToKeep: 'Log in again to keep notifications on this device.',
  several: '{n, plural, one {# new notification} other {# new notifications}}',
});
