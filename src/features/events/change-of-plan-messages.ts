import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('events.changeOfPlan', {
  whatChanges: 'What changes?',
  onlyThisEvent: '{name}: only this event changes. Use Edit to change later ones too.',
  newTime: 'New time',
  cancelIt: 'Cancel it',
  onlyHostCancels: 'Only a host can cancel',
  newStart: 'New start',
  newPlace: 'New place',
  enterNewStart: 'Choose another start.',
  enterNewPlace: 'Enter another place.',
  wordsForAll: 'Message to everyone',
  askAgain: 'Ask everyone to confirm',
  getEmail: '{n, plural, one {# person gets an email} other {# people get an email}}',
  send: 'Send',
  sending: 'Sending',
  notSent: "It wasn't sent",
});
