import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  serverBusy: 'The server is busy',
  stopWaiting: 'Stop waiting',
  tryingAgainIn: 'Trying again in {left}',
  needsNetwork: 'This needs a network. Try again when you are connected.',
});
