import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('web', {
  privacyPolicy: 'Privacy policy',
  loginNotStored:
    'This browser does not store your login. Allow data of this site in the settings of the browser, free some space, or use another browser.',
  serverBusy: 'The server is busy',
  stopWaiting: 'Stop waiting',
  tryingAgainIn: 'Trying again in {left}',
  tryingAgainInSeconds: 'Trying again in {n} s',
  needsNetwork: "You're offline. Try again when you're connected.",
  changedMeanwhile: 'Someone else just changed this',
  changedMeanwhileText: 'We loaded the newer values and kept what you typed. Check, then save again.',
  changedByBoth: 'Changed by both of you',
  asTheySaved: '{field}, as they saved it:',
  print: 'Print',
  downloadList: 'Download list',
  otherPeople: 'Others',
  listNotDownloaded: "The list wasn't downloaded",
  listNotPrinted: "The list wasn't loaded",
  draftFrom: 'Your draft from {time}.',
  startOver: 'Start over',
  asTheyEmptied: '{field}, as they saved it: empty',
});
