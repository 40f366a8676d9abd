import { defineMessages } from '#wire/messages.ts';

/** The texts around the markup of a page, and those of the web app manifest. */
export const t = defineMessages('app.page', {
  appDescription: 'Organise your club: members, events, and all of it in your calendar.',
  needsJavaScript: 'This application needs JavaScript.',
});
