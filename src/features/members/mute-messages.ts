import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('members.mute', {
  muteTitle: 'Mute {club}?',
  muteText:
    'Only moves, cancellations and other essential news reach your email and devices. The bell still shows everything.',
  mute: 'Mute',
  muting: 'Muting',
  muted: 'Muted',
  unmuteTitle: 'Unmute {club}?',
  unmuteText: 'Emails come again as your settings say.',
  unmute: 'Unmute',
  unmuting: 'Unmuting',
  unmuted: 'No longer muted',
  notMuted: "The club wasn't muted",
  notUnmuted: 'The club is still muted',
});
