import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  serverBusy: 'The server is busy',
  stopWaiting: 'Stop waiting',
  tryingAgainIn: 'Trying again in {left}',
  needsNetwork: "You're offline. Try again when you're connected.",
});
