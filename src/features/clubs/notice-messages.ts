import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('clubs.notices', {
  deleted: '{actor} deleted {club}. “{event}” does not take place.',
  deletedMany:
    '{actor} deleted {club}. “{event}” and {n, plural, one {# more event} other {# more events}} do not take place.',
  deletedSubject: '{club} was deleted',
  cancelled: 'Cancelled: {event}, {when}',
});
