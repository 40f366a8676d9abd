// Screens of the user: home, account, notifications, search, and error pages.
import {
  answer,
  broken,
  choose,
  dialog,
  fill,
  offline,
  photo,
  press,
  see,
  type,
  type Screen,
  type Step,
} from './screen.ts';

const noPhoto = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
const home = () => '/app';
const profile = () => '/app/profile';

const longEmail = `${'countess-of-lovelace-'.repeat(3)}@analytical-engines.example.org`;

/** Simulates a pending email change by changing the responses of these calls. */
const waiting =
  (method: 'GET' | 'PATCH'): Step =>
  (page) =>
    page.route('**/api/v1/users', async (route) => {
      if (route.request().method() !== method) return route.fallback();
      const response = await route.fetch({ method: 'GET' });
      const { data, ...envelope } = (await response.json()) as { data: object };
      return route.fulfill({ response, json: { ...envelope, data: { ...data, pending_email: longEmail } } });
    });

const ownHome: Screen[] = [
  { name: 'home', as: 'ada', path: home },
  { name: 'home-empty', as: 'newcomer', path: home },
  { name: 'home-without-name', as: 'nameless', path: home },
  { name: 'home-nothing-planned', as: 'ada', path: home, before: broken('GET /v1/users/**') },
  { name: 'home-long', as: 'long', path: home },
  dialog({ name: 'home-calendar', as: 'ada', path: home, opens: 'My Calendar' }),
  dialog({
    name: 'home-calendar-code',
    as: 'ada',
    path: home,
    opens: 'My Calendar',
    reach: [(page) => page.getByText('QR code for another device').click(), see('Scan it there')],
  }),
  dialog({
    name: 'home-calendar-replace',
    as: 'ada',
    path: home,
    opens: 'My Calendar',
    reach: [answer('Replace link'), see('Replace this link?')],
  }),
  dialog({ name: 'user-menu', as: 'ada', path: home, opens: 'User menu' }),
  dialog({ name: 'user-menu-long', as: 'long', path: home, opens: 'User menu' }),
  dialog({ name: 'search', as: 'ada', path: home, opens: 'Search' }),
  dialog({ name: 'search-long', as: 'long', path: home, opens: 'Search' }),
  dialog({
    name: 'search-found',
    as: 'ada',
    path: home,
    opens: 'Search',
    reach: [fill('Search events or clubs', 'row')],
  }),
  dialog({
    name: 'search-nothing',
    as: 'ada',
    path: home,
    opens: 'Search',
    reach: [fill('Search events or clubs', 'submarine'), see('No results found.')],
  }),
  dialog({
    name: 'search-failed',
    as: 'ada',
    path: home,
    opens: 'Search',
    before: broken('GET /v1/events/clubs/filter*'),
    reach: [see('An unexpected error occurred')],
  }),
];

const notifications: Screen[] = [
  dialog({ name: 'bell', as: 'kofi', path: home, opens: /^Notifications/ }),
  dialog({ name: 'bell-empty', as: 'newcomer', path: home, opens: /^Notifications/ }),
  dialog({ name: 'bell-long', as: 'longer', path: home, opens: /^Notifications/ }),
  { name: 'notifications', as: 'ada', path: () => '/app/notifications' },
  { name: 'notifications-empty', as: 'newcomer', path: () => '/app/notifications' },
  { name: 'notifications-long', as: 'longer', path: () => '/app/notifications' },
  {
    name: 'notifications-not-loaded',
    as: 'ada',
    path: () => '/app/notifications',
    before: broken('GET /v1/notifications'),
    reach: [see('could not be loaded')],
  },
  dialog({ name: 'notifications-clear', as: 'ada', path: () => '/app/notifications', opens: 'Clear all' }),
  dialog({
    name: 'notifications-clear-failed',
    as: 'ada',
    path: () => '/app/notifications',
    before: broken('DELETE /v1/notifications'),
    opens: 'Clear all',
    reach: [answer('Clear all'), see('Failed to clear notifications')],
  }),
  { name: 'settings', as: 'ada', path: () => '/app/settings/notifications' },
  {
    name: 'settings-failed',
    as: 'ada',
    path: () => '/app/settings/notifications',
    before: broken('PUT /v1/notification-settings'),
    reach: [press('Save'), see('An unexpected error occurred')],
  },
  { name: 'feedback', as: 'ada', path: () => '/app/feedback' },
  {
    name: 'feedback-missing',
    as: 'ada',
    path: () => '/app/feedback',
    reach: [press('Submit'), see('Please enter some feedback')],
  },
  {
    name: 'feedback-thanks',
    as: 'ada',
    path: () => '/app/feedback',
    isDialog: true,
    reach: [fill('Your feedback', 'It is calm and quick.'), press('Submit'), see('Success!')],
  },
];

