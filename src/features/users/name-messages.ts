import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('users.names', {
  /** Shown instead of an empty first name. */
  newUser: 'New User',
});
