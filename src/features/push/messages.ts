import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('push', {
  thisDevice: 'This device',
  thisDeviceText: 'Get news from your clubs as notifications, also while {product} is closed.',
  lockedScreen: 'Texts and buttons of notifications also show on a locked screen.',
  switchOn: 'Switch on for this device',
  onForThisDevice: 'On for this device',
  sendATest: 'Send a test',
  switchOff: 'Switch off',
  testSent: 'The test is on its way.',
  testArrived: 'The test has arrived.',
  nothingArrived: 'Nothing arrived yet. Check that your device allows notifications from this browser.',
  blocked: 'Your browser blocks notifications from this site. Allow them in its settings.',
  none: 'This browser has no notifications.',
  homeScreenSteps:
    '1. Tap Share.\n2. Tap “Add to Home Screen”.\n3. Open {product} from your home screen, log in once more and tap “Switch on for this device”.',
  notSwitchedOn: "Notifications weren't switched on",
  notSwitchedOff: "Notifications weren't switched off",
  testNotSent: "The test wasn't sent",
  notLoaded: "We couldn't load whether notifications are on.",
  getTheseHere: 'Get these on this device',
});
