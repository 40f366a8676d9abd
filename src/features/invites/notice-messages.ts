import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('invites.notices', {
  joined: '{name} joined {club}.',
  joinedSubject: '{name} joined {club}',
  twoJoined: '{first} and {second} joined {club}.',
  twoJoinedSubject: '{first} and {second} joined {club}',
  manyJoined: '{first}, {second} and {n, plural, one {# other} other {# others}} joined {club}.',
  manyJoinedSubject: '{first}, {second} and {n, plural, one {# other} other {# others}} joined {club}',
  moreNames: 'and {n} more',
});
