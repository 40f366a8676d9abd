import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('members.notices', {
  someone: 'Someone',
  roleChanged:
    '{actor} made you {role, select, admin {an admin} organiser {an organiser} other {a member}} of {club}.',
  roleSubject:
    'You are now {role, select, admin {an admin} organiser {an organiser} other {a member}} of {club}',
  removed: '{actor} removed you from {club}.',
  removedSubject: 'You were removed from {club}',
  openClub: 'Open the club',
  asMember: 'You get this email because you are a member of {club} on {product}.',
  wasMember: 'You get this email because you were a member of {club}.',
  withdrawnFiles:
    '{n, plural, one {Open the attached file to remove its event from your calendar. If it stays, delete it there.} other {Open the attached files to remove its events from your calendar. If they stay, delete them there.}}',
});
