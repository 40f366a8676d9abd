import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.answers.list', {
  replyCount: '{reply} {n}',
  replies: 'Replies',
  otherReply: 'Other',
  noReply: 'No reply',
  everybodyReached: 'Everybody was reached',
  notDelivered: 'Not delivered',
  onItsWay: 'On its way',
});
