import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  notFound: 'Not Found',
  notFoundText: "There's nothing here. Part of the link may be missing.",
  goToTheApp: 'Go to the app',
  offline: 'Offline',
  youAreOffline: "You're offline",
  offlineText: "This page will load when you're back online.",
  tryAgain: 'Try Again',
  retry: 'Try again',
  serverError: 'Server Error',
  serverErrorText: "We're experiencing some technical difficulties",
  goHome: 'Go Home',
  thankYou: 'Thank you',
  thankYouTitle: 'Thank You for Your Donation!',
  thankYouText: 'Your generosity makes a real difference in the world.',
  backToApp: 'Back To App',
  refreshThePage: 'Refresh the page',
  clearTheCache: "Clear your browser's cache",
  tryAgainLater: 'Try again later',
});
