import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('invites', {
  inviteMembers: 'Invite members',
});
