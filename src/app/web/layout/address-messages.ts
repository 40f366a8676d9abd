import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('app.address', {
  cannotReach: 'We cannot reach <address>{email}</address>. <link>Change your address</link>',
});
