import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.unattend', {
  leaveWaitlistTitle: 'Leave the waitlist?',
  leaveWaitlistText: "You'll lose your place for {name}. If you come back, you'll be last.",
  keepWaiting: 'Keep waiting',
  seatGoesToNext: 'Your seat goes to the next person on the waitlist at once.',
  skipThisOne: 'Skip this one',
  skipThisOneTitle: 'Skip this one?',
  otherEventsStay: 'Your answer to the other events of the series stays.',
  stopAttending: 'Stop attending?',
  stopAttendingText:
    "You'll no longer be listed as attending {name}. You can attend again while sign-up is open.",
  stopAttendingFullText: "You'll no longer be listed as attending {name}.",
  stopAttendingForGoodText:
    "You'll no longer be listed as attending {name}. Sign-up has closed, so you can't attend again.",
  changeToMaybeTitle: 'Change to maybe?',
  changeToMaybe: 'Change to maybe',
  unattend: 'Unattend',
  keepAttending: 'Keep attending',
});
