import { defineMessages } from '#wire/messages.ts';

/** The texts of link previews and their pictures. */
export const t = defineMessages('previews', {
  product:
    'Organise your club: invite members by link, plan events, and have them all in the calendar you already use.',
  cancelled: 'Cancelled: {what}',
  timeIsOpen: 'No time chosen yet',
  whenAndWhat: '{when} · {description}',
  invited: 'You are invited to join {club} on {productName}.',
  invitedTo: 'You are invited to',
  openToJoin: 'Open the link to join',
});
