import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('ui', {
  stillHere: 'Your changes are still here.',
  copyLabel: 'Copy: {label}',
  copy: 'Copy',
  copied: 'Copied!',
  close: 'Close',
  showLess: 'Show less',
  showMore: 'Show more',
  less: 'Less',
  more: 'More',
  moreNotLoaded: "We couldn't load the rest.",
  loading: 'Loading',
  tryAgain: 'Try again',
  partNotLoaded: "This part couldn't be loaded",
  reloadThePage: 'Reload the page',
  toasts: 'Notifications (F8)',
  cancel: 'Cancel',
  back: 'Back',
  invisibleText: 'Nobody can see these characters. Type something else.',
});
