import { defineMessages } from '#wire/messages.ts';

export const t = defineMessages('app.privacy', {
  privacyPolicy: 'Privacy policy',
  whoWeAre: '{productName} is a project of {makerName}, a consulting company.',
  ourPrivacyPromise: 'Our privacy promise',
  promiseText:
    "We ask for what we need to organise your clubs, and nothing else. We don't sell your data, show advertising or track what you do.",
  noAnalytics: 'We use no analytics.',
  noCookies:
    "We use no cookies. Your login, language, clock and time zone are kept in your browser's local storage, and what you type into a form and don't save for a day. If you host events, it also remembers when you last looked at them.",
  offlineScreens: 'Pages you open stay in your browser for two weeks, or until you log out.',
  noThirdParties: 'No page loads anything from another company.',
  yourInformation: 'Your information',
  whatWeCollect: 'At sign-up and soon after we collect:',
  collectsEmail: 'your email address, which you log in with;',
  collectsName: 'your name, once you join or create a club;',
  collectsPhone: 'your phone number, if you enter one;',
  collectsClubs:
    'club information: the clubs you are in, your role and sections there, and the events, sign-ups, votes on times, lists, updates, messages and questions that you and other members enter, who was there if the hosts note it, and that you have read an important update, if you say so;',
  collectsAbsences: "the days you're away, if you enter them, and no reason.",
  loginsAndRequests:
    'With each login we store the name your browser gives itself. We also store your language and the time zone of the device you used last, so that emails show times as you read them. We store whether the mail server took each email about your clubs, and how often in a row it said that your address does not exist. We count requests by network address to prevent abuse.',
  whoSeesYou:
    "Members of a club see each other's names, pictures and sections, and which times suit whom until the time of an event is fixed. Then votes become sign-ups. We remove the location from every picture. Only the admins of your clubs see your email, and whether emails to you arrive. Nobody sees your phone number, unless you let the hosts of a club or all of its members see it: in each club you choose who. Hosts who are not admins then see it only around an event you go to. The days you're away are seen by you alone. The hosts of an event on these days see “Can't go”, and may notice that this answer was given automatically. Who publishes updates in a club sees whether you said that you have read an important one. When an event is moved or cancelled, its hosts see how many people this has reached and how, and the names of those whom it has not reached yet. Admins can download the list of members, and hosts the answers to their event. Admins also see a log of who changed roles, sections, settings and invite links, who removed members and who handed over the club. An offer to hand over a club is seen by the two people it concerns. We also get your email when you send us feedback, so that we can reply.",
  howWeUseData: 'How we use data',
  useOfData:
    'We use your email to send you login codes, messages about your account, news from your clubs and the events you sign up for. You can switch off most of these emails. Your name tells the members of your clubs who you are. Club information is shown to the members of the club. Anyone with the link to an event may see what it is, when and where.',
  retention:
    "Data is kept while your account is active. Some of it is deleted sooner: login codes a day after they expire, sessions after 30 days without use and after 90 days at most, notifications after 90 days, the outcomes of emails and of notifications on devices after 30 days, invite links 30 days after they expire, notes of who came to an event two years after it, questions to hosts 30 days after the event, the days you're away 30 days after the last of them, entries in the log of a club after two years, an offer to hand over a club when it is answered and after 14 days at most, a former email after seven days, the last time of a calendar app after 60 days, when you replace the link or when you leave the club, and the record that you were removed from a club after a year.",
  legalBasis: 'Legal basis',
  legalBasisText:
    'The legal basis is your consent, which you give when you first log in. You can withdraw it at any time by deleting your account.',
  requestingYourInformation: 'Requesting your information',
  deletion:
    "You can delete your account there too, at any time and without asking anyone. When an account is deleted, its data is deleted permanently and right away: your profile and picture, your email, your memberships, sign-ups and votes, your confirmations that you have read updates, the lifts you offered, the days you're away, the questions you asked and what you wrote about changes of events, your notifications, settings and feedback. Updates and messages you wrote, events you hosted, and things and tasks you added to their lists belong to the club and stay, without your name. So do the entries about you in its log. Emails already sent can't be taken back. Where you're the only admin, you choose who takes over the club, or delete it.",
  ifLockedOut: "If you can't log in any more, use the contact below and write from your account's email.",
  howWeProtectData: 'How we protect data',
  protectionText:
    "There's no password to steal: each login needs a fresh code, which works once and for a short time. Login codes and sessions are stored only in a form that can't be turned back into the original, and an email with a code is deleted from our servers once it's sent. Every request is checked against your membership, so no one outside a club can see who is in it or what is written there.",
  howYouCanHelp: 'How you can help',
  howYouCanHelpText:
    'Protect your inbox, since anyone who reads your email can log in as you. Emails about events have links that answer for you, and emails about important updates one that confirms that you have read them, so be careful to whom you forward one. You can replace these links in My Account. Share invite links and calendar links only with the people they are meant for. Log out on devices that others use.',
  furtherInformation: 'Further information',
  calendarProviders:
    'When you add a calendar link to another calendar provider, that provider downloads the events. Its own privacy policy applies there. We remember what kind of calendar app downloads your calendar and when it last did, to know whether it shows a change yet. You see that next to the calendar link. The hosts of an event see how many calendars know a change. If you choose invitations by mail, they name you and an address of ours, and your calendar app may mail your answers to it.',
  stripe:
    "If you're an admin and request an account with the payment provider Stripe, where that's offered, Stripe gets your email. We store the ID of that account and whether it's ready, and never see a card. When you delete your account here, we disconnect it. Stripe keeps its own records under its own policy.",
  pushServices:
    'If you switch on notifications on a device, they reach it through the push service of its browser: from Google for Chrome, Mozilla for Firefox, Microsoft for Edge and Apple for Safari. The service learns that this device got a message, and when. It cannot read the message, which is encrypted for the device. We store the address and the keys that your browser gives us for this until you switch notifications off or the session ends.',
  changes: 'Changes',
  changesText:
    'When this policy changes, the new text is published on this page before the change takes effect. It always describes the version of {productName} you are using.',
  contact: 'Contact',
  noSupportAddress:
    'No support email is set up for this site. For help with logging in or questions about your data, ask an admin of your club or the person who sent you here.',
  yourData: 'In <link>My Account</link>, you can correct your profile, end sessions and download your data.',
  writeToUs:
    'For questions about your data or help with logging in, write to {makerName} at <link>{supportEmail}</link>.',
  reachTheMaker: 'You can also reach {makerName} through <link>its website</link>.',
});
