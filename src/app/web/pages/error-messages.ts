import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('app.errors', {
  offline: 'Offline',
  youAreOffline: "You're offline",
  offlineText: "This page will load when you're back online.",
  tryAgain: 'Try Again',
  retry: 'Try again',
  serverError: 'Server Error',
  serverErrorText: "We're experiencing some technical difficulties",
  pageNotLoaded: "This page couldn't be loaded",
  pageNotLoadedText: 'Your connection may be down, or there is a newer version.',
  goHome: 'Go Home',
  refreshThePage: 'Refresh the page',
  clearTheCache: "Clear your browser's cache",
  tryAgainLater: 'Try again later',
});
