import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  notFound: 'Not Found',
  notFoundText: 'There is nothing at this address. Perhaps a part of the link got lost on its way.',
  goToTheApp: 'Go to the app',
  offline: 'Offline',
  youAreOffline: 'You are offline',
  offlineText:
    '{productName} needs a network to show this page. It appears by itself as soon as you are connected again.',
  tryAgain: 'Try Again',
  serverError: 'Server Error',
  serverErrorText: "We're experiencing some technical difficulties",
  goHome: 'Go Home',
  thankYou: 'Thank you',
  thankYouTitle: 'Thank You for Your Donation!',
  thankYouText: 'Your generosity makes a real difference in the world.',
  backToApp: 'Back To App',
  refreshThePage: 'Refresh the page',
  clearTheCache: 'Clear the cache of your browser',
  tryAgainLater: 'Try again later',
});
