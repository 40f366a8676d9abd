import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages({
  privacyPolicy: 'Privacy policy',
  whoWeAre: '{productName} is a project of {makerName}, a consulting company.',
  ourPrivacyPromise: 'Our privacy promise',
  promiseText:
    'We ask for what organising a club needs and for nothing else. We do not sell your data, we show no advertising, and we do not watch what you do.',
  noAnalytics: 'We use no analytics.',
  noCookies: 'We use no cookies. Your login is kept in the local storage of your browser.',
  offlineScreens: 'Screens that you open stay in your browser for two weeks, or until you log out.',
  noThirdParties: 'No page loads anything from another company.',
  yourInformation: 'Your information',
  whatWeCollect: 'At sign-up and soon after we collect:',
  collectsEmail: 'your email address, with which you log in;',
  collectsName: 'your name, once you join or create a club;',
  collectsClubs:
    'club information: the clubs you are in, your role there, and the events, attendances and updates that you and the other members enter.',
  loginsAndRequests:
    'With each login we note how your browser names itself. Requests are counted by network address, to hold off floods of them.',
  whoSeesYou:
    "Members of a club see one another's names and pictures. Where a picture was taken is removed from it. Your email address is shown to the admins of your clubs and to no other user. It goes along when you send us feedback, so that we can answer.",
  howWeUseData: 'How we use data',
  useOfData:
    'Your email address serves to send you login codes and what concerns your account, what happens in your clubs, and the events that you sign up for. You can switch off most of these emails. Your name tells the members of your clubs who you are. Club information is there to be shown to the members of the club; anyone with the link of an event may be shown what, when and where it is.',
  retention:
    'Data is kept while your account is active. Some of it goes sooner: login codes a day after they expire, sessions after 30 days without use and after 90 in all, notifications after 90 days, invite links 30 days after they expire, an email that you changed after seven days, and the mark of having been removed from a club after a year.',
  legalBasis: 'Legal basis',
  legalBasisText:
    'The legal basis is your consent, which you give when you sign up. You can take it back at any time by deleting your account.',
  requestingYourInformation: 'Requesting your information',
  deletion:
    'You can delete your account there as well, at any time and without asking anybody. When an account is deleted, its data is deleted permanently, at once: your profile and pictures, your address, your places in clubs and events, your notifications, settings and feedback. Updates that you wrote and events that you hosted belong to the club and stay, without your name, and so do emails that have reached somebody. Where you are the only admin, you choose who takes over the club, or that it is deleted too.',
  ifLockedOut: 'If you cannot log in any more, use the contact below, from the address of your account.',
  howWeProtectData: 'How we protect data',
  protectionText:
    'There is no password that could be stolen: each login needs a fresh code, which works once and for a short time. Login codes and sessions are stored only in a form from which they cannot be read back, and a mail with a code is forgotten once it is sent. Every request is checked against your membership, so that nobody outside a club sees who is in it or what is written there.',
  howYouCanHelp: 'How you can help',
  howYouCanHelpText:
    'Keep your mailbox safe, since anyone who reads it can log in as you. Send invite links and calendar addresses only to those they are meant for. Log out on devices that others use.',
  furtherInformation: 'Further information',
  calendarProviders:
    'When you add a calendar address to the calendar of another provider, that provider fetches the events behind it. Its own privacy policy applies there.',
  stripe:
    'If you as an admin ask for an account with the payment provider Stripe, where that is offered, it gets your email address. We keep the number of that account and whether it is ready, and never see a card. When you delete your account here, we let go of it, and Stripe keeps its own records by its own policy.',
  changes: 'Changes',
  changesText:
    'When this policy changes, the new text stands on this page before the change takes effect. It always describes the version of {productName} that you are using.',
  contact: 'Contact',
  noSupportAddress:
    'No support address is set up for this site. For help with the login or questions about your data, ask an admin of your club or the person who sent you here.',
  setSupportAddress: 'If you run this site, set SUPPORT_EMAIL to show an address here.',
  yourData:
    'Everything we hold about you is in your own hands under <link>My Account</link>. You can see and correct your profile there, see and end the sessions in which you are logged in, and download a copy of all your data as a file.',
  writeToUs:
    'For questions about your data or help with the login, write to {makerName} at <link>{supportEmail}</link>.',
  reachTheMaker: 'You can also reach {makerName} through <link>its site</link>.',
});
