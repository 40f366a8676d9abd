// Every screen and dialog that `npm run screenshots` looks at.
import type { Page } from '@playwright/test';
import type { account } from '#e2e/people.ts';

type Api = Awaited<ReturnType<typeof account>>['api'];
export type Viewer = 'ada' | 'noor' | 'kofi' | 'misaki' | 'emi' | 'jonas' | 'nameless' | 'newcomer';

/** Where the screens are, and what they show. */
export type Places = Awaited<ReturnType<typeof findPlaces>>;

export interface Screen {
  name: string;
  /** Who looks at it; nobody is somebody without a session. */
  as?: Viewer;
  path: (at: Places) => string;
  /** What leads from the page to the screen. */
  reach?: (page: Page) => Promise<void>;
  /** What happens before the page is opened. */
  before?: (page: Page) => Promise<void>;
  /** Only what stands in the window: for dialogs, which lie over a page. */
  isDialog?: boolean;
  on?: 'phone' | 'desktop';
}

const press = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor();
};

const dialog = (screen: Omit<Screen, 'isDialog' | 'reach'> & { opens: string | RegExp }): Screen => {
  const { opens, ...rest } = screen;
  return { ...rest, isDialog: true, reach: press(opens) };
};

export const screens: Screen[] = [
  { name: 'landing', path: () => '/' },
  { name: 'privacy', path: () => '/privacy-policy' },
  { name: 'not-found-outside', path: () => '/nowhere' },
  { name: 'login', path: () => '/login' },
  { name: 'login-as-somebody', as: 'ada', path: () => '/login' },
  {
    name: 'login-to-join',
    path: (at) => at.invite,
    reach: (page) => page.getByRole('button', { name: 'Accept Invite' }).click(),
  },
  {
    name: 'login-code',
    path: () => '/login',
    isDialog: true,
    async reach(page) {
      await page.getByLabel('Email').fill(`look-${Date.now()}@example.org`);
      await press(/^Login$/)(page);
    },
  },
  { name: 'confirm', path: () => '/confirm?email=ada%40example.org&code=whatever' },
  { name: 'confirm-not-valid', path: () => '/confirm?email=ada%40example.org' },

  { name: 'home', as: 'ada', path: () => '/app' },
  { name: 'home-empty', as: 'newcomer', path: () => '/app' },
  { name: 'home-without-name', as: 'nameless', path: () => '/app' },
  dialog({ name: 'home-calendar', as: 'ada', path: () => '/app', opens: 'My Calendar' }),
  {
    name: 'user-menu',
    as: 'ada',
    path: () => '/app',
    isDialog: true,
    async reach(page) {
      await page.getByRole('button', { name: 'User menu' }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  { name: 'profile', as: 'ada', path: () => '/app/profile' },
  { name: 'not-found', as: 'ada', path: () => '/app/nowhere' },
  {
    name: 'server-error',
    as: 'ada',
    path: () => '/app',
    before: async (page) => {
      await page.route('**/api/v1/users', (route) => route.fulfill({ status: 500, body: '' }));
    },
  },

  { name: 'new-club', as: 'ada', path: () => '/app/new-club' },
  {
    name: 'new-club-without-name',
    as: 'ada',
    path: () => '/app/new-club',
    reach: (page) => page.getByRole('button', { name: 'Create Club' }).click(),
  },
  { name: 'club-as-admin', as: 'ada', path: (at) => at.rowers },
  { name: 'club-as-member', as: 'kofi', path: (at) => at.rowers },
  { name: 'club-small', as: 'misaki', path: (at) => at.readers },
  { name: 'club-empty', as: 'nameless', path: (at) => at.empty },
  dialog({ name: 'club-calendar', as: 'kofi', path: (at) => at.rowers, opens: 'Club Calendar' }),
  dialog({ name: 'club-leave', as: 'kofi', path: (at) => at.rowers, opens: 'Leave club' }),
  { name: 'club-edit', as: 'ada', path: (at) => `${at.rowers}/edit` },
  { name: 'club-edit-as-member', as: 'kofi', path: (at) => `${at.rowers}/edit` },

  dialog({ name: 'invite-with-link', as: 'ada', path: (at) => at.rowers, opens: /invite/i }),
  dialog({ name: 'invite-without-link', as: 'misaki', path: (at) => at.readers, opens: /invite/i }),
  dialog({ name: 'invite-expired', as: 'noor', path: (at) => at.games, opens: /invite/i }),
  dialog({ name: 'invite-name-first', as: 'nameless', path: (at) => at.empty, opens: /invite/i }),
  { name: 'invite-page', path: (at) => at.invite },
  { name: 'invite-page-as-somebody', as: 'jonas', path: (at) => at.invite },
  dialog({ name: 'invite-page-name', as: 'nameless', path: (at) => at.invite, opens: 'Accept Invite' }),
  { name: 'invite-page-not-found', path: (at) => `${at.invite}x` },

  { name: 'members', as: 'ada', path: (at) => `${at.rowers}/members` },
  { name: 'members-as-member', as: 'kofi', path: (at) => `${at.rowers}/members` },
  {
    name: 'members-expanded',
    as: 'ada',
    on: 'phone',
    path: (at) => `${at.rowers}/members`,
    reach: (page) => page.getByRole('button', { expanded: false }).nth(1).click(),
  },
  dialog({
    name: 'members-eject',
    as: 'ada',
    on: 'desktop',
    path: (at) => `${at.rowers}/members`,
    opens: /^Eject Callum/,
  }),

  { name: 'updates', as: 'ada', path: (at) => `${at.rowers}/updates` },
  { name: 'updates-as-member', as: 'kofi', path: (at) => `${at.rowers}/updates` },
  { name: 'updates-empty', as: 'nameless', path: (at) => `${at.empty}/updates` },
  { name: 'new-update', as: 'ada', path: (at) => `${at.rowers}/new-update` },
  { name: 'new-update-as-member', as: 'kofi', path: (at) => `${at.rowers}/new-update` },

  { name: 'new-event', as: 'ada', path: (at) => `${at.rowers}/new-event` },
  {
    name: 'new-event-date',
    as: 'ada',
    path: (at) => `${at.rowers}/new-event`,
    isDialog: true,
    reach: press(/date|calendar|pick/i),
  },
  { name: 'new-event-as-member', as: 'kofi', path: (at) => `${at.rowers}/new-event` },
  { name: 'event-as-attendee', as: 'kofi', path: (at) => at.attended },
  { name: 'event-as-host', as: 'ada', path: (at) => at.hosted },
  { name: 'event-not-attending', as: 'kofi', path: (at) => at.open },
  { name: 'event-with-conflict', as: 'ada', path: (at) => at.conflicting },
  { name: 'event-as-outsider', as: 'emi', path: (at) => at.open },
  { name: 'event-cancelled', as: 'kofi', path: (at) => at.cancelled },
  { name: 'event-over', as: 'kofi', path: (at) => at.over },
  { name: 'event-elsewhere', as: 'misaki', path: (at) => at.elsewhere },
  dialog({ name: 'event-unattend', as: 'kofi', path: (at) => at.attended, opens: 'Attending' }),
  dialog({ name: 'event-cancel', as: 'ada', path: (at) => at.hosted, opens: 'Cancel Event' }),
  { name: 'event-edit', as: 'ada', path: (at) => at.hosted.replace('/events/', '/events/edit/') },
];

/** Finds in the demo one of everything that is shown. */
export async function findPlaces(api: Record<Viewer, Api>) {
  const [rowers, games] = [await clubOf(api.ada, /Rowers/), await clubOf(api.jonas, /Games/)];
  const readers = await clubOf(api.misaki, /Reading/);
  const empty = await api.nameless.clubs.create({ club_name: 'Pier Street Choir' });
  const { invite_link } = await api.ada.invites.ofClub({ club: rowers.id });
  const now = new Date().toISOString();

  const ofKofi = (await api.kofi.clubs.get({ club: rowers.id })).events;
  const ofAda = (await api.ada.clubs.get({ club: rowers.id })).events;
  const isOpen = (event: (typeof ofAda)[number]) => !event.deleted_at && event.entry_until_time > now;
  return {
    rowers: `/app/clubs/${rowers.slug}`,
    games: `/app/clubs/${games.slug}`,
    readers: `/app/clubs/${readers.slug}`,
    empty: `/app/clubs/${empty.slug}`,
    invite: `/app/club/${rowers.slug}/${invite_link}`,
    attended: page(ofKofi.find((event) => isOpen(event) && event.my_role === 'attendee')),
    open: page(ofKofi.find((event) => isOpen(event) && event.my_role === null)),
    hosted: page(ofAda.find((event) => isOpen(event) && event.my_role === 'organiser')),
    conflicting: page(
      ofAda.find((event) => !event.deleted_at && event.end_time > now && event.conflicting_events.length > 0),
    ),
    cancelled: page(ofKofi.find((event) => event.deleted_at && event.end_time > now)),
    over: page(ofKofi.find((event) => event.end_time < now && event.user_count > 5)),
    elsewhere: page(readers.events.find((event) => event.time_zone === 'America/Toronto')),
  };
}

const page = (event: { slug: string } | undefined) => `/app/events/${event?.slug ?? 'missing'}`;

async function clubOf(api: Api, name: RegExp) {
  const club = (await api.users.me({})).clubs.find((each) => name.test(each.club_name));
  return api.clubs.get({ club: club?.id ?? 'missing' });
}