const account: Screen[] = [
  { name: 'profile', as: 'ada', path: profile },
  { name: 'profile-empty', as: 'newcomer', path: profile },
  { name: 'profile-long', as: 'long', path: profile },
  {
    name: 'profile-failed',
    as: 'ada',
    path: profile,
    before: broken('PATCH /v1/users'),
    reach: [press('Save Changes'), see('An error occurred while updating user')],
  },
  { name: 'profile-new-address', as: 'ada', path: () => '/app/profile?email_code=whatever' },
  {
    name: 'profile-email-code',
    as: 'ada',
    path: profile,
    isDialog: true,
    reach: [fill('Email', 'countess@example.org'), press('Save Changes'), see('First enter the code')],
  },
  {
    name: 'profile-email-code-long',
    as: 'long',
    path: profile,
    isDialog: true,
    reach: [fill('Email', longEmail), press('Save Changes'), see('First enter the code')],
  },
  {
    name: 'profile-email-requested',
    as: 'ada',
    path: profile,
    isDialog: true,
    reach: [
      fill('Email', longEmail),
      press('Save Changes'),
      see('First enter the code'),
      waiting('PATCH'),
      type('AAAAAA'),
      answer('Continue'),
      see('has not changed yet'),
    ],
  },
  { name: 'profile-email-waits', as: 'ada', path: profile, before: waiting('GET') },
  {
    name: 'profile-sessions-not-loaded',
    as: 'ada',
    path: profile,
    before: broken('GET /v1/users/sessions'),
    reach: [see('The list did not load.')],
  },
  {
    name: 'profile-no-picture',
    as: 'ada',
    path: profile,
    reach: [choose('Your picture', noPhoto), see('no picture that can be read')],
  },
  {
    name: 'crop-person',
    as: 'ada',
    path: profile,
    isDialog: true,
    reach: [choose('Your picture', photo), see('Choose what is shown')],
  },
  {
    name: 'crop-person-failed',
    as: 'ada',
    path: profile,
    isDialog: true,
    before: broken('POST /v1/users/picture'),
    reach: [
      choose('Your picture', photo),
      see('Choose what is shown'),
      answer('Save picture'),
      see('An unexpected error occurred'),
    ],
  },
  dialog({ name: 'download-data', as: 'ada', path: profile, opens: 'Download my data' }),
  dialog({
    name: 'download-data-refused',
    as: 'ada',
    path: profile,
    opens: 'Download my data',
    reach: [type('AAAAAA'), answer('Download'), (page) => page.getByRole('alert').last().waitFor()],
  }),
  dialog({ name: 'delete-account', as: 'kofi', path: profile, opens: 'Delete account' }),
  dialog({ name: 'delete-account-alone', as: 'nameless', path: profile, opens: 'Delete account' }),
  dialog({
    name: 'delete-account-successor',
    as: 'misaki',
    path: profile,
    opens: 'Delete account',
    reach: [see('Who takes over'), answer('Mail me a code'), see('Choose who takes over')],
  }),
  dialog({
    name: 'delete-account-long',
    as: 'long',
    path: profile,
    opens: 'Delete account',
    reach: [see('Who takes over')],
  }),
  dialog({
    name: 'delete-account-not-loaded',
    as: 'kofi',
    path: profile,
    opens: 'Delete account',
    before: broken('GET /v1/users/deletion'),
    reach: [see('did not load')],
  }),
  dialog({
    name: 'delete-account-code',
    as: 'kofi',
    path: profile,
    opens: 'Delete account',
    reach: [answer('Mail me a code'), see('Sent to')],
  }),
];

const instead: Screen[] = [
  { name: 'not-found', as: 'ada', path: () => '/app/nowhere' },
  { name: 'club-not-found', as: 'ada', path: () => '/app/clubs/nowhere', reach: [see('Club not found')] },
  { name: 'server-error', as: 'ada', isLogged: true, path: home, before: broken('GET /v1/users') },
  {
    name: 'server-error-in-app',
    as: 'ada',
    isLogged: true,
    path: () => '/app/settings/notifications',
    before: broken('GET /v1/notification-settings'),
  },
  { name: 'offline-banner', as: 'ada', path: home, reach: [offline, see('You are offline.')] },
  {
    name: 'offline-page',
    as: 'ada',
    isLogged: true,
    path: home,
    reach: [
      offline,
      (page) =>
        page
          .getByRole('link', { name: /Rowers/ })
          .last()
          .click(),
      see('needs a network to show this page'),
    ],
  },
];

export const own: Screen[] = [...ownHome, ...notifications, ...account, ...instead];
