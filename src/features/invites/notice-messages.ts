import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('invites.notices', {
  joined: '{name} joined {club}.',
  joinedSubject: '{name} joined {club}',
  manyJoined: '{name} and {n, plural, one {# other} other {# others}} joined {club}.',
  manyJoinedSubject: '{name} and {n, plural, one {# other} other {# others}} joined {club}',
});
