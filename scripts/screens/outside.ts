// Public screens, login and invites.
import { viewers } from './places.ts';
import { answer, respondWith, broken, dialog, fill, press, see, type, type Screen } from './screen.ts';

const unsubscribe = '/unsubscribe?token=x.email_club_update.y';
const revertEmail = '/revert-email?token=x';
const emailChange = (is_changed: boolean, status = 200) =>
  respondWith('GET /v1/users/email/revert/*', {
    status,
    body: JSON.stringify({
      data: {
        old_email: 'ada@example.org',
        new_email: `${'countess-of-lovelace-'.repeat(3)}@analytical-engines.example.org`,
        is_changed,
        ends_at: '2026-12-01T10:00:00.000Z',
      },
      status,
      error: null,
    }),
  });
const fresh = () => fill('Email', `look-${Date.now()}@example.org`);

export const outside: Screen[] = [
  { name: 'landing', path: () => '/' },
  { name: 'privacy', path: () => '/privacy-policy' },
  { name: 'thank-you', as: 'ada', path: () => '/thankyou' },
  { name: 'not-found-outside', as: 'ada', path: () => '/nowhere' },

  { name: 'login', path: () => '/login' },
  { name: 'login-as-somebody', as: 'ada', path: () => '/login' },
  { name: 'login-as-somebody-long', as: 'long', path: () => '/login' },
  { name: 'login-to-join', path: (at) => at.invite, reach: [press('Accept Invite'), see('Login to join')] },
  {
    name: 'login-to-join-long',
    path: (at) => at.longInvite,
    reach: [press('Accept Invite'), see('Login to join')],
  },
  {
    name: 'login-failed',
    path: () => '/login',
    before: broken('GET /v1/auth/login*'),
    reach: [fill('Email', 'ada@example.org'), press(/^Login$/), see('An error occurred')],
  },
  {
    name: 'login-code',
    path: () => '/login',
    isDialog: true,
    reach: [(page) => fresh()(page), press(/^Login$/), see('Enter your code?')],
  },
  {
    name: 'login-code-long',
    path: () => '/login',
    isDialog: true,
    reach: [fill('Email', viewers.long), press(/^Login$/), see('Enter your code?')],
  },
  {
    name: 'login-code-wrong',
    path: () => '/login',
    reach: [
      (page) => fresh()(page),
      press(/^Login$/),
      see('Enter your code?'),
      type('AAAAAA'),
      answer('Confirm Code'),
      see('An error occurred'),
    ],
  },
  { name: 'confirm', path: () => '/confirm?email=ada%40example.org&code=whatever' },
  { name: 'confirm-long', path: () => `/confirm?email=${encodeURIComponent(viewers.long)}&code=whatever` },
  { name: 'confirm-not-valid', path: () => '/confirm?email=ada%40example.org' },
  {
    name: 'confirm-failed',
    path: () => '/confirm?email=ada%40example.org&code=whatever',
    reach: [press('Log in'), see('An error occurred')],
  },

  { name: 'unsubscribe', path: () => unsubscribe },
  { name: 'unsubscribe-not-valid', path: () => '/unsubscribe' },
  { name: 'unsubscribe-failed', path: () => unsubscribe, reach: [press('Unsubscribe'), see('did not work')] },
  {
    name: 'unsubscribe-done',
    path: () => unsubscribe,
    before: respondWith('POST /v1/notification-settings/unsubscribe/*', {
      status: 200,
      body: JSON.stringify({ data: { key: 'email_club_update' }, status: 200, error: null }),
    }),
    reach: [press('Unsubscribe'), see('You are unsubscribed')],
  },

  { name: 'revert-email', path: () => revertEmail, before: emailChange(true) },
  { name: 'revert-email-requested', path: () => revertEmail, before: emailChange(false) },
  { name: 'revert-email-not-valid', path: () => revertEmail },
  { name: 'revert-email-not-loaded', path: () => revertEmail, before: emailChange(true, 503) },
  {
    name: 'revert-email-failed',
    path: () => revertEmail,
    before: emailChange(true),
    reach: [
      (page) => broken('POST /v1/users/email/revert/*')(page),
      press('Change it back'),
      see('did not work'),
    ],
  },

  { name: 'invite-page', path: (at) => at.invite },
  { name: 'invite-page-long', path: (at) => at.longInvite },
  { name: 'invite-page-as-somebody', as: 'jonas', path: (at) => at.invite },
  { name: 'invite-page-not-found', path: (at) => `${at.invite}x` },
  { name: 'invite-page-not-found-as-somebody', as: 'jonas', path: (at) => `${at.invite}x` },
  {
    name: 'invite-page-failed',
    as: 'jonas',
    path: (at) => at.invite,
    before: broken('POST /v1/invite-links/join/*'),
    reach: [press('Accept Invite'), see('Failed to join club')],
  },
  dialog({ name: 'invite-page-name', as: 'nameless', path: (at) => at.invite, opens: 'Accept Invite' }),
  dialog({
    name: 'invite-page-name-long',
    as: 'nameless',
    path: (at) => at.longInvite,
    opens: 'Accept Invite',
  }),
  dialog({
    name: 'invite-page-name-missing',
    as: 'nameless',
    path: (at) => at.invite,
    opens: 'Accept Invite',
    reach: [answer('Join club'), see('Enter your first name.')],
  }),
];
