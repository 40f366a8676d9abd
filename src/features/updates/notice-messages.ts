import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  published: '{actor} published an update in {club}.',
  subject: '{club}: {text}',
});
