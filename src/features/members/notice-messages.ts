import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('members.notices', {
  someone: 'Someone',
  roleChanged:
    '{actor} made you {role, select, admin {an admin} organiser {an organiser} other {a member}} of {club}.',
  roleSubject:
    'You are now {role, select, admin {an admin} organiser {an organiser} other {a member}} of {club}',
  removed: '{actor} removed you from {club}.',
  removedSubject: 'You were removed from {club}',
  handoverOffered: '{actor} would like to hand over {club} to you.',
  handoverSubject: '{actor} would like to hand over {club} to you',
  handoverMeans:
    '{afterwards, select, leave {If you accept, you become an admin and {actor} leaves the club.} step_down {If you accept, you become an admin and {actor} becomes a member.} other {If you accept, you become an admin. {actor} stays one too.}}',
  handoverUntil: 'You can accept or decline until {day}.',
  handoversAlways: 'Offers to hand over a club and the answers to them are always sent.',
  answeredSubject: '{actor} {answer, select, accepted {accepted} other {declined}}',
  handoverAnswered:
    '{answer, select, accepted {{actor} accepted and is now an admin of {club}.} other {{actor} declined to take over {club}.}}',
  handedOver:
    "{afterwards, select, leave {You've left the club.} step_down {You're now a member.} other {You're still an admin too.}}",
  openClub: 'Open the club',
  asMember: 'You get this email because you are a member of {club} on {product}.',
  wasMember: 'You get this email because you were a member of {club}.',
  withdrawnFiles:
    '{n, plural, one {Open the attached file to remove its event from your calendar. If it stays, delete it there.} other {Open the attached files to remove its events from your calendar. If they stay, delete them there.}}',
});
