import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('app.pages', {
  notFound: 'Not Found',
  notFoundText: "There's nothing here. Part of the link may be missing.",
  goToTheApp: 'Go to the app',
  thankYou: 'Thank you',
  thankYouTitle: 'Thank You for Your Donation!',
  thankYouText: 'Your generosity makes a real difference in the world.',
  backToApp: 'Back To App',
});
